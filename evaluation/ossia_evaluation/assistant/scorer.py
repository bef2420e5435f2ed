"""The score of an episode of the assistant: state, reply, slots, and the roles at fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.assistant.case import ROLES
from ossia_evaluation.assistant.identities import IDENTITIES
from ossia_evaluation.assistant.report import is_repeated, judge_reply
from ossia_evaluation.assistant.rules import FUNCTION_CALL, attribute_by_rules
from ossia_evaluation.assistant.slots import SlotScore, score_slots
from ossia_evaluation.chosen import passed_over
from ossia_evaluation.grade import Fault, Verdict
from ossia_evaluation.reply.judgement import Judgement
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.reply.told import share_told
from ossia_evaluation.reply.wording import wording
from ossia_evaluation.steps import Step, read_steps
from ossia_evaluation.worlds.evidence import Look
from ossia_evaluation.worlds.gold import GoldRun
from ossia_evaluation.worlds.outcome import (
    Outcome,
    compare_changes,
    gold_questions,
    same_change,
    unanswered,
)
from ossia_evaluation.worlds.score import Score, WorldScorer, reason_of, what_is_wrong, with_refusal
from ossia_servers.trace import Trace
from ossia_servers.wire.names import MANAGER
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Table


class AssistantScore(Score):
    """The score of one episode of the assistant."""

    clarification: bool = False
    """The run ended in a question of a server; an outcome of its own, not a success by itself."""
    slots: SlotScore | None = None
    """None for an invalid episode."""

    @property
    def failed_roles(self) -> frozenset[str]:
        """The roles whose steps are shown as failed; a wrong call is a step of the request role."""
        named = super().failed_roles
        return named | {"request"} if FUNCTION_CALL in named else named


class AssistantScorer(WorldScorer):
    """Scores episodes of the assistant."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        super().__init__(domains)
        self._others: dict[str, tuple[WorldTask, tuple[GoldRun, ...]]] = {}

    def score(self, task: WorldTask, trace: Trace) -> AssistantScore:
        """Score one episode of a task.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        failure = trace.infrastructure_failure
        if failure is not None:
            return AssistantScore(verdict=Verdict.INVALID, reason=failure)
        held = self._held(task, trace)
        verdict = Verdict.SUCCESS if held.reason is None else Verdict.FAILURE
        domains = self.runner.domains
        faults: tuple[Fault, ...] = ()
        if verdict is Verdict.FAILURE:
            steps = read_steps(trace)
            false_reply = None
            if held.reason is not None and not held.wrong and not is_repeated(trace):
                false_reply = Fault(role=self._teller(task, trace, steps), reason=held.reason)
            faults = attribute_by_rules(task, trace, steps, domains, false_reply=false_reply)
            faults = with_refusal(trace, faults)
        return AssistantScore(
            verdict=verdict,
            reason=reason_of(trace, held.reason),
            acted=held.wrong is None,
            reply=held.reply.truth,
            clarification=bool(trace.requests) and trace.requests[-1].code == "CLARIFICATION",
            outcome=held.outcome,
            slots=score_slots(task, trace.requests, trace.answer, domains),
            facts=share_told(task.gold.facts, wording(trace.answer), task.now),
            faults=faults,
        )

    def _teller(self, task: WorldTask, trace: Trace, steps: Sequence[Step]) -> str:
        """Who told the user what is not so: a manager that had heard better, else response."""
        words = passed_over(steps, "response", trace.answer, ROLES)
        better = words and self._held(task, trace.model_copy(update={"answer": words}))
        return MANAGER if better and better.reason is None else "response"

    def _held(self, task: WorldTask, trace: Trace) -> _Held:
        """The episode against the gold run, or against the first alternative that it meets."""
        golds = (self.gold(task), *self._alternatives(task))
        held = [self._against(gold, task, trace) for gold in golds]
        return next((one for one in held if one.reason is None), held[0])

    def _alternatives(self, task: WorldTask) -> tuple[GoldRun, ...]:
        if not task.gold.alternatives:
            return ()
        known = self._others.get(task.id)
        if known is None or known[0] != task:
            known = self._others[task.id] = task, self.runner.alternatives(task)
        return known[1]

    def _against(self, gold: GoldRun, task: WorldTask, trace: Trace) -> _Held:
        tables = self.runner.tables
        outcome = compare_changes(gold.diff, trace.diff, tables)
        if not outcome.correct:
            # Names may hold more of what was said; that only ever lets more changes pass.
            outcome = compare_changes(gold.diff, trace.diff, tables, _context(task, gold))
        look = Look(task.now, task.home)
        open_questions = unanswered(gold, trace.requests, self.runner.domains, IDENTITIES, look)
        late = () if open_questions else tuple(self._looked_late(gold, task, trace))
        outcome = outcome.model_copy(update={"unanswered": (*open_questions, *late)})
        names = frozenset[str]() if is_repeated(trace) else self._names(task, gold)
        return _Held(outcome, what_is_wrong(outcome), judge_reply(task, trace, gold, names))

    def _names(self, task: WorldTask, gold: GoldRun) -> frozenset[str]:
        """The names of things in the domains of a task, as far as a reply could give a wrong one.

        In the answer to a question a name counts from two words on: one may be any word.
        """
        if task.gold.kind is not GoldKind.ANSWER:
            return self.runner.names(task, {r.domain for r in gold.requests if r.changes})
        names = self.runner.names(task, {r.domain for r in gold.requests})
        return frozenset(name for name in names if " " in name)

    def _looked_late(self, gold: GoldRun, task: WorldTask, trace: Trace) -> Iterator[str]:
        """What was done under a condition before it was looked at, as sentences."""
        parts = [part for part in task.gold.parts if part.due and not part.is_chat]
        if len(parts) != len(gold.requests):
            return
        if not any(part.condition for part in parts):
            return
        look, context = Look(task.now, task.home), _context(task, gold)
        for part, request in zip(parts, gold.requests, strict=True):
            if part.condition is None or not request.changes:
                continue
            made = _first_making(request, trace.requests, self.runner.tables, context)
            before = GoldRun(gold.requests[: gold.requests.index(request)], gold.diff)
            for question in unanswered(
                before, trace.requests[:made], self.runner.domains, IDENTITIES, look
            ):
                yield f"done before the condition {part.condition!r} was looked at: {question}"


@dataclass(frozen=True)
class _Held:
    """An episode held against one gold run."""

    outcome: Outcome
    wrong: str | None
    """What is wrong with what was done; None where nothing is."""
    reply: Judgement

    @property
    def reason(self) -> str | None:
        """Why it is no success; None where it is one."""
        if self.wrong is not None:
            return self.wrong
        return None if self.reply.accepted else self.reply.reason


def _context(task: WorldTask, gold: GoldRun) -> frozenset[str]:
    """Stems of what the user said and was shown, of which names may hold more than the gold."""
    shown = (question.response for question in gold_questions(gold))
    return frozenset[str]().union(*(stems(text) for text in (task.utterance, *shown)))


def _first_making(
    gold: ServerRequest,
    requests: Sequence[ServerRequest],
    tables: Mapping[str, Table],
    context: frozenset[str],
) -> int:
    """The position of the first request that makes a change of a gold request."""
    for index, request in enumerate(requests):
        if any(
            same_change(wanted, got, tables, context)
            for wanted in gold.changes
            for got in request.changes
        ):
            return index
    return len(requests)
