"""From a model's name on the command line to the model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ossia_servers.gateway.models import Model
from ossia_servers.gateway.upstream import UpstreamModel, UpstreamOptions


@dataclass(frozen=True, slots=True)
class Provider:
    """A known provider of models.

    Attributes:
        base_url: Its OpenAI-compatible endpoint.
        key_variable: Environment variable that holds its key; None if it needs none.
    """

    base_url: str
    key_variable: str | None


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "anthropic": Provider("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "gemini": Provider("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "mistral": Provider("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "deepseek": Provider("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "together": Provider("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "fireworks": Provider("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "xai": Provider("https://api.x.ai/v1", "XAI_API_KEY"),
    "ollama": Provider("http://127.0.0.1:11434/v1", None),
    "vllm": Provider("http://127.0.0.1:8000/v1", None),
}
"""Provider prefix to where its models are."""


def open_model(
    spec: str,
    options: UpstreamOptions | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
) -> Model:
    """Make the model that a specification names.

    Args:
        spec: `offline`, `scripted:FILE`, `replay:FILE`, or `PROVIDER/MODEL` with a provider of
            `PROVIDERS`. With a base URL in the options, any other name is the endpoint's own.
        options: How an upstream model is reached; not used by the others.
        environ: Where the providers' keys are looked up.

    Returns:
        The model; nothing has been sent anywhere yet.

    Raises:
        ValueError: If the specification names no model, its file is missing or wrong, or a key
            is missing.
    """
    options = options or UpstreamOptions()
    if spec == "offline":
        from ossia_servers.gateway.inprocess import InProcessModel
        from ossia_servers.offline import OfflineModel

        return InProcessModel(OfflineModel.load())
    kind, colon, file = spec.partition(":")
    if colon and kind in ("scripted", "replay"):
        return _open_file(kind, file)
    return _open_upstream(spec, options, environ)


def _open_file(kind: str, file: str) -> Model:
    from ossia_servers.gateway.scripted import ScriptedModel
    from ossia_servers.gateway.tape import ReplayModel, Tape

    if not file:
        raise ValueError(f"The model {kind}: needs a file, as in {kind}:FILE.")
    try:
        if kind == "replay":
            return ReplayModel(Tape.read(Path(file)))
        return ScriptedModel.from_file(Path(file))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ValueError(f"The file of model {kind}:{file} cannot be read: {reason}.") from error


def _open_upstream(spec: str, options: UpstreamOptions, environ: Mapping[str, str]) -> Model:
    prefix, slash, rest = spec.partition("/")
    provider = PROVIDERS.get(prefix) if slash and rest else None
    if provider is None:
        if options.base_url is None or not spec.strip():
            raise ValueError(
                f"There is no model {spec!r}: give offline, scripted:FILE, replay:FILE or "
                f"PROVIDER/MODEL with one of the providers {', '.join(sorted(PROVIDERS))}; "
                "any other name needs a base URL."
            )
        # Named apart, so that no provider's price is taken for an endpoint of one's own.
        return UpstreamModel(
            f"custom/{spec}",
            model=spec,
            base_url=_checked_url(options.base_url),
            api_key=options.api_key,
            options=options,
        )
    key = options.api_key or environ.get(provider.key_variable or "")
    if provider.key_variable and not key and options.base_url is None:
        raise ValueError(f"The model {spec} needs a key in {provider.key_variable}.")
    return UpstreamModel(
        spec,
        model=rest,
        base_url=_checked_url(options.base_url or provider.base_url),
        api_key=key,
        options=options,
    )


def _checked_url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"The base URL {url!r} does not start with http:// or https://.")
    parts = urlsplit(url)
    # The address is stored with a run, so it must hold no secret; not shown here for that reason.
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            "The base URL holds a user, a query or a fragment; the key is given apart from it."
        )
    if not parts.hostname:
        raise ValueError(f"The base URL {url!r} names no host.")
    return url
