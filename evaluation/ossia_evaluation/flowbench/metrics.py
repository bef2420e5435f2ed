"""What FlowBench's suites tell of an episode beside its verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ossia_evaluation.flowbench.deviations import FailureType
from ossia_evaluation.flowbench.grades import (
    FlowGrade,
    SessionGrade,
    TurnGrade,
    node_accuracy,
)
from ossia_evaluation.metrics import Metric

__all__ = ["SESSION_METRICS", "TURN_METRICS"]


def _read(value: Callable[[Any], float | None]) -> Callable[[Any, Any, Any], float | None]:
    return lambda task, trace, grade: value(grade) if isinstance(grade, FlowGrade) else None


def _calls(name: str, title: str, value: Callable[[Any], float | None], **more: Any) -> Metric:
    return Metric(name=name, title=title, better="higher", form=".3f", read=_read(value), **more)


_CALLS: Final = (
    _calls(
        "tool_f1",
        "tool F1",
        lambda grade: grade.calls.f1,
        by_group=True,
        help="calls with the gold run's tool and arguments, one to one, refused ones counted",
    ),
    _calls("tool_precision", "tool precision", lambda grade: grade.calls.precision, place="line"),
    _calls("tool_recall", "tool recall", lambda grade: grade.calls.recall, place="line"),
    _calls(
        "tool_order_f1",
        "tool F1 in order",
        lambda grade: grade.in_order.f1,
        place="line",
        help="the same, of calls that stand in the gold order",
    ),
    _calls("parameter_f1", "parameter F1", lambda grade: grade.parameters.f1, place="line"),
)
_NODES: Final = _calls(
    "node_accuracy",
    "node accuracy",
    lambda grade: node_accuracy(grade.nodes),
    help="of the steps that were due or that the agent came to, those that are both",
)
_PUBLISHED: Final = (
    _calls(
        "published_tool_precision",
        "published tool precision",
        lambda grade: grade.published.precision,
        place=None,
    ),
    _calls(
        "published_tool_recall",
        "published tool recall",
        lambda grade: grade.published.recall,
        place=None,
    ),
    _calls(
        "published_tool_f1",
        "published tool F1",
        lambda grade: grade.published.f1,
        place="line",
        help="as the published code counts: one call may match several, so it can exceed 1",
    ),
)


def _failures(kind: FailureType) -> Metric:
    def count(grade: FlowGrade) -> float | None:
        return float(grade.failures[kind]) if isinstance(grade, SessionGrade) else None

    return Metric(
        name=f"{kind.name.lower()}s",
        title=f"deviations: {kind}",
        better="lower",
        aggregate="count",
        place="line",
        read=_read(count),
    )


SESSION_METRICS: Final = (
    _calls(
        "progress",
        "progress",
        lambda grade: grade.goals.recall,
        by_group=True,
        help="the share of goals reached: rows written, and facts told",
    ),
    *_CALLS,
    _NODES,
    Metric(
        name="conformance",
        title="conformance",
        better="higher",
        form=".3f",
        place="line",
        read=_read(lambda grade: grade.fitness),
        help="1 if the session follows its workflow, 0 if it shares nothing with it",
    ),
    Metric(
        name="turns",
        title="turns",
        form=".1f",
        place="line",
        read=_read(lambda grade: float(grade.turns)),
        help="of the user's; at most 15, and 20 across scenarios",
    ),
    Metric(
        name="side_effects",
        title="side effects",
        better="lower",
        aggregate="share",
        count_only=True,
        place="line",
        read=lambda task, trace, grade: (
            bool(grade.side_effects) if isinstance(grade, SessionGrade) else None
        ),
        help="sessions that changed something that the gold run does not change",
    ),
    *map(_failures, FailureType),
    *_PUBLISHED,
)
"""Of sessions, in the order in which they are shown."""

TURN_METRICS: Final = (
    _calls(
        "response",
        "response",
        lambda grade: grade.response.recall if isinstance(grade, TurnGrade) else None,
        by_group=True,
        help="the share of facts told and slots asked for, of those that were due",
    ),
    *_CALLS,
    _NODES,
    *_PUBLISHED,
)
"""Of single turns, likewise."""
