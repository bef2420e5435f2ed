"""Sessions of a ride service, and what an agent does in them, by hand and on the real service."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ossia_dataset.flowbench.sessions import Answer, Move, SessionTask, TurnTask, Wish
from ossia_evaluation.flowbench.gold import GoldRuns
from ossia_evaluation.flowbench.grades import SessionGrade
from ossia_evaluation.flowbench.session_grader import SessionGrader
from ossia_servers.flowbench.arguments import argument_text
from ossia_servers.flowbench.script import GoldTurn, gold_turns
from ossia_servers.flowbench.services import gold_service, role_domains
from ossia_servers.flowbench.walk import Call, Visit, walk
from ossia_servers.gateway.records import GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, PlayedTurn, Trace
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute
from ossia_workflows.flowbench import role_scenarios

SCENARIOS = role_scenarios("ride_service")
LOCATED = {"result": "served", "stop": "Mill Lane 4", "choices": []}
ORDERED = {"ride_number": "RB-7731", "plate": "KX 41 TRV", "pin": "0472"}


def fare(price: float, minutes: int) -> dict[str, Any]:
    return {"available": True, "price": price, "pickup_minutes": minutes, "next_free": "14:05"}


def fare_call(car: str) -> dict[str, Any]:
    return {"from_stop": "Mill Lane 4", "destination": "the museum", "car": car}


RIDE = SessionTask(
    id="ride",
    suite="flowbench",
    seed="ride",
    utterance="I need a car.",
    role="ride_service",
    field="Travel&Transportation",
    wishes=(
        Wish(
            scenario="ride-booking",
            slots={
                "pickup": "the old mill",
                "destination": "the museum",
                "car": "standard",
                "passenger": "Ida Holm",
            },
            moves=(
                Move(step="quote", act="changes", slots={"car": "van"}),
                Move(step="quote", act="accepts"),
            ),
        ),
    ),
    answers=(
        Answer(tool="locate", arguments={"address": "the old mill"}, result=LOCATED),
        Answer(tool="fare", arguments=fare_call("standard"), result=fare(12.4, 7)),
        Answer(tool="fare", arguments=fare_call("van"), result=fare(18.9, 11)),
        Answer(
            tool="order_car",
            arguments={**fare_call("van"), "passenger": "Ida Holm"},
            result=ORDERED,
        ),
    ),
)
"""Asks for a standard car first, and then for a van: four calls, of which one writes a row."""

BROWSED = Wish(
    scenario="ride-booking",
    slots={"pickup": "the old mill", "destination": "the museum", "car": "van"},
    moves=(Move(step="quote", act="declines"),),
)
TWICE = RIDE.model_copy(update={"id": "twice", "seed": "twice", "wishes": (*RIDE.wishes, BROWSED)})
"""And then asks once more what a van costs, and leaves it at that."""


def gold_run(session: SessionTask) -> tuple[Visit, ...]:
    return walk(session, SCENARIOS, gold_service(session))


GOLDS = GoldRuns(SCENARIOS, gold_run)
GRADER = SessionGrader(GOLDS)


def right_turns(session: SessionTask) -> list[GoldTurn]:
    """What is said and called in the gold run."""
    return list(gold_turns(session, SCENARIOS, gold_run(session)))


def turn_task(session: SessionTask, number: int) -> TurnTask:
    """A turn of a session."""
    told = {**session.model_dump(by_alias=True), "id": f"{session.id}.{number}", "turn": number}
    return TurnTask.model_validate(told)


def without(turns: Sequence[GoldTurn], tool: str, number: int = 0) -> list[GoldTurn]:
    """The same without the tool's call of this number."""
    return edited(turns, tool, lambda call: (), number)


def edited(
    turns: Sequence[GoldTurn],
    tool: str,
    change: Callable[[Call], Iterable[Call]],
    number: int = 0,
) -> list[GoldTurn]:
    """The same with other calls in place of the tool's call of this number."""
    seen = -1
    changed = []
    for turn in turns:
        calls: list[Call] = []
        for call in turn.calls:
            seen += call.tool == tool
            calls += change(call) if call.tool == tool and seen == number else (call,)
        changed.append(replace(turn, calls=tuple(calls)))
    return changed


def given(call: Call, **arguments: Any) -> Call:
    """A call with other arguments."""
    return replace(call, arguments={**call.arguments, **arguments})


def saying(turns: Sequence[GoldTurn], old: str, new: str) -> list[GoldTurn]:
    """The same in other words."""
    assert any(old in turn.answer for turn in turns)
    return [replace(turn, answer=turn.answer.replace(old, new)) for turn in turns]


def trace_of(
    session: SessionTask,
    turns: Sequence[GoldTurn],
    ending: str = "answered",
    before: Sequence[Call] = (),
) -> Trace:
    """What is recorded where an agent does so.

    Args:
        session: The session, on whose service the calls are made.
        turns: What it does.
        ending: How the episode ends.
        before: Calls that are made before it starts.
    """
    domains = role_domains([session])
    domain = next(each for each in domains if each.name == session.role)
    store = WorldStore(domains)
    world = store.create("w", seed=session.seed, now=session.now, home=session.home)

    def make(call: Call) -> Any:
        texts = {name: argument_text(value) for name, value in call.arguments.items()}
        return execute(store, world, domain, {"intent": call.tool, **texts}).record

    for call in before:
        make(call)
    store.rebase(world)
    requests = tuple(make(call) for turn in turns for call in turn.calls)
    return Trace(
        episode=EpisodeKey(
            id=f"camel.{session.id}.1", task=session.id, framework="camel", model="m", repeat=1
        ),
        ending=Ending.model_validate({"kind": ending}),
        answer=turns[-1].answer if turns else "",
        turns=tuple(
            PlayedTurn(user=turn.user, answer=turn.answer, calls=1, requests=len(turn.calls))
            for turn in turns
        ),
        gateway=GatewayRecord(episode="e"),
        requests=requests,
        diff=world.diff(),
        timing=EpisodeTiming(wall_s=1.0, cpu_s=0.1),
    )


def graded(
    session: SessionTask, turns: Sequence[GoldTurn], ending: str = "answered"
) -> SessionGrade:
    return GRADER.score(session, trace_of(session, turns, ending))


def failures(grade: SessionGrade) -> Mapping[str, int]:
    return {str(kind): count for kind, count in grade.failures.items()}
