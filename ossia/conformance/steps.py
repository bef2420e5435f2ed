"""A scene told step by step: what was asked, what was answered, what the servers did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ossia.conformance.findings import ending, last_words, quoted, words_of
from ossia.conformance.stage import Played
from ossia_servers.gateway import Exchange

__all__ = ["told"]

_MOST_EPISODES = 2
_MOST_STEPS = 40
_QUOTED = 400


def told(episodes: Sequence[Played]) -> tuple[str, ...]:
    """Return the steps of the first of some episodes, a line each.

    Args:
        episodes: What was looked at.
    """
    return tuple(line for played in episodes[:_MOST_EPISODES] for line in _told(played))


def _told(played: Played) -> Iterator[str]:
    yield f"the user says {quoted(played.part.utterance, _QUOTED)}"
    exchanges = played.gateway.exchanges
    for exchange in exchanges[:_MOST_STEPS]:
        yield f"{exchange.seq + 1}. {_step(exchange)}"
    if len(exchanges) > _MOST_STEPS:
        yield f"... and {len(exchanges) - _MOST_STEPS} calls more"
    for asked in played.asked:
        yield f"server: {asked.method} {asked.target} gave {quoted(asked.answer)}"
    yield f"answer {quoted(played.answer, _QUOTED)}; {ending(played)}"
    if played.result is not None and played.result.error is not None:
        yield f"trace: {quoted(played.result.error.traceback, _QUOTED)}"


def _step(exchange: Exchange) -> str:
    asked = quoted(last_words(exchange.request), _QUOTED)
    if exchange.response is None:
        return f"{exchange.role} was asked {asked}; {exchange.status}: {exchange.error}"
    came = quoted(words_of(exchange.response), _QUOTED)
    return f"{exchange.role} was asked {asked} and answered {came}"
