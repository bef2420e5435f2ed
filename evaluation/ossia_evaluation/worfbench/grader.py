"""The grade of a generated workflow graph, and the metrics that stand beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ossia_dataset.tasks import TaskError
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric
from ossia_evaluation.worfbench.embedding import HashedWords, Similarities
from ossia_evaluation.worfbench.plan import Plan, PlanError, parse_published
from ossia_evaluation.worfbench.published import Score, Unscored
from ossia_evaluation.worfbench.scores import judge, true_graph_of
from ossia_evaluation.worfbench.variants import FLOORS
from ossia_servers.trace import Trace

__all__ = ["METRICS", "PlanGrader"]

_ALL: Final = 1 - 1e-9
_NOT_COMPARABLE: Final = "texts are compared by hashed words, so it is not comparable to published"

METRICS: Final = (
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
"""In the order in which they are shown."""


def floor_text(tasks: Iterable[PlanTask]) -> str:
    """Return what plans without a model get in the corrected measure, in a line.

    Args:
        tasks: at least one task, whose gold plan can be read.
    """
    golds = [_gold(task) for task in tasks]
    return " / ".join(f"{name} {true_graph_of(name, golds):.3f}" for name in FLOORS)


class PlanGrader:
    """Grades workflow graphs. A success has all gold nodes, no others, and the gold order."""

    def __init__(self) -> None:
        """Know no text yet; each is embedded once."""
        self._alike = Similarities(HashedWords())

    def check(self, task: PlanTask) -> None:
        """Make sure that a task can be graded.

        Raises:
            TaskError: its gold workflow cannot be read.
        """
        _gold(task)

    def score(self, task: PlanTask, trace: Trace) -> Grade:
        """Grade one episode of a task; what holds no plan gets nothing."""
        failure = trace.infrastructure_failure
        if failure is not None:
            return Grade(verdict=Verdict.INVALID, reason=failure)
        gold = _gold(task)
        try:
            plan = parse_published(trace.answer)
            if plan is not None:
                plan.require_size()
        except PlanError as error:
            return _nothing(f"the plan {error}")
        if plan is None:
            ended = trace.ending.kind
            return _nothing(
                "the answer holds no plan" if ended == "answered" else f"it ended in {ended}"
            )
        chain, graph, right = judge(plan, gold, self._alike.matrix(plan.nodes, gold.nodes))
        found = {
            "chain_f1": _f1(chain),
            "graph_f1": _f1(graph),
            "plan_f1": right.graph,
            "node_f1": right.nodes.f1,
            "precedence_f1": right.precedence.f1,
        }
        if right.graph >= _ALL:
            return Grade(
                verdict=Verdict.SUCCESS,
                reason="the plan has the gold nodes and order",
                metrics=found,
            )
        wrong = "nodes" if right.nodes.f1 < _ALL else "order"
        reason = f"the plan has other {wrong} than the gold plan (plan F1 {right.graph:.3f})"
        return Grade(verdict=Verdict.FAILURE, reason=reason, metrics=found)


def _gold(task: PlanTask) -> Plan:
    plan = parse_published(task.workflow)
    if plan is None:
        raise TaskError("its gold workflow holds no plan")
    return plan


def _nothing(reason: str) -> Grade:
    none = {metric.name: 0.0 for metric in METRICS}
    return Grade(verdict=Verdict.FAILURE, reason=reason, metrics=none)


def _f1(score: Score | Unscored) -> float:
    return score.f1 if isinstance(score, Score) else 0.0
