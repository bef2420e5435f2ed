"""Proof of a task: its gold run passes its own scorer, doing nothing and doing wrong do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ossia_dataset.tasks import GoldKind, Part, Request, Task
from ossia_evaluation.gold import GoldError, GoldRun
from ossia_evaluation.gold_facts import unproven_facts
from ossia_evaluation.score import Scorer, Verdict
from ossia_servers.domain import Domain, Kind
from ossia_servers.gateway.records import GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.worlds import Diff
from ossia_workflows import TIME_SLOTS

_WRONG_VALUES = {
    Kind.DATE: "2031-07-09",
    Kind.TIME: "03:47",
    Kind.NUMBER: "8642",
    Kind.PLACE: "Ulaanbaatar, Mongolia",
}
_WRONG_WORDS = "zyzzyva quux"


@dataclass(frozen=True)
class Proof:
    """What the proof of one task found."""

    task: str
    problems: tuple[str, ...]
    """Empty when the task is proven."""
    mutants: int
    """How many mutated gold runs were tried."""
    surviving: tuple[str, ...]
    """Mutants that pass all the same: parameters that make no difference to the outcome."""


class Prover:
    """Proves tasks one by one."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        self._scorer = Scorer(domains)

    def gold(self, task: Task) -> GoldRun:
        """Return a task's gold run.

        Raises:
            GoldError: the gold run is refused by the servers.
        """
        return self._scorer.gold(task)

    def prove(self, task: Task) -> Proof:
        """Prove one task: its gold run passes; doing nothing and mutated gold runs do not."""
        try:
            gold = self._scorer.gold(task)
        except GoldError as error:
            return Proof(task.id, (str(error),), 0, ())
        problems = [*_contradictions(task, gold), *unproven_facts(task, gold)]
        if not self._passes(task, gold, _ANSWER):
            problems.append("the gold run does not pass its own scorer")
        # Chit-chat needs no more than an answer; any other task needs more than that.
        idle = "" if task.gold.kind is GoldKind.CHAT else _ANSWER
        if self._passes(task, GoldRun((), Diff()), idle):
            problems.append("doing nothing passes")
        runner, tried = self._scorer.runner, 0
        for name, requests in _wrong_choices(task):
            if self._passes(task, runner.run(task, requests), _ANSWER):
                problems.append(f"{name}, and the run passes all the same")
        surviving = []
        for name, requests in self._mutants(task):
            tried += 1
            if self._passes(task, runner.run(task, requests), _ANSWER):
                surviving.append(name)
        if tried and len(surviving) == tried:
            problems.append("every mutated gold run passes")
        return Proof(task.id, tuple(problems), tried, tuple(surviving))

    def _passes(self, task: Task, run: GoldRun, answer: str) -> bool:
        score = self._scorer.score(task, _trace(task, run, answer))
        return score.verdict is Verdict.SUCCESS

    def _mutants(self, task: Task) -> Iterator[tuple[str, tuple[Request, ...]]]:
        gold = task.gold.gold_requests()
        if task.gold.kind is GoldKind.CHAT:
            yield "a server is asked", (Request(domain="datetime", params=_DATETIME),)
            return
        for index, request in enumerate(gold):
            if len(gold) > 1:
                yield f"request {index + 1} is left out", (*gold[:index], *gold[index + 1 :])
            domain = self._scorer.runner.domains[request.domain]
            other = _other_intent(domain, request)
            yield f"{other.params['intent']} is asked", (*gold[:index], other, *gold[index + 1 :])
            for name in request.params:
                declared = domain.field(name)
                if declared is None:
                    continue
                wrong = _WRONG_VALUES.get(declared.kind, _WRONG_WORDS)
                changed = request.model_copy(update={"params": {**request.params, name: wrong}})
                yield f"{name} is {wrong!r}", (*gold[:index], changed, *gold[index + 1 :])


def _wrong_choices(task: Task) -> Iterator[tuple[str, tuple[Request, ...]]]:
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


def _other_intent(domain: Domain, request: Request) -> Request:
    """The request with the next intent of its domain, or another domain's where it has one."""
    names = [intent.name for intent in domain.intents]
    if len(names) == 1:
        return Request(domain="datetime", params=_DATETIME)
    following = names[(names.index(request.params["intent"]) + 1) % len(names)]
    return request.model_copy(update={"params": {**request.params, "intent": following}})


_DATETIME = {"intent": "datetime_query"}
_ANSWER = "done"


def _contradictions(task: Task, gold: GoldRun) -> Iterator[str]:
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


def _trace(task: Task, run: GoldRun, answer: str) -> Trace:
    key = EpisodeKey(id=f"proof-{task.id}", task=task.id, framework="-", model="-", repeat=1)
    return Trace(
        episode=key,
        ending=Ending(kind="answered"),
        answer=answer,
        gateway=GatewayRecord(episode=key.id),
        requests=run.requests,
        diff=run.diff,
        timing=EpisodeTiming(wall_s=0.0, cpu_s=0.0),
    )
