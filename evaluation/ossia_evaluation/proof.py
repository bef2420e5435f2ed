"""Proof of a task: its gold run passes its own scorer, doing nothing and doing wrong do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ossia_dataset.tasks import GoldKind, Request, Task
from ossia_evaluation.gold import GoldError, GoldRun, GoldRunner
from ossia_evaluation.score import Scorer, Verdict
from ossia_servers.domain import Domain, Kind
from ossia_servers.gateway.records import GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace

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
        self._runner = GoldRunner(domains)
        self._scorer = Scorer(domains)

    def prove(self, task: Task) -> Proof:
        """Prove one task: gold passes, nothing fails, mutants fail."""
        try:
            gold = self._runner.gold(task)
        except GoldError as error:
            return Proof(task.id, (str(error),), 0, ())
        problems = list(_contradictions(task, gold))
        if not self._passes(task, gold, "done"):
            problems.append("the gold run does not pass its own scorer")
        if self._passes(task, GoldRun((), type(gold.diff)()), ""):
            problems.append("doing nothing passes")
        names, surviving = 0, []
        for name, requests in self._mutants(task):
            names += 1
            if self._passes(task, self._runner.run(task, requests), "done"):
                surviving.append(name)
        if names and len(surviving) == names:
            problems.append("every mutated gold run passes")
        return Proof(task.id, tuple(problems), names, tuple(surviving))

    def _passes(self, task: Task, run: GoldRun, answer: str) -> bool:
        score = self._scorer.score(task, _trace(task, run, answer))
        return score.verdict is Verdict.SUCCESS

    def _mutants(self, task: Task) -> Iterator[tuple[str, tuple[Request, ...]]]:
        gold = task.gold.gold_requests()
        if task.gold.kind is GoldKind.CHAT:
            yield "a server is asked", (Request(domain="datetime", params=_DATETIME),)
            return
        yield "the last request is left out", gold[:-1]
        for index, request in enumerate(gold):
            domain = self._runner.domains[request.domain]
            for name in request.params:
                declared = domain.field(name)
                if declared is None:
                    continue
                wrong = _WRONG_VALUES.get(declared.kind, _WRONG_WORDS)
                changed = request.model_copy(update={"params": {**request.params, name: wrong}})
                yield f"{name} is {wrong!r}", (*gold[:index], changed, *gold[index + 1 :])


_DATETIME = {"intent": "datetime_query"}


def _contradictions(task: Task, gold: GoldRun) -> Iterator[str]:
    """Declared kind and slots against what the gold run shows."""
    asked = [request.code for request in gold.requests]
    if task.gold.kind is GoldKind.CHANGE and not gold.diff:
        yield "the gold run changes nothing, but the kind is change"
    if task.gold.kind is not GoldKind.CHANGE and gold.diff:
        yield f"the gold run changes the world, but the kind is {task.gold.kind}"
    if (task.gold.kind is GoldKind.CLARIFICATION) != ("CLARIFICATION" in asked):
        yield f"the gold run ends in {', '.join(asked) or 'no request'}: wrong kind"
    exact = {*task.gold.time, *task.gold.place}
    if stray := exact - task.gold.slots.keys():
        known = ", ".join(sorted(stray))
        if not task.gold.slots:
            yield f"normal forms without a slot: {known}"


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
