"""The score of an episode: verdict, outcome, slot-level score and rule-based attribution."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from ossia_dataset.tasks import GoldKind, Task
from ossia_evaluation.facts import share_told
from ossia_evaluation.gold import GoldRun, GoldRunner
from ossia_evaluation.match import plain
from ossia_evaluation.outcome import Outcome, astray, compare_changes, unanswered
from ossia_evaluation.rules import Fault, attribute_by_rules
from ossia_evaluation.slots import SlotScore, score_slots
from ossia_evaluation.steps import read_steps
from ossia_servers.domain import Domain
from ossia_servers.trace import Trace

SCORER_VERSION = 2
"""Raised whenever a change may alter a verdict; stored with every score. Since version 2 an answer
rests on the last request, the facts that a reply tells are scored, an answer that tells a rival of
a fact fails, and a framework that ends its own process has failed."""

TOLD_NOTHING = "the user was told nothing"
"""Why an episode fails whose outcome is right, but whose answer is empty."""


class Verdict(StrEnum):
    """What an episode shows."""

    SUCCESS = "success"
    FAILURE = "failure"
    INVALID = "invalid"
    """Infrastructure failed: neither success nor failure, always shown, in no denominator."""


class Score(BaseModel):
    """The score of one episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = SCORER_VERSION
    verdict: Verdict
    reason: str
    """Why, in one sentence."""
    clarification: bool = False
    """The run ended in a question of a server; an outcome of its own, not a success by itself."""
    outcome: Outcome = Outcome()
    slots: SlotScore | None = None
    """None for an invalid episode."""
    facts: float | None = None
    """Share of what a correct reply tells that the answer tells; never part of the verdict. None
    for an invalid episode and where there is nothing to tell."""
    faults: tuple[Fault, ...] = ()
    """For a failure: the roles that the rules name."""

    @property
    def side_effects(self) -> bool:
        """Whether the episode changed anything that the gold run does not change."""
        return bool(self.outcome.unexpected)


class Scorer:
    """Scores episodes; keeps the gold outcomes of tasks it has seen."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.runner = GoldRunner(domains)
        """What executes gold runs; to be shared, since it has built the start states."""
        self._golds: dict[str, tuple[Task, GoldRun]] = {}

    def gold(self, task: Task) -> GoldRun:
        """Return a task's gold run.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        known = self._golds.get(task.id)
        if known is None or known[0] != task:
            known = self._golds[task.id] = task, self.runner.gold(task)
        return known[1]

    def score(self, task: Task, trace: Trace) -> Score:
        """Score one episode of a task.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        failure = trace.infrastructure_failure
        if failure is not None:
            return Score(verdict=Verdict.INVALID, reason=failure)
        outcome = self._outcome(task, trace)
        reason = _shortfall(task, trace, outcome, self.gold(task))
        verdict = Verdict.SUCCESS if reason is None else Verdict.FAILURE
        domains = self.runner.domains
        faults: tuple[Fault, ...] = ()
        if verdict is Verdict.FAILURE:
            faults = attribute_by_rules(
                task,
                trace,
                read_steps(trace),
                domains,
                outcome_correct=reason == TOLD_NOTHING,
            )
        return Score(
            verdict=verdict,
            reason=reason or "the outcome is the gold outcome",
            clarification=bool(trace.requests) and trace.requests[-1].code == "CLARIFICATION",
            outcome=outcome,
            slots=score_slots(task, trace.requests, trace.answer, domains),
            facts=share_told(task.gold.facts, trace.answer, task.now),
            faults=faults,
        )

    def _outcome(self, task: Task, trace: Trace) -> Outcome:
        gold, domains = self.gold(task), self.runner.domains
        changes = compare_changes(gold.diff, trace.diff, self.runner.tables)
        questions = unanswered(
            gold,
            trace.requests,
            domains,
            # What a question of a compound task is asked for, a wider answer tells as well.
            wider=bool(task.gold.parts) and task.gold.kind is not GoldKind.ANSWER,
        )
        if task.gold.kind is GoldKind.ANSWER and not questions:
            other = astray(gold, trace.requests, domains)
            questions = () if other is None else (other,)
        return changes.model_copy(update={"unanswered": questions})


def _shortfall(task: Task, trace: Trace, outcome: Outcome, gold: GoldRun) -> str | None:
    """Why the episode is a failure, or None."""
    if outcome.missing:
        return f"missing: {outcome.missing[0]}"
    if outcome.unexpected:
        return f"side effect: {outcome.unexpected[0]}"
    if outcome.unanswered:
        return outcome.unanswered[0]
    if task.gold.kind is GoldKind.CLARIFICATION and not _asked_back(gold, trace):
        return "the question that the server asks back was not reached"
    if task.gold.kind is GoldKind.CHAT and any(r.status == 200 for r in trace.requests):
        return "a domain server was asked although the user was only chatting"
    if not trace.answer.strip():
        return TOLD_NOTHING
    return None


def _asked_back(gold: GoldRun, trace: Trace) -> bool:
    """Whether the episode ends in the question that the gold run ends in."""
    if not trace.requests or trace.requests[-1].code != "CLARIFICATION":
        return False
    last = trace.requests[-1]
    return any(
        (last.domain, last.intent) == (question.domain, question.intent)
        and plain(last.response) == plain(question.response)
        for question in gold.requests
        if question.code == "CLARIFICATION"
    )
