"""Proof of an office task: its prompt, its truth and its scorer agree, and nothing else passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.generated import is_generated
from ossia_dataset.workbench.generator import disagreement
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.workbench.actions import writing_tools
from ossia_evaluation.workbench.answers import options, rivals_of
from ossia_evaluation.workbench.players import gold_report
from ossia_evaluation.workbench.scorer import OfficeScorer
from ossia_evaluation.worlds.gold import GoldError, GoldRun
from ossia_evaluation.worlds.proof import DONE, Proof
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.domain import Domain

_IDLE = GoldRun((), Diff())
_ANSWER = "It is done."
_WRONG = "zyzzyva@quux.test"
_INTRUDER = Request(
    domain="email",
    params={"intent": "send_email", "recipient": _WRONG, "subject": "quux", "body": "quux"},
)


class OfficeProver:
    """Proves tasks one by one."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        self._scorer = OfficeScorer(domains)

    def prove(self, task: WorldTask) -> Proof:
        """Prove one task.

        The gold run passes; doing nothing passes where nothing is to be done, and nowhere else; a
        gold run with a request left out, changed or added fails, and so does one whose answer to
        a question keeps a fact back, tells another value beside it, or tells all that it could be.
        For a task of the generator the prompt is read back, and asks for exactly the gold requests.
        """
        try:
            gold = self._scorer.gold(task)
        except GoldError as error:
            return Proof(task.id, (str(error),), 0, ())
        if task.gold.looks and task.gold.gold_requests():
            gold = self._scorer.runner.run(task, full_run(task))
        answer = gold_report(task)
        problems = list(self._problems(task, gold, answer))
        tried, surviving = 0, []
        for name, requests in _mutants(task):
            tried += 1
            if self._scorer.passes(task, self._scorer.runner.run(task, requests), answer):
                surviving.append(name)
        for name, said in _wrong_answers(task):
            tried += 1
            if self._scorer.passes(task, gold, said):
                surviving.append(name)
        return Proof(task.id, tuple(problems), tried, tuple(surviving))

    def _problems(self, task: WorldTask, gold: GoldRun, answer: str) -> Iterator[str]:
        if is_generated(task.seed):
            differs = disagreement(task)
            if differs is not None:
                yield differs
        if not self._scorer.passes(task, gold, answer):
            yield "the gold run does not pass its own scorer"
        idle = task.gold.kind is GoldKind.NONE
        # A published truth may set what is set already, or be refused: then nothing is to be done.
        if self._scorer.passes(task, _IDLE, gold_report(task)) is not (
            idle or _does_nothing(task, gold)
        ):
            yield "doing nothing fails" if idle else "doing nothing passes"
        if idle and self._scorer.passes(task, _IDLE, DONE):
            yield "saying that all is done passes where nothing is"
        if task.source is None and task.gold.kind is GoldKind.CHANGE and not gold.diff:
            yield "the gold run changes nothing, but the kind is change"
        if task.gold.kind is not GoldKind.CHANGE and gold.diff:
            yield f"the gold run changes the office, but the kind is {task.gold.kind}"


def _does_nothing(task: WorldTask, gold: GoldRun) -> bool:
    return task.source is not None and not gold.diff


def full_run(task: WorldTask) -> tuple[Request, ...]:
    """Return the gold requests with the looks that they hang on before them."""
    gold = task.gold.gold_requests()
    return (*task.gold.looks, *gold) if gold else ()


def _mutants(task: WorldTask) -> Iterator[tuple[str, tuple[Request, ...]]]:
    """Runs that do something else than the gold run."""
    gold = full_run(task)
    if task.gold.looks and gold:
        yield "nothing is looked at", task.gold.gold_requests()
    yield "a letter is sent besides", (*gold, _INTRUDER)
    for index, request in enumerate(gold):
        if f"{request.domain}.{request.params['intent']}" not in writing_tools():
            continue
        before, after = gold[:index], gold[index + 1 :]
        yield f"request {index + 1} is left out", (*before, *after)
        for name in request.params:
            if name != "intent":
                wrong = request.model_copy(update={"params": {**request.params, name: _WRONG}})
                yield f"{name} of request {index + 1} is {_WRONG!r}", (*before, wrong, *after)


def _wrong_answers(task: WorldTask) -> Iterator[tuple[str, str]]:
    """Answers to a question that keep a fact back, hedge it, or tell all that it could be."""
    if task.gold.kind is not GoldKind.ANSWER:
        return
    facts = task.gold.facts
    for index, fact in enumerate(facts):
        told = [*facts[:index], *facts[index + 1 :]]
        yield f"the answer does not tell {fact!r}", f"{_ANSWER} {', '.join(told)}"
        for rival in islice(rivals_of(task, fact), 1):
            hedged = f"{_ANSWER} {', '.join(facts)}; or else {rival}"
            yield f"the answer tells {rival!r} beside {fact!r}", hedged
    everything = dict.fromkeys(option for fact in facts for option in options(task, fact))
    if everything.keys() > set(facts):
        yield "the answer tells all options", f"It may be {', '.join(everything)}."
