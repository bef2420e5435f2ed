"""What the assistant's suites tell of an episode beside its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.intents import frame_agreement
from ossia_evaluation.assistant.scorer import AssistantScore
from ossia_evaluation.metrics import Metric
from ossia_evaluation.steps import read_steps
from ossia_evaluation.worlds.metrics import ACTED, FACTS, REPLY, SIDE_EFFECTS, UNREAD
from ossia_servers.trace import Trace


def _slots(task: WorldTask, trace: Trace, score: AssistantScore) -> bool | None:
    return None if score.slots is None else score.slots.correct


def _slots_told(task: WorldTask, trace: Trace, score: AssistantScore) -> Sequence[str]:
    slots = score.slots
    if slots is None:
        return ("-",)
    if slots.correct:
        return ("correct",)
    if not slots.intent_correct:
        return ("wrong: not the gold domain and intent",)
    return (f"wrong parameters: {', '.join(slots.wrong)}" if slots.wrong else "wrong",)


def _intent(task: WorldTask, trace: Trace, score: AssistantScore) -> bool | None:
    return None if score.slots is None else score.slots.intent_correct


def _clarification(task: WorldTask, trace: Trace, score: AssistantScore) -> bool:
    return score.clarification


def _exact(task: WorldTask, trace: Trace, score: AssistantScore) -> bool:
    return frame_agreement(task, read_steps(trace)).exact


def _unnamed(task: WorldTask, trace: Trace, score: AssistantScore) -> bool:
    return frame_agreement(task, read_steps(trace)).unnamed


METRICS: Final[Sequence[Metric]] = (
    ACTED,
    Metric(
        name="slots_correct",
        title="slot score",
        better="higher",
        aggregate="share",
        read=_slots,
        tell=_slots_told,
    ),
    FACTS,
    UNREAD,
    SIDE_EFFECTS,
    Metric(
        name="clarification",
        column="clarifications",
        title="clarifications",
        aggregate="count",
        read=_clarification,
    ),
    REPLY,
    Metric(
        name="intent_correct",
        title="intent of the request",
        aggregate=None,
        place=None,
        read=_intent,
    ),
    Metric(
        name="frame_exact",
        title="intent accuracy, exact",
        help="the intent role named domain, intent and slots of the gold frame",
        better="higher",
        aggregate="share",
        place=None,
        by_group=True,
        read=_exact,
    ),
    Metric(
        name="frame_unnamed",
        title="intent accuracy, ignoring slot names",
        help="the same with the words of the slots alone, whatever the slots are called",
        better="higher",
        aggregate="share",
        place=None,
        by_group=True,
        read=_unnamed,
    ),
)
