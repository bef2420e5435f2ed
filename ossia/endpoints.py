"""Where upstream models are and which keys they get, as told by `--base-url` and `--api-key-env`.

Both are repeatable: a plain value is for every upstream model, one after `MODEL=` for that model.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from ossia.errors import UserError
from ossia_servers.gateway import Specification, UpstreamOptions

ALL = ""
"""Stands for every upstream model that is not named."""

_URL = re.compile(r"(?:(?P<model>(?!https?://).+?)=)?(?P<value>https?://.*)", re.DOTALL)
_VARIABLE = re.compile(r"(?:(?P<model>.+)=)?(?P<value>[^=]+)", re.DOTALL)


def upstream_targets(models: Collection[Specification]) -> tuple[str, ...]:
    """Return the upstream models in specifications, each once."""
    named = (spec.target for model in models for spec in model.specs if spec.kind == "upstream")
    return tuple(dict.fromkeys(named))


def read_base_urls(texts: Sequence[str], models: Collection[Specification]) -> dict[str, str]:
    """Return the address of each upstream model that is named, that of all others at `ALL`.

    Args:
        texts: `URL` or `MODEL=URL`, as the user wrote them.
        models: the models of the run.

    Raises:
        UserError: a text names no upstream model of the run, or names one twice.
    """
    return _read("--base-url", _URL, texts, upstream_targets(models))


def options_by_model(
    base_urls: Mapping[str, str],
    variables: Sequence[str],
    models: Collection[Specification],
    shared: UpstreamOptions,
) -> dict[str, UpstreamOptions]:
    """Return how each upstream model is reached, and with whose key.

    Args:
        base_urls: as `read_base_urls` returns them.
        variables: `VARIABLE` or `MODEL=VARIABLE`: where keys are, as the user wrote them.
        models: the models of the run.
        shared: what is the same for all.

    Raises:
        UserError: a variable holds no key, is for no upstream model of the run, or its key would
            go to several endpoints without being named for each.
        ValueError: an address cannot be read.
    """
    targets = upstream_targets(models)
    named = _read("--api-key-env", _VARIABLE, variables, targets)
    keys = {variable: _key(variable) for variable in named.values()}
    urls = {target: base_urls.get(target, base_urls.get(ALL)) for target in targets}
    if ALL in named:
        _require_one_endpoint(
            named[ALL], {target: url for target, url in urls.items() if target not in named}
        )
    chosen = {target: named.get(target, named.get(ALL)) for target in targets}
    return {
        target: replace(
            shared,
            base_url=urls[target],
            key_variable=variable,
            api_key=None if variable is None else keys[variable],
        )
        for target, variable in chosen.items()
    }


def _read(
    option: str, form: re.Pattern[str], texts: Sequence[str], targets: Collection[str]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        read = form.fullmatch(text)
        # What has no such form is told as a wrong value by those who use it.
        model, value = (read["model"] or ALL, read["value"]) if read else (ALL, text)
        # Not the text: an address may hold a secret that does not belong there.
        if model and model not in targets:
            known = ", ".join(targets) or "there is none"
            raise UserError(f"{option} names no upstream model with {model!r}; they are: {known}")
        if model in found:
            raise UserError(f"{option} is given twice for {model or 'all upstream models'}")
        found[model] = value
    return found


def _key(variable: str) -> str:
    key = os.environ.get(variable)
    if not key:
        raise UserError(f"the environment variable {variable} is empty or not set")
    return key


def _require_one_endpoint(variable: str, urls: Mapping[str, str | None]) -> None:
    """Refuse to send a key to several hosts, where at most one can be its own."""
    places = {
        target.partition("/")[0] if url is None else urlsplit(url).netloc.rpartition("@")[2]
        for target, url in urls.items()
    }
    if len(places) > 1:
        raise UserError(
            f"the key in {variable} would go to several endpoints ({', '.join(sorted(places))});"
            f" name the model that it is for, --api-key-env MODEL={variable}: each other model"
            " then uses the key in its own provider's variable"
        )
