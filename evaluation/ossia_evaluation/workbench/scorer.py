"""The score of an episode in the office, in the same form as any other episode's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.chosen import passed_over
from ossia_evaluation.grade import Fault, Verdict
from ossia_evaluation.reply.judgement import MAX_REPLY, TOLD_NOTHING, Judgement, Truth
from ossia_evaluation.reply.wording import is_too_long
from ossia_evaluation.steps import read_steps
from ossia_evaluation.workbench.actions import write_action, writing_tools
from ossia_evaluation.workbench.answers import Telling, judge_answer
from ossia_evaluation.workbench.categories import categorise, exact_match
from ossia_evaluation.workbench.endings import cut_short
from ossia_evaluation.workbench.faults import faults_of
from ossia_evaluation.workbench.report import judge_reply
from ossia_evaluation.workbench.state import same_state
from ossia_evaluation.workbench.summary import TaskVerdict
from ossia_evaluation.worlds.evidence import is_empty, rows_of
from ossia_evaluation.worlds.gold import GoldRun, GoldRunner
from ossia_evaluation.worlds.outcome import Outcome, compare_changes
from ossia_evaluation.worlds.score import Score, WorldScorer, reason_of, what_is_wrong, with_refusal
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.records import ServerRequest
from ossia_workflows.workbench import RESPONSE


class OfficeRunner(GoldRunner):
    """Executes gold runs in the office."""

    def gold(self, task: WorldTask) -> GoldRun:
        """Run a task's gold requests.

        A published truth may name a call that is refused; it then does nothing, as published.

        Raises:
            GoldError: the setup is refused, or a gold request of a task of our own is.
        """
        if task.source is None:
            return super().gold(task)
        return self.run(task, task.gold.gold_requests())


class OfficeScorer(WorldScorer):
    """Scores episodes by state; for questions by the facts of the answer as well."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        super().__init__(domains)
        self.runner: GoldRunner = OfficeRunner(domains)
        self._looked: dict[str, tuple[WorldTask, tuple[ServerRequest, ...]]] = {}

    def score(self, task: WorldTask, trace: Trace) -> Score:
        """Score one episode of a task.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        failure = trace.infrastructure_failure
        if failure is not None:
            return Score(verdict=Verdict.INVALID, reason=failure)
        outcome = self._compared(task, trace)
        told = judge_answer(task, trace.answer)
        reply = _judged_reply(task, trace, told)
        wrong = what_is_wrong(outcome)
        reason = wrong or (None if reply.accepted else reply.reason)
        verdict = Verdict.SUCCESS if reason is None else Verdict.FAILURE
        faults: tuple[Fault, ...] = ()
        if reason is not None:
            kits = tuple(self.runner.domains)
            retold = wrong is None and self._retold(task, trace)
            named = faults_of(trace, outcome, told, reply, kits, retold=retold)
            faults = with_refusal(trace, tuple(named))
        facts = len(task.gold.facts) if task.gold.kind is GoldKind.ANSWER else 0
        return Score(
            verdict=verdict,
            reason=reason_of(trace, reason),
            acted=wrong is None,
            reply=reply.truth,
            outcome=outcome,
            facts=1 - len(told.open) / facts if facts else None,
            faults=faults,
        )

    def _retold(self, task: WorldTask, trace: Trace) -> bool:
        """Whether response had said what would do, and the manager told the user its own words."""
        steps, members = read_steps(trace), (*self.runner.domains, RESPONSE)
        words = passed_over(steps, RESPONSE, trace.answer, members)
        heard = trace.model_copy(update={"answer": words})
        return bool(words) and _judged_reply(task, heard, judge_answer(task, words)).accepted

    def _compared(self, task: WorldTask, trace: Trace) -> Outcome:
        gold = self.gold(task)
        outcome = compare_changes(gold.diff, trace.diff, self.runner.tables)
        outcome = outcome.model_copy(update={"unanswered": tuple(self._unseen(task, trace))})
        if same_state(gold.diff, trace.diff, self.runner.tables):
            # What differs is the order of rows, a new id or the case of a letter.
            return Outcome(expected=outcome.expected, unanswered=outcome.unanswered)
        if not outcome.missing and not outcome.unexpected:
            return outcome.model_copy(update={"unexpected": ("an id was overwritten",)})
        return outcome

    def _unseen(self, task: WorldTask, trace: Trace) -> Iterator[str]:
        """What was acted on without having looked, as sentences; doing nothing needs no look."""
        if task.gold.kind is GoldKind.ANSWER and task.source is None:
            asked = {request.domain for request in trace.requests if request.code == "SUCCESS"}
            missing = {request.domain for request in task.gold.gold_requests()} - asked
            yield from (f"{domain} was not asked" for domain in sorted(missing))
        first = next((i for i, made in enumerate(trace.requests) if made.changes), None)
        if not task.gold.looks or not task.gold.gold_requests() or first is None:
            return
        seen = [
            row
            for request in trace.requests[:first]
            if request.code == "SUCCESS"
            for row in rows_of(request.result)
        ]
        for look in self._looks(task):
            wanted = rows_of(look.result)
            if is_empty(look.result):
                if not any(r.domain == look.domain for r in trace.requests[:first]):
                    yield f"{look.domain} was not looked at before anything was done"
            elif not any(row.items() <= other.items() for row in wanted for other in seen):
                yield f"nothing that {look.domain}.{look.intent} shows was seen before acting"

    def _looks(self, task: WorldTask) -> tuple[ServerRequest, ...]:
        known = self._looked.get(task.id)
        if known is None or known[0] != task:
            known = self._looked[task.id] = task, self.runner.run(task, task.gold.looks).requests
        return known[1]


def task_verdict(task: WorldTask, trace: Trace, score: Score, turns: int) -> TaskVerdict | None:
    """Return an episode's verdict in the publication's terms; None where it is invalid.

    It is correct where the state is the gold state, whether or not the user was told something; a
    question needs its facts as well, and nothing is correct that was cut short. A side effect is
    any change of an episode whose state is not the gold state: work done by half counts, too.

    Args:
        task: the task.
        trace: its episode.
        score: Ossia's own score of it.
        turns: the most turns of roles that it was given.
    """
    if score.verdict is Verdict.INVALID:
        return None
    calls = [_call(request) for request in trace.requests]
    truth = [_call(request) for request in task.gold.gold_requests()]
    succeeded = score.verdict is Verdict.SUCCESS
    ended = None if succeeded else cut_short(trace, turns)
    told = not judge_answer(task, trace.answer).open
    state = not (score.outcome.missing or score.outcome.unexpected)
    correct = succeeded or (state and told and ended is None)
    return TaskVerdict(
        task=task.id,
        domain=task.gold.domain,
        template=task.gold.intent,
        query=task.utterance,
        truth_actions=sum(_writes(request) for request in task.gold.gold_requests()),
        correct=correct,
        succeeded=succeeded,
        side_effects=bool(trace.diff) and not state,
        category=None if correct else ended or categorise(calls, truth, ""),
        exact=exact_match(calls, truth),
    )


def _writes(request: Request) -> bool:
    return f"{request.domain}.{request.params.get('intent', '')}" in writing_tools()


def _call(request: ServerRequest | Request) -> str:
    arguments = {name: value for name, value in request.params.items() if name != "intent"}
    return write_action(f"{request.domain}.{request.params.get('intent', '')}", arguments)


def _judged_reply(task: WorldTask, trace: Trace, told: Telling) -> Judgement:
    """What the reply is worth: a question's facts decide, for other tasks what is claimed."""
    if not trace.answer.strip():
        return Judgement(Truth.UNTOLD, TOLD_NOTHING)
    if is_too_long(trace.answer):
        return Judgement(Truth.UNTOLD, f"the reply is longer than {MAX_REPLY:,} characters")
    if task.gold.kind is GoldKind.ANSWER:
        if told.fault is None:
            return Judgement(Truth.TRUE)
        return Judgement(Truth.UNTOLD if told.untold else Truth.FALSE, told.fault)
    return judge_reply(task, trace)
