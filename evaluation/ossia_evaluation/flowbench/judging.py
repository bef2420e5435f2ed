"""What a language model is asked that judges the response of a turn, or of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from ossia_dataset.flowbench.sessions import SessionTask, TurnTask
from ossia_evaluation.flowbench.goals import demanded
from ossia_evaluation.flowbench.gold import GoldRuns
from ossia_evaluation.flowbench.grades import FlowGrade, SessionGrade, TurnGrade
from ossia_evaluation.flowbench.turn_grader import slots_due
from ossia_servers.flowbench.spoken import spoken
from ossia_servers.flowbench.walk import Visit
from ossia_servers.gateway import Message
from ossia_servers.trace import Trace

__all__ = ["has_answer", "question", "score_by_rules"]

_LONGEST: Final = 20_000


def has_answer(trace: Trace) -> bool:
    """Whether the agent said anything; where it did not there is nothing to ask a judge."""
    return bool(trace.answer.strip()) or any(turn.answer.strip() for turn in trace.turns)


def score_by_rules(grade: FlowGrade) -> float | None:
    """Return the share that rules give for what the judge gives marks for; None without any.

    Of a turn it is that of facts told and slots asked for, of a session that of goals reached.
    """
    if isinstance(grade, TurnGrade):
        return grade.response.recall
    return grade.goals.recall if isinstance(grade, SessionGrade) else None


def question(task: SessionTask, trace: Trace, golds: GoldRuns) -> tuple[Message, ...]:
    """Return what a judge is asked of an episode.

    Args:
        task: The session, or one turn of it.
        trace: What was done.
        golds: The gold runs of the sessions.

    Raises:
        TaskError: The session has no gold run.
    """
    visits = golds.visits(task)
    if isinstance(task, TurnTask):
        said = [(turn.user, turn.answer) for turn in task.before]
        told: dict[str, Any] = {
            "conversation": [*_lines(said), {"customer": _cut(task.utterance)}],
            "expected": list(_of_turn(task, visits, golds)),
            "response": _cut(trace.answer),
        }
    else:
        said = [(turn.user, turn.answer) for turn in trace.turns]
        told = {
            "expected": list(_facts(task, visits, golds)),
            "response": list(_lines(said)),
        }
    asked = json.dumps(told, ensure_ascii=False, indent=1)
    return ({"role": "system", "content": _prompt()}, {"role": "user", "content": asked})


def _of_turn(task: TurnTask, visits: Sequence[Visit], golds: GoldRuns) -> Iterator[str]:
    yield from _facts(task, [each for each in visits if each.turn == task.turn], golds)
    for visit in slots_due(task, visits):
        slots = golds.scenario(task, visit.wish).slots
        yield from (f"asks for {slots[name].about}" for name in visit.asks)


def _facts(task: SessionTask, visits: Sequence[Visit], golds: GoldRuns) -> Iterator[str]:
    for visit in visits:
        what = golds.scenario(task, visit.wish).steps[visit.step].task.rstrip(".")
        facts = (
            f"{fact.partition('.')[2].replace('_', ' ')}: {spoken(value)}"
            for fact, value in demanded(visit).items()
        )
        if told := "; ".join(facts):
            yield f"{what} ({told})"


def _lines(said: Sequence[tuple[str, str]]) -> Iterator[dict[str, str]]:
    for customer, agent in said:
        yield {"customer": _cut(customer), "agent": _cut(agent)}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} (cut here)"


@cache
def _prompt() -> str:
    return (resources.files(__package__) / "judge.txt").read_text("utf-8").strip()
