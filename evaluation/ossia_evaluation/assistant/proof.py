"""Proof of a task: its gold run passes its own scorer, doing nothing and doing wrong do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind, Part, WorldTask
from ossia_evaluation.assistant.gold_facts import unproven_facts
from ossia_evaluation.assistant.idle import is_declared, is_harmless
from ossia_evaluation.assistant.mutations import Mutation, mutations
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.worlds.gold import GoldError, GoldRun
from ossia_evaluation.worlds.proof import DONE, Proof, faithful_reply
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.domain import Domain
from ossia_workflows.assistant import TIME_SLOTS


class _Fate(Enum):
    """What became of a mutation."""

    FAILS = "fails"
    IDLE = "makes no difference, as is declared"
    SURVIVES = "passes"


class AssistantProver:
    """Proves tasks one by one."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        self._scorer = AssistantScorer(domains)

    def gold(self, task: WorldTask) -> GoldRun:
        """Return a task's gold run.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        return self._scorer.gold(task)

    def prove(self, task: WorldTask) -> Proof:
        """Prove one task: its gold run passes; doing nothing and mutated gold runs do not.

        Every parameter of every gold request, and every intent, has to have a mutant that fails.
        """
        try:
            gold = self._scorer.gold(task)
        except GoldError as error:
            return Proof(task.id, (str(error),), 0, ())
        problems = [*_contradictions(task, gold), *unproven_facts(task, gold)]
        if not self._scorer.passes(task, gold, faithful_reply(gold)):
            problems.append("the gold run does not pass its own scorer")
        # Chit-chat needs no more than an answer; any other task needs more than that.
        for silent in ("",) if task.gold.kind is GoldKind.CHAT else (DONE, *_guess(task, gold)):
            if self._scorer.passes(task, GoldRun((), Diff()), silent):
                problems.append(f"doing nothing passes, with the words {silent!r}")
        runner, tried = self._scorer.runner, 0
        for name, requests in _wrong_choices(task):
            if self._passes_faithfully(task, runner.run(task, requests)):
                problems.append(f"{name}, and the run passes all the same")
        surviving: list[str] = []
        idle: list[str] = []
        for mutation in mutations(task, runner.domains):
            tried += 1
            fate = self._fate(task, gold, mutation)
            surviving += [mutation.name] if fate is _Fate.SURVIVES else []
            idle += [mutation.name] if fate is _Fate.IDLE else []
        # Who is asked back has done nothing yet, whatever was asked of the server.
        asked_back = task.gold.kind is GoldKind.CLARIFICATION
        if tried and len(surviving) + len(idle) == tried and not asked_back:
            problems.append("every mutated gold run passes")
        return Proof(task.id, tuple(problems), tried, tuple(surviving), tuple(idle))

    def _fate(self, task: WorldTask, gold: GoldRun, mutation: Mutation) -> _Fate:
        runner = self._scorer.runner
        runs = [runner.run(task, requests) for requests in mutation.variants]
        passing = [self._passes_faithfully(task, run) for run in runs]
        harmless = [is_harmless(task, mutation, gold, run, runner.domains) for run in runs]
        # A wrong value must not pass with another outcome. Without the parameter a server may
        # come to the same by itself, which is only asked where the wrong value tells nothing.
        if passing[0] and not harmless[0]:
            return _Fate.SURVIVES
        if not all(passing):
            return _Fate.FAILS
        declared = all(harmless) and is_declared(task, mutation, runner.domains)
        return _Fate.IDLE if declared else _Fate.SURVIVES

    def _passes_faithfully(self, task: WorldTask, run: GoldRun) -> bool:
        return self._scorer.passes(task, run, faithful_reply(run))


def _wrong_choices(task: WorldTask) -> Iterator[tuple[str, tuple[Request, ...]]]:
    """Runs of a compound task that do the wrong parts: each must fail, or the gold is too weak."""
    asked = [part for part in task.gold.parts if not part.is_chat]
    done = [part for part in asked if part.due]

    def requests(parts: Sequence[Part]) -> tuple[Request, ...]:
        return tuple(part.gold().gold_requests()[0] for part in parts)

    if len(done) > 1:
        for index in range(len(done)):
            yield f"part {index + 1} is left out", requests([*done[:index], *done[index + 1 :]])
    for condition in dict.fromkeys(part.condition for part in asked if part.condition):
        hanging = [part for part in asked if part.condition == condition]
        if hanging[0].due:
            kept = [part for part in done if part not in hanging]
            yield f"nothing is done although {condition!r} holds", requests(kept)
        else:
            kept = [part for part in asked if part.due or part in hanging]
            yield f"all is done although {condition!r} does not hold", requests(kept)


def _guess(task: WorldTask, gold: GoldRun) -> tuple[str, ...]:
    """The gold reply, by somebody who has asked nobody; a question back needs no server."""
    return () if task.gold.kind is GoldKind.CLARIFICATION else (faithful_reply(gold),)


def _contradictions(task: WorldTask, gold: GoldRun) -> Iterator[str]:
    """Declared kind and slots against what the gold run shows."""
    asked = [request.code for request in gold.requests]
    if task.gold.kind is GoldKind.CHANGE and not gold.diff:
        yield "the gold run changes nothing, but the kind is change"
    if task.gold.kind is not GoldKind.CHANGE and gold.diff:
        yield f"the gold run changes the world, but the kind is {task.gold.kind}"
    if (task.gold.kind is GoldKind.CLARIFICATION) != ("CLARIFICATION" in asked):
        yield f"the gold run ends in {', '.join(asked) or 'no request'}: wrong kind"
    # One time slot may say both date and time, so only forms without any time slot are stray.
    stray: set[str] = set()
    for frame in (task.gold, *task.gold.parts):
        slots = frame.slots.keys()
        stray |= {*frame.place} - slots | ({*frame.time} if not TIME_SLOTS & slots else set())
    if stray:
        yield f"normal forms without a slot: {', '.join(sorted(stray))}"
