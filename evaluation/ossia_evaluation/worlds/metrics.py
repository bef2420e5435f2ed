"""Metrics of episodes that have a `Score`, whatever the suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.grade import Verdict
from ossia_evaluation.metrics import Metric
from ossia_evaluation.reply.judgement import Truth
from ossia_evaluation.reply.told import is_told
from ossia_evaluation.worlds.score import Score
from ossia_servers.trace import Trace


def _acted(task: WorldTask, trace: Trace, score: Score) -> bool | None:
    return score.acted


def _facts(task: WorldTask, trace: Trace, score: Score) -> float | None:
    return score.facts


def _facts_told(task: WorldTask, trace: Trace, score: Score) -> Sequence[str]:
    if score.facts is None:
        return ("-",)
    told = {fact: is_told(fact, trace.answer, task.now) for fact in task.gold.facts}
    lines = (f"{'told' if right else 'not told'}: {fact}" for fact, right in told.items())
    return (f"{score.facts:.2f}", *lines)


def _unread(task: WorldTask, trace: Trace, score: Score) -> bool | None:
    if score.reply is None:
        return None
    return score.reply is Truth.UNREAD and score.verdict is Verdict.SUCCESS


def _side_effects(task: WorldTask, trace: Trace, score: Score) -> bool:
    return score.side_effects


def _reply(task: WorldTask, trace: Trace, score: Score) -> str | None:
    return None if score.reply is None else score.reply.value


_MEANING: Final = {
    Truth.TRUE: "true",
    Truth.UNTOLD: "does not tell what was asked, or says nothing (untold)",
    Truth.FALSE: "tells something that is not true (false)",
    Truth.UNREAD: "has words that no rule knows; it does not affect the verdict (unread)",
}


def _reply_told(task: WorldTask, trace: Trace, score: Score) -> Sequence[str]:
    return ("-" if score.reply is None else _MEANING[score.reply],)


ACTED: Final = Metric(
    name="acted",
    title="acted",
    help="the state alone is right",
    better="higher",
    aggregate="share",
    place="line",
    read=_acted,
)

FACTS: Final = Metric(
    name="facts",
    column="facts_told",
    title="facts told",
    better="higher",
    aggregate="mean",
    form=".3f",
    read=_facts,
    tell=_facts_told,
)

UNREAD: Final = Metric(
    name="unread",
    title="unparsed wording",
    help="successes with words that no rule knows",
    better="lower",
    aggregate="count",
    place="line",
    read=_unread,
)

SIDE_EFFECTS: Final = Metric(
    name="side_effects",
    title="side effects",
    better="lower",
    aggregate="share",
    count_only=True,
    read=_side_effects,
)

REPLY: Final = Metric(
    name="reply", title="reply", aggregate=None, place=None, read=_reply, tell=_reply_told
)
"""What the reply is worth, as a word."""
