"""What an agent did in a session: its calls, typed, and its answers, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from ossia_evaluation.flowbench.measures.calls import Call, Comparison
from ossia_servers.flowbench.arguments import read_argument
from ossia_servers.flowbench.walk import Call as GoldCall
from ossia_servers.trace import Trace
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Refusal
from ossia_workflows.scenario import Kind, Tool

__all__ = [
    "COMPARED",
    "Made",
    "Trajectory",
    "gold_call",
    "is_served",
    "trajectory_of",
    "typed_call",
]


def _same_text(gold: str, made: str) -> bool:
    return gold.casefold().split() == made.casefold().split()


COMPARED: Final = Comparison(same_text=_same_text)
"""Numbers by value, texts without case and surplus space."""


@dataclass(frozen=True, slots=True)
class Made:
    """A call that the agent made.

    Attributes:
        call: The tool and its arguments, typed as the tool declares them.
        turn: The user's turn in which it was made; the opening is 0.
        result: The fields of its result; None where the service refused it.
    """

    call: Call
    turn: int
    result: Mapping[str, JsonValue] | None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What an agent did.

    Attributes:
        calls: Its calls, refused ones too, in order.
        rows: What the services hold at the end that they did not at the start.
        answers: What it answered in each of the user's turns.
    """

    calls: tuple[Made, ...]
    rows: tuple[Call, ...]
    answers: tuple[str, ...]


def trajectory_of(trace: Trace, tools: Mapping[str, Tool]) -> Trajectory:
    """Return what an episode's agent did; what follows its last turn is in that.

    Args:
        trace: The episode.
        tools: The tools that its service has, by name.
    """
    turns = [number for number, turn in enumerate(trace.turns) for _ in range(turn.requests)]
    last = max(0, len(trace.turns) - 1)
    turns += [last] * (len(trace.requests) - len(turns))
    states = (change.after or {} for change in trace.diff.changes)
    return Trajectory(
        tuple(
            _made(request, turn, tools.get(request.intent))
            for request, turn in zip(trace.requests, turns, strict=False)
        ),
        tuple(Call(str(row.get("tool", "")), row.get("arguments", {})) for row in states),
        tuple(turn.answer for turn in trace.turns) or (trace.answer,),
    )


def gold_call(call: GoldCall) -> Call:
    """Return a call of the gold run as it is compared: without arguments that are empty."""
    return Call(call.tool, {n: v for n, v in call.arguments.items() if v not in ("", [])})


def is_served(wanted: Call, made: Made) -> bool:
    """Return whether a call is the one that is wanted, and the service did not refuse it."""
    return made.result is not None and COMPARED.is_right(wanted, made.call)


def typed_call(name: str, params: Mapping[str, str], tool: Tool | None) -> Call:
    """Return a call with its arguments typed as the tool declares them; empty ones are left out.

    Args:
        name: The tool's name.
        params: What a request says.
        tool: The tool, where there is one of this name.
    """
    kinds = {} if tool is None else tool.parameters
    arguments = {
        each: _typed(each, value, kinds.get(each, "text"))
        for each, value in params.items()
        if each != "intent" and value.strip()
    }
    return Call(name, arguments)


def _made(request: ServerRequest, turn: int, tool: Tool | None) -> Made:
    served = request.code == "SUCCESS" and isinstance(request.result, Mapping)
    call = typed_call(request.intent, request.params, tool)
    return Made(call, turn, request.result if served else None)


def _typed(name: str, text: str, kind: Kind) -> JsonValue:
    """The value that a text of a request stands for; the text itself where it is none."""
    try:
        return read_argument(name, kind, " ".join(text.split()))
    except Refusal:
        return text
