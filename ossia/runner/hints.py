"""Why a run was in vain, in the endpoint's words, and what may mend it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from ossia.errors import AllInvalid
from ossia.runner.config import RunConfig
from ossia.runner.store import RunStore

_MOST: Final = 400
"""An endpoint's words may be a whole page."""

_STATUS: Final = re.compile(r"\bHTTP (?:200 with error )?([0-9]{3})\b")

_LATE: Final = re.compile(r"\bno answer within [0-9.]+ s\b")


def told_why(said: str, config: RunConfig, sent: Collection[str] = ()) -> str:
    """Return why something was in vain, on one line, cut, with a hint where there is one.

    Args:
        said: the reason, which may quote the endpoint.
        config: the run.
        sent: the parameters that frameworks set in its requests.
    """
    flat = " ".join(said.split()).rstrip(".")
    short = flat if len(flat) <= _MOST else f"{flat[:_MOST]} ..."
    hint = _hint(flat, config, {*sent, *(each.name for each in config.parameters)})
    return f"{short} ({hint})" if hint else short


def is_waiting(said: str) -> bool:
    """Whether a reason says that all waiting was in vain: HTTP 429, or no answer in time."""
    found = _STATUS.search(said)
    return _LATE.search(said) is not None or (found is not None and found[1] == "429")


def require_valid(store: RunStore) -> None:
    """Refuse a run that tells nothing, with the reason of its last episode.

    Raises:
        AllInvalid: no episode of it is valid.
    """
    if not store.finished():
        raise AllInvalid(
            f"all episodes of the run are invalid; last reason: {_last_reason(store)}; fix the"
            " cause, then run the same command again"
        )


def _last_reason(store: RunStore) -> str:
    """Why the last episode of a run is invalid."""
    scores = (store.readable_score(episode) for episode in reversed(store.episodes()))
    reason = next((score.reason for score in scores if score is not None), "it cannot be read")
    return told_why(reason, store.config())


def _hint(said: str, config: RunConfig, sent: Collection[str]) -> str | None:
    found = _STATUS.search(said)
    status = found[1] if found else None
    urls = [url for url in (config.base_url, *dict(config.base_urls).values()) if url is not None]
    if status == "404" and any(not url.rstrip("/").endswith("/v1") for url in urls):
        return "--base-url should usually end in /v1"
    if status in ("400", "422"):
        named = [name for name in sorted(sent) if re.search(rf"\b{re.escape(name)}\b", said)]
        name = named[0] if named else "NAME"
        what = "it" if named else "a parameter that it does not take"
        return f"--model-param {name}= drops {what}"
    if _LATE.search(said):
        return "--call-seconds sets how long an attempt may take"
    if status == "429":
        return "--rpm and --tpm keep a run below an endpoint's limits"
    return None
