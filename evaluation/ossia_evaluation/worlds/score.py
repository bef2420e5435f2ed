"""The score of an episode by the state of its world and by what the user was told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic import model_validator

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.grade import FRAMEWORK, Fault, Grade, Verdict
from ossia_evaluation.reply.judgement import Truth
from ossia_evaluation.worlds.gold import GoldRun, GoldRunner
from ossia_evaluation.worlds.outcome import Outcome
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain

SCORER_VERSION = 6
"""Raised whenever a change may alter a verdict; stored with every score. Since version 3 the reply
is judged, rows are compared by what was asked, texts by what they say, and a look has to come
before what hangs on it. Since version 4 a claimed act is held against what was done, and no
longer against all that was seen. Since version 5 a request that the endpoint refuses for its
content is a failure, also where it refuses every one. Since version 6 a model's marked thoughts are
no part of a reply, and entities in it are read."""


_ONCE_OF_ALL: Final = frozenset({"slots", "clarification"})
"""Fields of the assistant's scores that every suite's scores once had."""


class Score(Grade):
    """The score of one episode whose outcome is the state of a world and what the user was told."""

    version: int = SCORER_VERSION
    acted: bool | None = None
    """Whether the state alone is right, whatever the user was told; None for an invalid episode and
    in scores of before version 3."""
    reply: Truth | None = None
    """What the reply is worth to the user; None likewise."""
    outcome: Outcome = Outcome()
    facts: float | None = None
    """Share of what a correct reply tells that the answer tells; never part of the verdict. None
    for an invalid episode and where there is nothing to tell."""

    @model_validator(mode="before")
    @classmethod
    def _from_one_type_for_all(cls, stored: Any) -> Any:
        """Leave out the empty fields of scores that were stored when all suites shared one type."""
        if not isinstance(stored, dict):
            return stored
        unused = [n for n in _ONCE_OF_ALL - cls.model_fields.keys() if not stored.get(n)]
        return {name: value for name, value in stored.items() if name not in unused}

    @property
    def side_effects(self) -> bool:
        """Whether the episode changed anything that the gold run does not change."""
        return bool(self.outcome.unexpected)

    def detail_lines(self, *, wanted: bool = False) -> Iterator[str]:
        """Yield what was missing, unexpected or unanswered.

        Args:
            wanted: also what was to be done.
        """
        if wanted:
            yield from (f"expected: {line}" for line in self.outcome.expected)
        yield from (f"missing: {line}" for line in self.outcome.missing)
        yield from (f"unexpected: {line}" for line in self.outcome.unexpected)
        yield from (f"unanswered: {line}" for line in self.outcome.unanswered)


class WorldScorer:
    """What scorers by a world's state share: the gold runs of tasks they have seen."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.runner = GoldRunner(domains)
        """What executes gold runs; to be shared, since it has built the start states."""
        self._golds: dict[str, tuple[WorldTask, GoldRun]] = {}

    def check(self, task: WorldTask) -> None:
        """Make sure that a task's gold run is possible.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        self.gold(task)

    def gold(self, task: WorldTask) -> GoldRun:
        """Return a task's gold run.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        known = self._golds.get(task.id)
        if known is None or known[0] != task:
            known = self._golds[task.id] = task, self.runner.gold(task)
        return known[1]

    def score(self, task: WorldTask, trace: Trace) -> Score:
        """Score one episode of a task.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        raise NotImplementedError

    def passes(self, task: WorldTask, run: GoldRun, answer: str) -> bool:
        """Say whether requests and an answer are a success.

        Args:
            task: the task.
            run: what some requests did.
            answer: what the user is told.
        """
        return self.score(task, run.trace(task, answer)).verdict is Verdict.SUCCESS


def reason_of(trace: Trace, wrong: str | None) -> str:
    """Return the sentence on a verdict.

    Args:
        trace: the episode.
        wrong: what is wrong with it; None for a success.
    """
    if wrong is None:
        return "the outcome is the gold outcome"
    refused = _refused(trace)
    return wrong if refused is None else f"{refused}; {wrong}"


def with_refusal(trace: Trace, faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """Return the faults of a failed episode with a request that was refused, if one ended it.

    The framework made the request, so it is named beside the roles that deviate on their own.

    Args:
        trace: the failed episode.
        faults: what the rules name.
    """
    refused = _refused(trace)
    if refused is None:
        return tuple(faults)
    others = (fault for fault in faults if fault.role != FRAMEWORK)
    return (*others, Fault(role=FRAMEWORK, reason=refused))


def _refused(trace: Trace) -> str | None:
    fatal = trace.gateway.fatal_refusal
    if fatal is None:
        return None
    words = (fatal.error or "no reason given").rstrip(".")
    return f"refused: the endpoint did not take a request of {fatal.role} ({words})"


def what_is_wrong(outcome: Outcome) -> str | None:
    """What is wrong with what an episode did, or None."""
    if outcome.missing:
        return f"missing: {outcome.missing[0]}"
    if outcome.unexpected:
        return f"side effect: {outcome.unexpected[0]}"
    if outcome.unanswered:
        return outcome.unanswered[0]
    return None
