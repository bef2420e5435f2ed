"""The grade of a generated workflow graph, and the metrics that stand beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ossia_dataset.tasks import TaskError
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric
from ossia_evaluation.worfbench.execution.executor import PlanExecutor
from ossia_evaluation.worfbench.measures.embedding import HashedWords, Similarities
from ossia_evaluation.worfbench.measures.published import Score, Unscored
from ossia_evaluation.worfbench.measures.scores import judge, true_graph_of
from ossia_evaluation.worfbench.measures.variants import FLOORS
from ossia_evaluation.worfbench.plan import Plan, PlanError, parse_published
from ossia_servers.trace import Trace
from ossia_workflows.graph import (
    Call,
    GraphError,
    Node,
    WorkflowGraph,
    read_plan,
    write_call,
    write_text,
)

__all__ = ["MEASURES", "METRICS", "PlanGrader"]

_ALL: Final = 1 - 1e-9
_AS_GOLD: Final = "the plan has the gold nodes and order"
_NOTHING_DONE: Final = {"goal_share": 0.0, "orders_reached": 0.0}
_NOT_COMPARABLE: Final = (
    "texts are compared by hashed words, so it is not comparable to published scores"
)

MEASURES: Final = (
    Metric(
        name="chain_f1",
        title="chain F1",
        better="higher",
        form=".3f",
        help=f"WorFEval's measure of node chains; {_NOT_COMPARABLE}",
    ),
    Metric(
        name="graph_f1",
        title="graph F1",
        better="higher",
        form=".3f",
        help="WorFEval's measure of graphs, likewise; a reversed plan may get all of it",
    ),
    Metric(
        name="plan_f1",
        title="plan F1",
        better="higher",
        form=".3f",
        by_group=True,
        help="the corrected measure: node F1 times the F1 of what comes before what",
    ),
    Metric(name="node_f1", title="node F1", better="higher", form=".3f", place="line"),
    Metric(name="precedence_f1", title="precedence F1", better="higher", form=".3f", place="line"),
)
"""What every plan is measured by, in the order in which it is shown."""

METRICS: Final = (
    *MEASURES,
    Metric(
        name="goal_share",
        title="goal reached",
        better="higher",
        form=".3f",
        place="line",
        help="how much of its goal a plan reaches that is carried out, as the mean of all orders",
    ),
    Metric(
        name="orders_reached",
        title="orders that reach it",
        better="higher",
        form=".3f",
        place="line",
        help="in what share of its orders such a plan reaches all of it and changes nothing else",
    ),
    Metric(
        name="unsafe_pairs",
        title="unsafe pairs",
        better="lower",
        form=".2f",
        place="line",
        help="pairs of steps in any order whose outcome depends on their order",
    ),
    Metric(
        name="makespan_ratio",
        title="makespan / gold",
        better="lower",
        form=".2f",
        place="line",
        help="duration of a plan that reaches its goal, over the gold's; steps run in parallel if"
        " they can",
    ),
    Metric(
        name="makespan_share",
        title="makespan / one by one",
        better="lower",
        form=".2f",
        place="line",
        help="the same over what its steps take one after the other",
    ),
)
"""In the order in which they are shown; the last five of plans alone that are carried out."""


def floor_text(tasks: Iterable[PlanTask]) -> str:
    """Return what plans without a model get in the corrected measure, in a line.

    Args:
        tasks: at least one task, whose gold plan can be read.
    """
    golds = [_gold(task) for task in tasks]
    return " / ".join(f"{name} {true_graph_of(name, golds):.3f}" for name in FLOORS)


class PlanGrader:
    """Grades workflow graphs.

    Where a task has a world, a success reaches its goal in every order and changes nothing else.
    Elsewhere it has all gold nodes, no others, and the gold order.
    """

    def __init__(self, executor: PlanExecutor) -> None:
        """Know no text yet; each is embedded once.

        Args:
            executor: carries out the plans of tasks that have a world.
        """
        self._alike = Similarities(HashedWords())
        self._executor = executor

    def check(self, task: PlanTask) -> None:
        """Make sure that a task can be graded.

        Raises:
            TaskError: its gold workflow cannot be read, or does not reach the task's goal.
        """
        _gold(task)
        if task.environment is not None:
            self._executor.check(task)

    def score(self, task: PlanTask, trace: Trace) -> Grade:
        """Grade one episode of a task; what holds no plan gets nothing."""
        failure = trace.infrastructure_failure
        if failure is not None:
            return Grade(verdict=Verdict.INVALID, reason=failure)
        executable = task.environment is not None
        try:
            plan = parse_published(_as_text(trace.answer) if executable else trace.answer)
            if plan is not None:
                plan.require_size()
        except PlanError as error:
            return _nothing(task, f"the plan {error}")
        if plan is None:
            ended = trace.ending.kind
            return _nothing(
                task, "the answer holds no plan" if ended == "answered" else f"it ended in {ended}"
            )
        measured, wrong = self._measured(task, plan)
        if executable:
            done, wrong = self._executed(task, trace.answer)
            measured |= done
        right = "the plan reaches its goal in every order" if executable else _AS_GOLD
        return Grade(
            verdict=Verdict.SUCCESS if wrong is None else Verdict.FAILURE,
            reason=wrong or right,
            metrics=measured,
        )

    def _measured(self, task: PlanTask, plan: Plan) -> tuple[dict[str, float], str | None]:
        """Both measures of a plan, and how it differs from the gold plan."""
        gold = _gold(task)
        chain, graph, right = judge(plan, gold, self._alike.matrix(plan.nodes, gold.nodes))
        found = {
            "chain_f1": _f1(chain),
            "graph_f1": _f1(graph),
            "plan_f1": right.graph,
            "node_f1": right.nodes.f1,
            "precedence_f1": right.precedence.f1,
        }
        if right.graph >= _ALL:
            return found, None
        other = "nodes" if right.nodes.f1 < _ALL else "order"
        return found, f"the plan has other {other} than the gold plan (plan F1 {right.graph:.3f})"

    def _executed(self, task: PlanTask, answer: str) -> tuple[dict[str, float], str | None]:
        """What is told of a plan that is carried out, and what went wrong first."""
        try:
            done = self._executor.execute(task, read_plan(answer))
        except GraphError as error:
            return dict(_NOTHING_DONE), f"the plan cannot be carried out: {error}"
        if done.timing is None:
            return dict(_NOTHING_DONE), f"the plan cannot be carried out: {done.problem}"
        found = {
            "goal_share": done.share,
            "orders_reached": done.reached,
            "unsafe_pairs": float(len(done.unsafe)),
        }
        if done.success:
            found["makespan_ratio"] = done.timing.makespan / done.timing.gold
            found["makespan_share"] = done.timing.makespan / done.timing.sequential
            return found, None
        reached = sum(run.reached for run in done.runs)
        return found, f"{done.wrong} ({reached} of {len(done.runs)} orders reach the goal)"


def _gold(task: PlanTask) -> Plan:
    plan = parse_published(task.workflow)
    if plan is None:
        raise TaskError("its gold workflow holds no plan")
    return plan


def _as_text(answer: str) -> str:
    """An answer in the published form, which the published measure reads; as it is where it can."""
    if parse_published(answer) is not None:
        return answer
    try:
        plan = read_plan(answer)
    except GraphError:
        return answer
    said = [write_call(Call(n.tool, n.arguments)) if n.tool else n.task for n in plan.nodes]
    nodes = tuple(Node(id=n.id, task=text) for n, text in zip(plan.nodes, said, strict=True))
    return write_text(WorkflowGraph(nodes=nodes, edges=plan.edges))


def _nothing(task: PlanTask, reason: str) -> Grade:
    none = {metric.name: 0.0 for metric in MEASURES}
    done = _NOTHING_DONE if task.environment is not None else {}
    return Grade(verdict=Verdict.FAILURE, reason=reason, metrics={**none, **done})


def _f1(score: Score | Unscored) -> float:
    return score.f1 if isinstance(score, Score) else 0.0
