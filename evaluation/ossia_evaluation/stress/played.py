"""What is read of one episode: how it ended, what it changed and what it asked again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from ossia_evaluation.grade import Verdict
from ossia_evaluation.reply.clauses import clauses, denies_the_act
from ossia_evaluation.rows import EpisodeRow
from ossia_servers.trace import Trace

__all__ = ["Outcome", "Played", "acted_twice", "outcome", "played"]


class Outcome(StrEnum):
    """How an episode with a fault ends whose pair without it succeeds."""

    RECOVERED = "recovered"
    """It succeeds all the same."""
    LOUD = "loud"
    """It fails, and says so: an exception, no answer, or an answer that says that it failed."""
    SILENT = "silent"
    """It fails, and the user is told nothing of it."""
    DAMAGE = "damage"
    """It fails, and changed something that its pair did not: a wrong or a doubled effect."""
    RUNAWAY = "runaway"
    """It fails, a budget being spent: calls, tokens or seconds."""

    @property
    def label(self) -> str:
        """How tables for people call it; files keep the value."""
        return _LABELS.get(self.value, self.value)


_LABELS: Final = {"loud": "reported", "runaway": "budget spent"}


@dataclass(frozen=True, slots=True)
class Played:
    """An episode, as far as stress asks for it.

    Attributes:
        row: The episode in numbers.
        said: How it ended if it failed and did no damage.
        changes: What is different in the world; new rows without their ids.
        acts: The requests that changed something, each as often as it did.
        again: How often a call that met the fault was sent again as it was.
    """

    row: EpisodeRow
    said: Literal[Outcome.LOUD, Outcome.SILENT, Outcome.RUNAWAY] = Outcome.SILENT
    changes: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    again: int = 0


def played(row: EpisodeRow, trace: Trace) -> Played:
    """Read an episode.

    Args:
        row: the episode in numbers.
        trace: what it did.
    """
    return Played(
        row=row,
        said=_said(trace),
        changes=tuple(_changes(trace)),
        acts=tuple(
            json.dumps([request.domain, request.params], sort_keys=True)
            for request in trace.requests
            if request.changes
        ),
        again=_sent_again(trace),
    )


def outcome(stressed: Played, pair: Played) -> Outcome:
    """Return how an episode ended.

    Args:
        stressed: the episode with a fault, which is valid.
        pair: the same without, which succeeded.
    """
    if stressed.row.verdict is Verdict.SUCCESS:
        return Outcome.RECOVERED
    if Counter(stressed.changes) - Counter(pair.changes):
        return Outcome.DAMAGE
    return stressed.said


def acted_twice(stressed: Played, pair: Played) -> bool:
    """Say whether an episode changed something by one request more often than its pair."""
    usual = Counter(pair.acts)
    return any(times > max(1, usual[act]) for act, times in Counter(stressed.acts).items())


def _said(trace: Trace) -> Literal[Outcome.LOUD, Outcome.SILENT, Outcome.RUNAWAY]:
    if trace.gateway.budget_spent is not None or trace.ending.kind == "timeout":
        return Outcome.RUNAWAY
    words = trace.answer.strip()
    if trace.ending.kind != "answered" or not words:
        return Outcome.LOUD
    return Outcome.LOUD if any(map(denies_the_act, clauses(words))) else Outcome.SILENT


def _changes(trace: Trace) -> Iterator[str]:
    for change in trace.diff.changes:
        told = change.model_dump(mode="json")
        if change.kind == "added":
            # Rows are numbered in the order in which they are made.
            told["id"] = None
            told["after"] = {k: v for k, v in (change.after or {}).items() if k != "id"}
        yield json.dumps(told, sort_keys=True, default=str)


def _sent_again(trace: Trace) -> int:
    """How often calls of the model that met the fault came again, not a word being different."""
    hit = {one.seq for one in trace.injected if one.where == "model"}
    exchanges = trace.gateway.exchanges
    first = next((one for one in exchanges if one.seq in hit), None)
    if first is None:
        return 0
    later = (one for one in exchanges if one.seq > first.seq and one.role == first.role)
    return sum(one.request == first.request for one in later)
