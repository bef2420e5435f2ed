"""Proof of executable tasks: the gold plan reaches its goal in every order, wrong plans do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ossia_dataset.tasks import TaskError
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.worfbench.execution.executor import PlanExecutor, gold_plan
from ossia_evaluation.worlds.proof import Proof, ProofLine
from ossia_workflows.graph import (
    END,
    START,
    Edge,
    GraphError,
    Node,
    WorkflowGraph,
    critical_path,
    findings,
)

__all__ = ["PlanProver", "check_executable", "wrong_plans"]

_WRONG = "zyzzyva"


class PlanProver:
    """Proves tasks one by one."""

    def __init__(self, executor: PlanExecutor) -> None:
        """Prove nothing yet.

        Args:
            executor: carries plans out.
        """
        self._executor = executor

    def prove(self, task: PlanTask) -> Proof:
        """Prove one executable task.

        The gold plan has no flaw, reaches its goal in every order, and has no unsafe pair; so does
        its linear form. With a step or an edge left out, an argument changed or its edges turned
        round, it does not: so every step, edge and argument of it is needed.
        """
        try:
            gold = gold_plan(task)
            problems = tuple(self._problems(task, gold))
        except (TaskError, GraphError) as error:
            return Proof(task.id, (str(error),), 0, ())
        wrong = tuple(wrong_plans(gold))
        surviving = tuple(name for name, plan in wrong if self._executor.succeeds(task, plan))
        return Proof(task.id, problems, len(wrong), surviving)

    def _problems(self, task: PlanTask, gold: WorkflowGraph) -> Iterator[str]:
        yield from (finding.sentence for finding in findings(gold))
        done = self._executor.execute(task, gold)
        if done.wrong is not None:
            yield f"the gold plan does not reach its goal: {done.wrong}"
        for one, other in done.unsafe:
            yield f"steps {one} and {other} of the gold plan are not safe in any order"
        if task.environment is not None and not (
            task.environment.changes or task.environment.reads
        ):
            yield "there is nothing to reach"
        told = [action.name for action in task.actions if action.line not in task.utterance]
        if told:
            yield f"the request does not tell of the action {told[0]}"
        if task.workflow in task.utterance:
            yield "the request holds the gold plan"


def wrong_plans(gold: WorkflowGraph) -> Iterator[tuple[str, WorkflowGraph]]:
    """Yield plans that do something else than a gold plan, with what each does."""
    for node in gold.nodes:
        if len(gold.nodes) > 1:
            yield f"step {node.id} is left out", _without(gold, node.id)
    for edge in gold.edges:
        if edge.source != START and edge.target != END:
            rest = tuple(other for other in gold.edges if other != edge)
            name = f"the edge ({edge.source},{edge.target}) is left out"
            yield name, gold.model_copy(update={"edges": rest})
    for node in gold.nodes:
        for argument in node.arguments:
            name = f"{argument} of step {node.id} is {_WRONG!r}"
            yield name, _with_argument(gold, node, argument)
    if any(gold.edges_between()):
        turned = {START: END, END: START}
        edges = tuple(
            Edge(source=turned.get(e.target, e.target), target=turned.get(e.source, e.source))
            for e in gold.edges
        )
        yield "it is reversed", gold.model_copy(update={"edges": edges})


def _without(gold: WorkflowGraph, name: str) -> WorkflowGraph:
    """A plan without a step, what stood before it leading to what stood behind it."""
    into = [edge.source for edge in gold.edges if edge.target == name]
    out = [edge.target for edge in gold.edges if edge.source == name]
    kept = [edge for edge in gold.edges if name not in (edge.source, edge.target)]
    bridges = [Edge(source=one, target=other) for one in into for other in out]
    nodes = tuple(node for node in gold.nodes if node.id != name)
    return gold.model_copy(update={"nodes": nodes, "edges": (*kept, *bridges)})


def _with_argument(gold: WorkflowGraph, node: Node, argument: str) -> WorkflowGraph:
    wrong = node.model_copy(update={"arguments": {**node.arguments, argument: _WRONG}})
    nodes = tuple(wrong if other is node else other for other in gold.nodes)
    return gold.model_copy(update={"nodes": nodes})


def check_executable(
    name: str, tasks: Sequence[PlanTask], executor: PlanExecutor
) -> Iterator[ProofLine]:
    """Prove every task of a set that can be carried out.

    Args:
        name: the set's name, or the path that it is from.
        tasks: what it holds.
        executor: carries plans out.
    """
    prover = PlanProver(executor)
    able = [task for task in tasks if task.environment is not None]
    proofs = [prover.prove(task) for task in able]
    for proof in proofs:
        for problem in proof.problems:
            yield ProofLine(f"{proof.task}: {problem}", sound=False)
        for survivor in proof.surviving:
            yield ProofLine(f"{proof.task}: passes although {survivor}", sound=False)
    requests = Counter(task.utterance for task in tasks)
    for text, count in requests.items():
        if count > 1:
            yield ProofLine(f"{count} tasks ask the same: {text[:80]!r}", sound=False)
    tried = sum(proof.mutants for proof in proofs)
    failing = tried - sum(len(proof.surviving) for proof in proofs)
    proven = sum(proof.proven for proof in proofs)
    yield ProofLine(
        f"{name}: {proven} of {len(able)} executable tasks proven ({len(tasks)} tasks);"
        f" {failing} of {tried} wrong plans fail; {_spread(able)}"
    )


def _spread(tasks: Sequence[PlanTask]) -> str:
    """How many plans are chains, and how many steps they have."""
    golds = [gold_plan(task) for task in tasks]
    chains = sum(critical_path(gold).length == len(gold.nodes) for gold in golds)
    counts = Counter(len(gold.nodes) for gold in golds)
    steps = ", ".join(f"{count}: {counts[count]}" for count in sorted(counts))
    return f"{chains} chains; steps a plan: {steps or 'none'}"
