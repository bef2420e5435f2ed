"""What the roles of a planning team owe, each of what it was given.

The planner and the decomposer owe the gold nodes of the task, the planner the gold edges as well.
The linker owes the edges of the nodes that it was given, and those nodes as they are. The critic
owes the plan that it was given, with nothing broken: a fault is of the role where it entered, and
that the critic could have mended it is told apart. The manager owes each role its turn, in their
order; where its own words are all that the next role or the user gets, it passes on what was
written, and elsewhere that is the framework's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.attribution import Finding, RecordedStep, Recording, Turns
from ossia_evaluation.attribution.cuts import read_cuts
from ossia_evaluation.attribution.findings import last_text, spoken
from ossia_evaluation.attribution.received import ASSIGN, PLAN, ROUTE, Received
from ossia_evaluation.attribution.recording import recorded_step
from ossia_evaluation.words import every, shortened
from ossia_evaluation.worfbench.attribution.carried import CarriedGold
from ossia_evaluation.worfbench.attribution.drafts import (
    Draft,
    GoldPlan,
    Kind,
    changed,
    edit_between,
)
from ossia_evaluation.worfbench.attribution.faults import Fault, causes_of, faults_of, mended, told
from ossia_evaluation.worfbench.execution.executor import PlanExecutor
from ossia_servers.trace import Trace
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.routing import FINISH, ends_with_answer, hands_over, read_choice
from ossia_workflows.worfbench import (
    CRITIC,
    DECOMPOSER,
    LINKER,
    MANAGER,
    PLANNER,
    TeamKind,
    members_of,
)

_short: Final = partial(shortened, most=600)

__all__ = ["FRAMEWORK", "Given", "PlanContracts", "Read", "Said", "plan_words"]

FRAMEWORK: Final = "framework"
_USER: Final = "user"
_TASK: Final = "task"
_FIRST: Final = (PLANNER, DECOMPOSER)
_NOTHING: Final = "wrote nothing that can be read as a plan"


@dataclass(frozen=True)
class Said:
    """A plan that a role has written.

    Attributes:
        role: Who wrote it.
        words: Its words.
        draft: The plan.
    """

    role: str
    words: str
    draft: Draft


@dataclass(frozen=True)
class Given:
    """What a role was given to build on.

    Attributes:
        draft: The plan, as far as it got there; None for none.
        by: Who wrote it, or `task`; empty where nobody had written anything.
        lost: How much of it did not get there, in words; empty where all did.
        task: Whether the task is known to it.
    """

    draft: Draft | None = None
    by: str = ""
    lost: str = ""
    task: bool = True


@dataclass(frozen=True)
class Read:
    """One step of a recorded episode as far as plans go.

    Attributes:
        given: What it was given.
        own: What it wrote; None where that is no plan.
        copied: Whether it only repeated what was no plan either.
        passed: For a manager, whether the next role got all that there was.
    """

    given: Given
    own: Draft | None
    copied: bool = False
    passed: bool = True


class PlanContracts:
    """The contracts of one task's roles. Knows the gold plan, so no agent may reach it."""

    def __init__(self, task: PlanTask, kind: TeamKind, executor: PlanExecutor) -> None:
        """Make the contracts of a task in a team.

        Args:
            task: The task.
            kind: How the planning is shared out.
            executor: Carries plans out where the task has a world.

        Raises:
            PlanError: its gold plan cannot be read.
            TaskError: it cannot be read as a plan that is carried out.
        """
        self.task = task
        self.members = members_of(kind)
        self.needed = self.members if kind is TeamKind.PLANNER else (MANAGER, *self.members)
        self.gold = (
            GoldPlan.written(task.workflow)
            if task.environment is None
            else CarriedGold(task, executor)
        )

    def given(self, role: str, asked: Conversation, said: Sequence[Said]) -> Given:
        """Return what a role was given: the last plan, as far as its request holds it.

        Args:
            role: Who is asked.
            asked: The request.
            said: The plans so far.
        """
        heard = _flat(f"{asked.said}\n{asked.utterance}")
        if role in _FIRST:
            known = _flat(self.task.utterance) in heard
            return Given(by=_TASK, lost="" if known else "nothing", task=known)
        if not said:
            return Given()
        last = said[-1]
        lines = [line for line in last.words.splitlines() if line.strip()]
        there = [line for line in lines if _flat(line) in heard]
        if len(there) == len(lines):
            return Given(last.draft, last.role)
        draft = self.gold.read("\n".join(("Node:", *there)))
        return Given(draft, last.role, f"{len(there) if draft else 0} of {len(lines)} lines")

    def owed(self, role: str, given: Given, own: Draft | None) -> Draft | None:
        """Return what a role should have written; None where it had nothing to build on.

        Args:
            role: Who wrote.
            given: What it was given.
            own: What it wrote; its right nodes stand where its input says nothing.
        """
        if role in _FIRST:
            made = None if own is None else replace(own, **_BARE[role])
            if made and (made.linked or role == DECOMPOSER) and self.gold.reaches(made):
                return made
            return replace(self.gold.draft, **_BARE[role]) if given.task else own
        base = given.draft or (None if own is None else mended(own, self.gold))
        if base is None:
            return None
        if role == LINKER:
            return self.gold.linked(base, own)
        if not base.linked and own is not None:
            # Nobody had said anything of edges, so nothing is broken by what it says of them.
            return replace(base, edges=own.reach().among(base.nodes), linked=own.linked)
        return base

    def entered(self, role: str, given: Given, own: Draft) -> tuple[Fault, ...]:
        """Return the faults of a plan that are of the role that wrote it."""
        owed = self.owed(role, given, own)
        if owed is None:
            return ()
        if owed.linked and not own.linked:
            return (Fault(Kind.UNPARSABLE, (), "wrote no edges that can be read"),)
        made = own if owed.linked else replace(own, edges=frozenset(), linked=False)
        old = {fault.key for fault in faults_of(owed, self.gold)}
        found = tuple(fault for fault in causes_of(made, self.gold) if fault.key not in old)
        if not found and self.gold.reaches(owed) and not self.gold.reaches(made):
            # Edges of steps that the gold plan does not have are no faults of the graph.
            return (Fault(Kind.FALSE_EDGE, (), "ordered the given steps so that they fail"),)
        return found

    def answer(self, role: str, given: Given, read: Read, *, repaired: bool) -> Draft | None:
        """Return what a role makes of another input: it does to it what it did.

        Args:
            role: Who writes.
            given: What it is given now.
            read: What it was given, and what it wrote.
            repaired: Without its faults.

        Returns:
            The plan; None where nothing is known of what it does.
        """
        base, before = (self.owed(role, each, read.own) for each in (given, read.given))
        if read.copied:
            return given.draft
        if read.own is None or base is None or before is None:
            return base if repaired else None
        edit = edit_between(before, read.own)
        if not repaired:
            return changed(base, edit)
        mended = changed(base, edit.harmless(self.gold))
        return base if self.gold.reaches(base) and not self.gold.reaches(mended) else mended

    def next_role(self, done: Sequence[str]) -> str:
        """Return whom the manager has to choose."""
        return next((role for role in self.members if role not in done), FINISH)

    def record(self, trace: Trace, *, scored: bool) -> tuple[Recording, Mapping[str, Read]]:
        """Read a trace into steps, and judge each by its contract.

        Args:
            trace: The episode.
            scored: Whether it is told what each fault costs, which takes scoring.

        Returns:
            The steps, and what each was given and wrote.
        """
        turns = Turns(self.members)
        found: dict[str, list[tuple[Received, Mapping[str, Any]]]] = {}
        for exchange in trace.gateway.exchanges:
            if exchange.response is not None:
                received = Received.of(exchange.role, exchange.request, turns)
                found.setdefault(received.turn.situation, []).append((received, exchange.response))
        judged = _Judged(self, scored=scored)
        for calls in found.values():
            judged.add(recorded_step(calls))
        judged.end(trace)
        cuts = tuple(read_cuts(trace, Received, Turns(self.members)))
        return Recording(tuple(judged.steps), judged.findings, cuts), judged.reads


