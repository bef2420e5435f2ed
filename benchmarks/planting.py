"""Where a session has room for a fault, and the fault that is planted there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from pydantic import JsonValue

from benchmarks.faulty_sessions import (
    ARGUMENT,
    FACT,
    LEAVES,
    LOST,
    MISSED,
    MISTAKES,
    MUMBLES,
    QUESTIONS,
    SILENT,
    SKIPS,
    TRANSITION,
    USER,
    Gold,
    Planted,
)
from ossia_evaluation.flowbench.told import is_demanded
from ossia_servers.flowbench.spoken import spoken
from ossia_workflows.flowbench import (
    CALLER,
    DIALOGUE,
)
from ossia_workflows.scenario import Kind

_ALIEN: Final = "qzx vlt"


def plant(role: str, kind: str, gold: Gold, draw: Random) -> Planted | None:
    """Return a fault of a kind in a session; None where it has no place for it."""
    found = []
    for number in range(len(gold.turns)):
        found += [*_of_user(role, kind, number, gold, draw)] if role == USER else []
        found += [*_of_calls(role, kind, number, gold, draw)]
        found += [*_of_words(role, kind, number, gold)]
        found += _undue(role, number, gold, draw) if kind == TRANSITION else []
    return draw.choice(found) if found else None


def _of_calls(role: str, kind: str, number: int, gold: Gold, draw: Random) -> Iterator[Planted]:
    for call in gold.turns[number].calls:
        if kind == MISSED:
            yield Planted(role, kind, number, call.tool)
        for name, value in call.arguments.items() if kind in (ARGUMENT, LOST) else ():
            other = _other(value, gold.tools[call.tool].parameters[name], draw)
            yield Planted(role, kind, number, call.tool, name, other)
    if kind == SKIPS and gold.turns[number].calls:
        yield Planted(role, kind, number, CALLER)


def _of_words(role: str, kind: str, number: int, gold: Gold) -> Iterator[Planted]:
    turn = gold.turns[number]
    for fact, value in turn.tells.items() if kind == FACT else ():
        if is_demanded(value):
            scenario = next(s for s in gold.scenarios.values() if fact in s.kinds)
            chosen = isinstance(scenario.kinds[fact], tuple)
            said = spoken(value).replace("_", " ") if chosen else spoken(value)
            yield Planted(role, kind, number, fact, value=said)
    if kind == SILENT and any(each in turn.answer for each in QUESTIONS):
        yield Planted(role, kind, number)
    if kind == SKIPS:
        yield Planted(role, kind, number, DIALOGUE)


def _of_user(role: str, kind: str, number: int, gold: Gold, draw: Random) -> Iterator[Planted]:
    if number + 1 == len(gold.turns):
        return
    after = gold.places[number + 1]
    if kind in (LEAVES, MUMBLES):
        yield Planted(role, kind, number)
    slots = gold.scenario(after.wish).slots
    for name, value in after.slots.items() if kind == MISTAKES else ():
        yield Planted(role, kind, number, "", name, _other(value, slots[name].type, draw))


def _undue(role: str, number: int, gold: Gold, draw: Random) -> list[Planted]:
    """A change of the session's with another argument, in a turn that has no such call.

    With that argument it is none of the session's other changes: such a one would only be early.
    """
    found, right = [], [(each.tool, each.arguments) for turn in gold.turns for each in turn.calls]
    for turn in gold.turns:
        for call in turn.calls:
            here = [each.tool for each in gold.turns[number].calls]
            if not gold.tools[call.tool].changes or not call.arguments or call.tool in here:
                continue
            name = draw.choice(sorted(call.arguments))
            kind = gold.tools[call.tool].parameters[name]
            given = {**call.arguments, name: _other(call.arguments[name], kind, draw)}
            if (call.tool, given) not in right:
                found.append(Planted(role, TRANSITION, number, call.tool, value=given))
    return found


def _other(value: JsonValue, kind: Kind, draw: Random) -> JsonValue:
    """Another value of a type."""
    if isinstance(kind, tuple):
        return draw.choice([each for each in kind if each != value])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + draw.randrange(1, 9)
    if kind == "list":
        return [f"{_ALIEN} {draw.randrange(9)}"]
    if kind == "date":
        return f"2027-0{draw.randrange(1, 9)}-1{draw.randrange(9)}"
    if kind == "time":
        return f"0{draw.randrange(1, 6)}:4{draw.randrange(9)}"
    return f"{_ALIEN} {draw.randrange(9)}"


def without(faults: Sequence[Planted], removed: Sequence[Planted]) -> tuple[Planted, ...]:
    """Return the faults that are left."""
    return tuple(fault for fault in faults if fault not in removed)
