"""From a model's name on the command line to the model."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TypeAlias
from urllib.parse import urlsplit

from ossia_servers.gateway.cache import CachedModel
from ossia_servers.gateway.models import DelayedModel, Model, RoleModels
from ossia_servers.gateway.parameters import Parameter, parameters_of
from ossia_servers.gateway.service import ROLES
from ossia_servers.gateway.specification import ModelSpec, Specification, read_specification
from ossia_servers.gateway.upstream import UpstreamModel, UpstreamOptions

Offline: TypeAlias = Callable[[ModelSpec], Model]
"""Makes the offline model as a specification asks for it.

It may raise `ValueError` for a file that is wrong, and `OSError` for one that cannot be read.
"""


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
    spec: str | Specification,
    options: UpstreamOptions | Mapping[str, UpstreamOptions] | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    parameters: Collection[Parameter] = (),
    offline: Offline | None = None,
) -> Model:
    """Make the model that a specification names.

    Args:
        spec: As in `ossia_servers.gateway.specification`: `offline`, `offline:noise=0.1,seed=3`,
            `scripted:FILE`, `replay:FILE`, or `PROVIDER/MODEL` with a provider of `PROVIDERS`; or
            one for each role. With a base URL in the options, any other name is the endpoint's own.
        options: How an upstream model is reached, or each by its name; not used by the others.
        environ: Where the providers' keys are looked up.
        parameters: What is set or dropped in the requests to upstream models.
        offline: Makes the offline model; None where there is none.

    Returns:
        The model; nothing has been sent anywhere yet.

    Raises:
        ValueError: If the specification names no model, or one that is not there, its file is
            missing or wrong, or a key is missing.
    """
    if isinstance(spec, str):
        spec = read_specification(spec, ROLES)
    # One model may answer for several roles, and is loaded once.
    models = {}
    for each in spec.specs:
        set_ = parameters_of(parameters, str(spec), each.target)
        own = options.get(each.target) if isinstance(options, Mapping) else options
        own = replace(own or UpstreamOptions(), parameters=set_)
        models[each] = _open(each, own, environ, offline)
    if not spec.by_role:
        return models[spec.default]
    return RoleModels(
        models[spec.default], {role: models[each] for role, each in spec.by_role.items()}
    )


def _open(
    spec: ModelSpec,
    options: UpstreamOptions,
    environ: Mapping[str, str],
    offline: Offline | None,
) -> Model:
    if spec.kind == "upstream":
        model = _open_upstream(spec.target, options, environ)
        cache = options.cache
        return model if cache is None else CachedModel(model, cache, options.parameters)
    if spec.kind == "local":
        raise ValueError(
            f"The model {spec} cannot be asked: Ossia no longer serves tuned models itself. Serve"
            " it with vLLM or a similar server, and give its address with --base-url MODEL=URL."
        )
    if spec.kind == "offline" and offline is None:
        raise ValueError(f"The model {spec} is not available: no offline model was given.")
    if spec.path is not None and spec.path.exists() and not spec.path.is_file():
        # A device may have no end.
        raise ValueError(f"The file of model {spec} cannot be read: it is not a file.")
    try:
        model = _open_file(spec) if offline is None or spec.kind != "offline" else offline(spec)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ValueError(f"The file of model {spec} cannot be read: {reason}.") from error
    return DelayedModel(model, spec.delay) if spec.delay else model


def _open_file(spec: ModelSpec) -> Model:
    from ossia_servers.gateway.scripted import ScriptedModel
    from ossia_servers.gateway.tape import ReplayModel, Tape

    path = spec.path
    assert path is not None, "a model that reads a file names one"
    if spec.kind == "replay":
        return ReplayModel(Tape.read(path))
    return ScriptedModel.from_file(path)


def upstream_name(target: str) -> str:
    """Return an upstream model's name in records and prices.

    Args:
        target: As a specification names it. What is no known provider's gets `custom/` before it,
            so that no provider's price is taken for an endpoint of one's own.
    """
    prefix, _, rest = target.partition("/")
    return target if rest and prefix in PROVIDERS else f"custom/{target}"


def _open_upstream(spec: str, options: UpstreamOptions, environ: Mapping[str, str]) -> Model:
    prefix, slash, rest = spec.partition("/")
    provider = PROVIDERS.get(prefix) if slash and rest else None
    if provider is None:
        if options.base_url is None or not spec.strip():
            raise ValueError(_unknown(spec))
        return UpstreamModel(
            upstream_name(spec),
            model=spec,
            base_url=_checked_url(options.base_url),
            api_key=options.api_key,
            options=options,
        )
    key = options.api_key or environ.get(provider.key_variable or "")
    _require_own(spec, provider, options, bool(key))
    if provider.key_variable and not key and options.base_url is None:
        raise ValueError(f"The model {spec} needs a key in {provider.key_variable}.")
    return UpstreamModel(
        spec,
        model=rest,
        base_url=_checked_url(options.base_url or provider.base_url),
        api_key=key,
        options=options,
    )


def _unknown(spec: str) -> str:
    """What is said of a model that has neither a known provider nor an address."""
    prefix, _, rest = spec.partition("/")
    other = "any other name needs a base URL (--base-url)."
    near = get_close_matches(prefix.lower(), PROVIDERS, n=1) if rest else []
    if near:
        return f"There is no model {spec!r}: did you mean {near[0]}/{rest}? Otherwise, {other}"
    return (
        f"There is no model {spec!r}: give offline, scripted:FILE, replay:FILE or PROVIDER/MODEL"
        f" with one of the providers {', '.join(sorted(PROVIDERS))}; {other}"
    )


def _require_own(spec: str, provider: Provider, options: UpstreamOptions, has_key: bool) -> None:
    """Refuse to send a key to anybody but the provider that it belongs to, unless it is named.

    Raises:
        ValueError: If a key would go to another host, or another provider.
    """
    named, url = options.key_variable, options.base_url
    if url is None:
        owners = [name for name, one in PROVIDERS.items() if one.key_variable == named]
        if named is not None and owners and PROVIDERS[owners[0]] != provider:
            raise ValueError(
                f"The key in {named} is {owners[0]}'s, and is not sent to the provider of {spec}."
            )
        return
    if has_key and options.api_key is None and not _is_own(url, provider.base_url):
        raise ValueError(
            f"The key in {provider.key_variable} belongs to {urlsplit(provider.base_url).hostname},"
            f" and is not sent to {urlsplit(url).hostname}: name it with --api-key-env"
            f" {provider.key_variable} to send it there, or unset it."
        )


def _is_own(url: str, own: str) -> bool:
    """Whether an address is a provider's: its host, or one below it, and encrypted."""
    given, known = urlsplit(url), urlsplit(own)
    host, owner = given.hostname or "", known.hostname or ""
    return given.scheme == known.scheme and (host == owner or host.endswith(f".{owner}"))


def _checked_url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"The base URL {url!r} does not start with http:// or https://.")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"The base URL cannot be read: {error}.") from None
    # The address is stored with a run, so it must hold no secret; not shown here for that reason.
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            "The base URL holds a user, a query or a fragment; give the key separately."
        )
    if not parts.hostname:
        raise ValueError(f"The base URL {url!r} names no host.")
    return url