class _Judged:
    """An episode's steps, judged one after another."""

    def __init__(self, contracts: PlanContracts, *, scored: bool) -> None:
        self.contracts, self.scored = contracts, scored
        self.steps: list[RecordedStep] = []
        self.findings: dict[str, Finding] = {}
        self.reads: dict[str, Read] = {}
        self.said: list[Said] = []
        self._carrier: RecordedStep | None = None
        self._words = ""

    def add(self, step: RecordedStep) -> None:
        """Judge the next step."""
        words = plan_words(step.messages)
        if step.role == MANAGER:
            if _carries(step):
                self._carrier = step
            self._manage(step, words)
            self.steps.append(step)
            return
        asked = step.received[-1].conversation
        given = self.contracts.given(step.role, asked, self.said)
        if given.lost:
            self._lose(step, given)
        own = self.contracts.gold.read(words)
        copied = own is None and step.role == CRITIC and words == self._words != ""
        self.reads[step.situation] = Read(given, own, copied)
        self.steps.append(replace(step, keys=(_key(given),) * len(step.keys)))
        finding = None if copied else self._judge(step.role, given, own, words)
        if finding is not None:
            self.findings[step.situation] = finding
        self._words = words
        if own is not None:
            self.said.append(Said(step.role, words, own))

    def end(self, trace: Trace) -> None:
        """Look at whether everybody worked in order, and whether the user got the last plan."""
        members = self.contracts.members
        worked = tuple(dict.fromkeys(s.role for s in self.steps if s.role in members))
        plans = [s for s in self.steps if s.role == MANAGER and s.received[0].turn.duty == PLAN]
        if plans and worked != members:
            had, meant = ", ".join(worked) or "nobody", ", ".join(members)
            fault = f"had {had} work, expected {meant}"
            self.findings[plans[0].situation] = Finding(had, meant, fault, f"with {meant}")
        last = self.said[-1] if self.said else None
        final = (members[-1], MANAGER)
        if trace.ending.kind != "answered" or last is None or last.role not in final:
            return
        answer = self.contracts.gold.read(trace.answer)
        if answer is not None and not _lost(self.contracts, last.draft, answer):
            return
        name = f"{FRAMEWORK}@{last.role}>{_USER}"
        fault = f"did not give the user the plan that *{last.role}* wrote"
        self._insert(name, len(self.steps), Finding("another answer", "it", fault, "with it given"))

    def _judge(self, role: str, given: Given, own: Draft | None, words: str) -> Finding | None:
        contracts = self.contracts
        if own is None:
            if role not in _FIRST and given.draft is None:
                return None
            return Finding(_short(words) or "nothing", "a plan", _NOTHING, "with a plan")
        faults = contracts.entered(role, given, own)
        if not faults:
            return None
        clause = faults[0].clause
        if self.scored and faults[0].kind is not Kind.UNPARSABLE:
            clause = told(own, faults, contracts.gold)
        owed = contracts.owed(role, given, own)
        meant = "" if owed is None else contracts.gold.text(owed)
        remedy = f"with {'that' if len(faults) == 1 else every(len(faults))} put right"
        return Finding(_short(words), _short(meant), clause, remedy)

    def _manage(self, step: RecordedStep, words: str) -> None:
        asked, turn = step.received[0].conversation, step.received[0].turn
        last = self.said[-1] if self.said else None
        given = Given() if last is None else Given(last.draft, last.role)
        own = self.contracts.gold.read(words)
        self.reads[step.situation] = Read(given, own)
        if turn.duty != ROUTE:
            return
        said, meant = read_choice(step.messages[0], asked), self.contracts.next_role(turn.done)
        if said != meant:
            fault = f"called {said or 'nobody'}, expected {meant}"
            repeats = said in turn.done
            self.findings[step.situation] = Finding(
                said or "nobody", meant, fault, f"with {meant}", repeats=repeats
            )
        elif said == FINISH and ends_with_answer(asked) and last is not None:
            finding = self._judge(MANAGER, given, own, words)
            if finding is not None:
                self.findings[step.situation] = finding
            elif own is not None:
                self.said.append(Said(MANAGER, words, own))

    def _lose(self, step: RecordedStep, given: Given) -> None:
        """Say who lost what a role should have been given."""
        what = "the task" if given.by == _TASK else f"what *{given.by}* wrote"
        fault = f"passed {given.lost} of {what} on to *{step.role}*"
        finding = Finding(given.lost, what, fault, "with all of it passed on")
        manager = self._carrier
        if manager is not None:
            read = self.reads[manager.situation]
            self.reads[manager.situation] = replace(read, passed=False)
            self.findings.setdefault(manager.situation, finding)
        else:
            self._insert(loss_of(given.by, step.situation), step.index, finding)

    def _insert(self, situation: str, index: int, finding: Finding) -> None:
        self.steps.append(RecordedStep(index, situation, FRAMEWORK, (), (), ()))
        self.findings[situation] = finding


