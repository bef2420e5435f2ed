"""The fault plans that come with Ossia."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ossia_servers.stress.kinds import KINDS

_QUICK: Final = (
    "refused",
    "server-error",
    "reset-midway",
    "empty",
    "truncated",
    "fenced",
    "unknown-tool",
    "broken-arguments",
    "wrong-role",
    "service-error",
    "wrong-value",
    "lost-answer",
    "hidden-instruction",
)

_DOSES: Final = (":burst", ":sometimes=0.3", ":always")
_PLACES: Final = ("@manager@first", "@member@first", "@first", "@middle", "@last")


def _full() -> Iterator[str]:
    yield from KINDS
    for kind in ("server-error", "empty", "truncated", "service-error", "wrong-value"):
        yield from (f"{kind}{dose}" for dose in _DOSES)
    for kind in ("server-error", "empty", "truncated"):
        yield from (f"{kind}{place}" for place in _PLACES)


_STRATEGIES: Final = {
    "single": "@first",
    "persistent": ":always",
    "intermittent": ":sometimes=0.3",
    "burst": ":burst@first",
}
_TYPES: Final = {
    "llm_error": "error-text",
    "llm_timeout": "timeout-text",
    "llm_empty": "empty",
    "llm_truncate": "cut",
    "llm_corrupt": "wrong-encoding",
    "llm_schema": "other-json",
    "tool_error": "no-arguments",
    "tool_timeout": "dropped-call",
    "tool_empty": "stripped-calls",
    "tool_truncate": "broken-arguments",
    "tool_corrupt": "garbled-arguments",
    "tool_schema": "other-arguments",
}
_COMPOUND: Final = {
    "api_degradation": "slow-unavailable",
    "content_filter": "filtered",
    "max_tokens": "truncated",
    "proxy_html": "html-text",
    # It can strike from the second call on, as the published one does.
    "stale_cache": "stale",
    "stale_data": "wrong-argument",
    "wrong_entity": "ambiguous-argument",
    "slow_response": "slow",
}
_POSITIONS: Final = {"early": "@first", "mid": "@second", "late": "@third"}
_POSITIONED: Final = ("llm_error", "llm_timeout", "llm_schema")

AGENTCHAOS: Final[Mapping[str, str]] = {
    **{
        f"{kind}_{strategy}": f"{ours}{dose}"
        for kind, ours in _TYPES.items()
        for strategy, dose in _STRATEGIES.items()
    },
    **{f"compound_{name}": f"{ours}@first" for name, ours in _COMPOUND.items()},
    **{
        f"{kind}_pos_{position}": f"{_TYPES[kind]}{place}"
        for kind in _POSITIONED
        for position, place in _POSITIONS.items()
    },
}
"""Each configuration that AgentChaos published, and the fault that it is here."""

PLANS: Final[Mapping[str, tuple[str, ...]]] = {
    "quick": _QUICK,
    "full": tuple(_full()),
    "agentchaos": tuple(dict.fromkeys(AGENTCHAOS.values())),
}
"""The faults of each plan, by its name."""
