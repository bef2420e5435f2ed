"""Sessions, a stand-in for their service, and what an agent does in them, by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ossia_dataset.flowbench.sessions import Answer, Move, SessionTask, Wish
from ossia_servers.flowbench.arguments import argument_text
from ossia_servers.flowbench.services import gold_service, role_domains
from ossia_servers.flowbench.walk import Visit, walk
from ossia_servers.gateway.records import GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, PlayedTurn, Trace
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute
from ossia_workflows.scenario import Scenario, load_scenario

SCENARIOS: Mapping[str, Scenario] = {
    name: load_scenario(name) for name in ("ride-booking", "ride-inquiry")
}

LOCATED = {"result": "served", "stop": "Mill Lane 4", "choices": []}


def fare(price: float, minutes: int) -> dict[str, Any]:
    return {"available": True, "price": price, "pickup_minutes": minutes, "next_free": "14:05"}


def fare_call(car: str) -> dict[str, Any]:
    return {"from_stop": "Mill Lane 4", "destination": "the museum", "car": car}


ORDERED = {"ride_number": "RB-7731", "plate": "KX 41 TRV", "pin": "0472"}

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
"""Asks for a standard car first, and then for a van: seven turns, four calls, one row."""

BROWSED = Wish(
    scenario="ride-booking",
    slots={"pickup": "the old mill", "destination": "the museum", "car": "van"},
    moves=(Move(step="quote", act="declines"),),
)
TWICE = RIDE.model_copy(update={"id": "twice", "seed": "twice", "wishes": (*RIDE.wishes, BROWSED)})
"""And then asks once more what a van costs, and leaves it at that."""


def gold_run(session: SessionTask) -> tuple[Visit, ...]:
    return walk(session, SCENARIOS, gold_service(session))


@dataclass(frozen=True)
class Call:
    """A call that an agent makes."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Turn:
    """What an agent does in one turn of the user's."""

    calls: tuple[Call, ...]
    answer: str


def right_turns(session: SessionTask) -> list[Turn]:
    """What a right agent does in each turn of the gold run."""
    visits = gold_run(session)
    turns = []
    for number in range(1 + max(visit.turn for visit in visits)):
        here = [visit for visit in visits if visit.turn == number]
        calls = tuple(
            Call(each.call.tool, each.call.arguments) for each in here if each.call is not None
        )
        told = [
            f"{k.replace('.', ' ')}: {said(v)}." for each in here for k, v in each.tells.items()
        ]
        turns.append(Turn(calls, " ".join(told) or "Tell me more?"))
    return turns


def said(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def without(turns: Sequence[Turn], tool: str, number: int = 0) -> list[Turn]:
    """The same without the tool's call of this number."""
    return edited(turns, tool, number, lambda call: ())


def edited(
    turns: Sequence[Turn], tool: str, number: int, change: Callable[[Call], Iterable[Call]]
) -> list[Turn]:
    """The same with other calls in place of the tool's call of this number."""
    seen = 0
    changed = []
    for turn in turns:
        calls: list[Call] = []
        for call in turn.calls:
            if call.tool == tool:
                calls += change(call) if seen == number else (call,)
                seen += 1
            else:
                calls.append(call)
        changed.append(replace(turn, calls=tuple(calls)))
    return changed


def trace_of(
    session: SessionTask, turns: Sequence[Turn], ending: str = "answered", detail: str = ""
) -> Trace:
    """What is recorded where an agent does so, on the session's own service."""
    domains = role_domains([session])
    domain = next(each for each in domains if each.name == session.role)
    store = WorldStore(domains)
    world = store.create("w", seed=session.seed, now=session.now, home=session.home)
    requests = [
        execute(store, world, domain, {"intent": call.tool, **_texts(call.arguments)}).record
        for turn in turns
        for call in turn.calls
    ]
    return Trace(
        episode=EpisodeKey(
            id=f"camel.{session.id}.1", task=session.id, framework="camel", model="m", repeat=1
        ),
        ending=Ending.model_validate({"kind": ending, "detail": detail}),
        answer=turns[-1].answer if turns else "",
        turns=tuple(
            PlayedTurn(user="words", answer=turn.answer, calls=1, requests=len(turn.calls))
            for turn in turns
        ),
        gateway=GatewayRecord(episode="e"),
        requests=tuple(requests),
        diff=world.diff(),
        timing=EpisodeTiming(wall_s=1.0, cpu_s=0.1),
    )


def _texts(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {name: argument_text(value) for name, value in arguments.items()}