_BARE: Final[Mapping[str, Mapping[str, Any]]] = {
    PLANNER: {},
    DECOMPOSER: {"edges": frozenset(), "linked": False},
}


def loss_of(source: str, situation: str) -> str:
    """Return the name of a framework's passing on, which can be repaired like a step."""
    return f"{FRAMEWORK}@{source}>{situation}"


def plan_words(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return the plan in what a role said last, without its envelope."""
    text = last_text(tuple(messages))
    plan = "Node" in text.partition("{")[0] or '"nodes"' in text
    return text if plan else spoken(text)


def _carries(manager: RecordedStep) -> bool:
    """Whether it is the manager's words that decide what the next role gets."""
    received = manager.received[0]
    duty = received.turn.duty
    return duty == ASSIGN or (duty == ROUTE and hands_over(received.conversation))


def _lost(contracts: PlanContracts, wrote: Draft, answer: Draft) -> bool:
    if contracts.gold.reaches(answer):
        return False
    old, found = (
        {fault.key for fault in faults_of(draft, contracts.gold)} for draft in (wrote, answer)
    )
    return bool(found - old) or (wrote.linked and not answer.linked)


def _key(given: Given) -> str:
    """What a step builds on; the same where the same got there."""
    draft = given.draft
    if draft is None:
        return "the task" if given.task else ""
    return repr((sorted(draft.nodes.items()), sorted(draft.edges), draft.linked))


def _flat(text: str) -> str:
    """A text on one line, also where a framework has put it into JSON."""
    return " ".join(text.replace("\\n", "\n").replace('\\"', '"').split())
