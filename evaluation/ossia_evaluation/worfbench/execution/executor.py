"""A plan carried out on a world: whether it reaches its goal in every order, and how long it takes.

Nothing goes over HTTP, and nothing that a model wrote is evaluated: steps are requests to the
domain servers, in process. The same task, plan and seed always give the same execution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ossia_dataset.tasks import TaskError
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.worfbench.execution.carrying import Carried, StepFault, Worlds
from ossia_evaluation.worfbench.execution.orders import both_ways, parallel_pairs, sampled_orders
from ossia_servers.worlds.domain import Domain
from ossia_workflows.graph import (
    GraphError,
    WorkflowGraph,
    critical_path,
    read_plan,
    topological_orders,
)

__all__ = ["MOST_STEPS", "Execution", "PlanExecutor", "Timing", "gold_plan"]

MOST_STEPS: Final = 24
"""Most steps of a plan that is carried out, in a hundred orders and more: twice what any built-in
task needs."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a plan takes by what its actions are declared to take.

    Attributes:
        makespan: Where everything that can be is done at the same time.
        sequential: Where one step is done after the other.
        gold: The gold plan's makespan.
    """

    makespan: float
    sequential: float
    gold: float


@dataclass(frozen=True, slots=True)
class Execution:
    """What became of a plan.

    Attributes:
        runs: One for each order that was tried; none for a plan that cannot be carried out.
        unsafe: Pairs of steps in any order of which one way round ends otherwise, or fails.
        timing: How long it takes; None where nothing was carried out.
        problem: Why nothing was carried out.
    """

    runs: tuple[Carried, ...] = ()
    unsafe: tuple[tuple[str, str], ...] = ()
    timing: Timing | None = None
    problem: str | None = None

    @property
    def reached(self) -> float:
        """In what share of the orders the goal was reached, and nothing else done."""
        return sum(run.reached for run in self.runs) / len(self.runs) if self.runs else 0.0

    @property
    def share(self) -> float:
        """How much of the goal was reached, as the mean of all orders."""
        return sum(run.share for run in self.runs) / len(self.runs) if self.runs else 0.0

    @property
    def success(self) -> bool:
        """Whether the goal was reached in every order."""
        return bool(self.runs) and all(run.reached for run in self.runs)

    @property
    def faults(self) -> tuple[StepFault, ...]:
        """Each fault of each step once."""
        return tuple(dict.fromkeys(fault for run in self.runs for fault in run.faults))

    @property
    def wrong(self) -> str | None:
        """What was found wrong first, in a sentence; None for a success."""
        told = (run.wrong for run in self.runs)
        return self.problem or next((text for text in told if text is not None), None)


class PlanExecutor:
    """Carries plans out on worlds of the suites' domain servers. Not thread-safe."""

    def __init__(self, servers: Callable[[str], Sequence[Domain]]) -> None:
        """Build no world yet.

        Args:
            servers: returns the domain servers of a suite by its name.
        """
        self._servers = servers
        self._worlds: dict[str, Worlds] = {}

    def check(self, task: PlanTask) -> None:
        """Make sure that a task's gold plan reaches its goal, in one of its orders.

        Raises:
            TaskError: it does not.
        """
        gold = gold_plan(task)
        try:
            order = next(topological_orders(gold, 1))
        except GraphError as error:
            raise TaskError(f"its gold workflow cannot be carried out: {error}") from None
        wrong = self._world(task).carry_out(task, gold, order).wrong
        if wrong is not None:
            raise TaskError(f"its gold plan does not reach its goal: {wrong}")

    def execute(self, task: PlanTask, plan: WorkflowGraph, seed: int = 0) -> Execution:
        """Carry a plan out in all its orders where they are few, else in some.

        Args:
            task: whose world and goal these are.
            plan: what is done.
            seed: decides which orders are tried.

        Raises:
            TaskError: the task itself is at fault.
        """
        if len(plan.nodes) > MOST_STEPS:
            said = f"it has {len(plan.nodes)} steps; at most {MOST_STEPS} are done"
            return Execution(problem=said)
        try:
            runs = {run.order: run for run in self._runs(task, plan, seed)}
        except GraphError as error:
            return Execution(problem=str(error))
        unsafe = tuple(
            pair
            for pair in parallel_pairs(plan, seed)
            if len({_ending(runs[order]) for order in both_ways(plan, *pair)}) > 1
        )
        return Execution(tuple(runs.values()), unsafe, _timing(task, plan))

    def succeeds(self, task: PlanTask, plan: WorkflowGraph, seed: int = 0) -> bool:
        """Return whether an execution is a success; the first order that fails is the last tried.

        Raises:
            TaskError: the task itself is at fault.
        """
        try:
            few = len(plan.nodes) <= MOST_STEPS
            return few and all(run.reached for run in self._runs(task, plan, seed))
        except GraphError:
            return False

    def _runs(self, task: PlanTask, plan: WorkflowGraph, seed: int) -> Iterator[Carried]:
        """Carry a plan out in sampled orders, and in both orders of steps that none binds."""
        orders = [*sampled_orders(plan, seed)]
        for pair in parallel_pairs(plan, seed):
            orders += both_ways(plan, *pair)
        for order in dict.fromkeys(orders):
            yield self._world(task).carry_out(task, plan, order)

    def worlds(self, suite: str) -> Worlds:
        """Return what makes the worlds of a suite's domain servers; each is made once."""
        if suite not in self._worlds:
            self._worlds[suite] = Worlds(self._servers(suite))
        return self._worlds[suite]

    def _world(self, task: PlanTask) -> Worlds:
        if task.environment is None:
            raise TaskError("it has no world")
        return self.worlds(task.environment.servers)


def gold_plan(task: PlanTask) -> WorkflowGraph:
    """Return the gold plan of an executable task.

    Raises:
        TaskError: it cannot be read.
    """
    try:
        return read_plan(task.workflow)
    except GraphError as error:
        raise TaskError(f"its gold workflow cannot be read: {error}") from None


def _ending(run: Carried) -> tuple[tuple[str, ...], frozenset[str]]:
    return run.end, frozenset(fault.step for fault in run.faults)


def _timing(task: PlanTask, plan: WorkflowGraph) -> Timing:
    takes = {action.name: action.takes for action in task.actions}

    def times(graph: WorkflowGraph) -> dict[str, float]:
        return {node.id: takes.get(node.tool or "", 1.0) for node in graph.nodes}

    gold = gold_plan(task)
    return Timing(
        makespan=critical_path(plan, times(plan)).length,
        sequential=sum(times(plan).values()),
        gold=critical_path(gold, times(gold)).length,
    )
