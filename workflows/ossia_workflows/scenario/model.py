"""A scenario: what it is for, its tools, what the user is asked for, and its steps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, time
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    model_validator,
)

from ossia_workflows.graph import START, Edge, WorkflowGraph
from ossia_workflows.graph import Node as GraphNode
from ossia_workflows.scenario.conditions import Condition, read_condition

__all__ = ["Kind", "Scenario", "Slot", "Step", "Tool", "fits", "fits_value", "slot_or_fact"]

Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A tool, a parameter, a field, a slot or a step."""
Fact = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")]
"""A field of a tool's latest result, as `TOOL.FIELD`."""


def _line(value: str) -> str:
    if not value.isprintable():
        raise ValueError("this is one line of printable characters")
    return value


Line = Annotated[
    str,
    StringConstraints(min_length=1, max_length=400, strip_whitespace=True),
    AfterValidator(_line),
]

_KINDS: Final = ("text", "count", "number", "boolean", "date", "time", "list")
_CHOICE: Final = re.compile(r"[a-z][a-z0-9_-]{0,63}")


def _kind(value: object) -> str | tuple[str, ...]:
    if isinstance(value, str) and value in _KINDS:
        return value
    if isinstance(value, list | tuple) and len(value) > 1:
        words = tuple(each for each in value if isinstance(each, str) and _CHOICE.fullmatch(each))
        if len(set(words)) == len(value):
            return words
    raise ValueError(f"a type is one of {', '.join(_KINDS)}, or a list of lower-case choices")


Kind: TypeAlias = Annotated[str | tuple[str, ...], BeforeValidator(_kind)]
"""What a value is: a `count` is a whole number from 0, a `list` one of texts; or the choices."""

_REFERENCE: Final = re.compile(r"\$([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)?)")


def _next(value: object) -> object:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or not value:
        raise ValueError("the next step is a name, END, or a table of steps by condition")
    made: dict[str, object] = {}
    for given, target in value.items():
        said = str(read_condition(str(given)))
        if said in made or not isinstance(target, str):
            raise ValueError(f"the condition '{said}' is there twice, or leads to no name")
        made[said] = target
    return made


def _argument(value: object) -> object:
    texts = value if isinstance(value, list) else [value]
    bound = isinstance(value, str) and _REFERENCE.fullmatch(value)
    if any(isinstance(each, str) and each.startswith("$") for each in texts) and not bound:
        raise ValueError(f"'{value}' is no $SLOT and no $TOOL.FIELD")
    if not isinstance(value, bool | int | float | str) and not (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    ):
        raise ValueError("an argument is a text, a number, true, false or a list of texts")
    return value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Tool(_Part):
    """A call to a service."""

    about: Line
    parameters: dict[Word, Kind] = Field(default_factory=dict)
    optional: tuple[Word, ...] = ()
    """Parameters that a call may leave out."""
    gives: dict[Word, Kind] = Field(min_length=1)
    """The fields of its result."""
    changes: bool = False
    """Whether it changes something, so that it must not be called needlessly."""

    @model_validator(mode="after")
    def _optional_are_parameters(self) -> Tool:
        for name in self.optional:
            if name not in self.parameters:
                raise ValueError(f"optional names {name}, which is no parameter")
        return self


class Slot(_Part):
    """What only the user knows."""

    type: Kind
    about: Line


class Step(_Part):
    """One step: asks for slots, then calls a tool, then tells facts, then leads on."""

    task: Line
    asks: tuple[Word, ...] = ()
    call: Word | None = None
    arguments: dict[Word, Annotated[JsonValue, BeforeValidator(_argument)]] = Field(
        default_factory=dict, alias="with"
    )
    """The bindings: `$SLOT`, `$TOOL.FIELD` of the tool's latest result, or a value itself."""
    tells: tuple[Fact, ...] = ()
    next: Annotated[str | dict[str, str], BeforeValidator(_next)]
    """The step that always follows, or the steps by condition; `END` is the end."""

    @model_validator(mode="after")
    def _arguments_have_a_call(self) -> Step:
        if self.arguments and self.call is None:
            raise ValueError("there are arguments and no call")
        return self

    @property
    def ways(self) -> tuple[tuple[str, Condition | None], ...]:
        """The steps that may follow, with the condition of each; None for always."""
        if isinstance(self.next, str):
            return ((self.next, None),)
        return tuple((name, read_condition(said)) for said, name in self.next.items())

    @property
    def references(self) -> tuple[str, ...]:
        """The slots and facts to which arguments are bound."""
        found = map(slot_or_fact, self.arguments.values())
        return tuple(name for name in found if name is not None)


class Scenario(_Part):
    """One scenario. Its names may not fit together yet: `scenario_findings` tells."""

    version: Literal[1]
    domain: Line
    role: Word
    name: Line
    about: Line
    tools: dict[Word, Tool] = Field(max_length=200)
    slots: dict[Word, Slot] = Field(default_factory=dict, max_length=200)
    steps: dict[Word, Step] = Field(min_length=1, max_length=200)
    """The first one is where the scenario begins."""

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The types of all that can be bound: slots, and facts as `TOOL.FIELD`."""
        facts = {
            f"{name}.{field}": kind
            for name, tool in self.tools.items()
            for field, kind in tool.gives.items()
        }
        return facts | {name: slot.type for name, slot in self.slots.items()}

    @property
    def graph(self) -> WorkflowGraph:
        """The workflow graph, of which all forms of the knowledge are written.

        Raises:
            ValidationError: a step leads to one that is not there.
        """
        nodes = tuple(
            GraphNode(
                id=name,
                task=step.task,
                tool=step.call,
                arguments=step.arguments,
                asks=step.asks,
                tells=step.tells,
            )
            for name, step in self.steps.items()
        )
        return WorkflowGraph(nodes=nodes, edges=tuple(self._edges()))

    def _edges(self) -> Iterator[Edge]:
        yield Edge(source=START, target=next(iter(self.steps)))
        for name, step in self.steps.items():
            for target, condition in step.ways:
                said = None if condition is None else str(condition)
                yield Edge(source=name, target=target, condition=said)


def slot_or_fact(value: JsonValue) -> str | None:
    """Return the slot or the fact to which an argument is bound; None for a value itself."""
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return None if found is None else found.group(1)


def fits(given: Kind, wanted: Kind) -> bool:
    """Whether every value of one type is one of another."""
    if isinstance(given, tuple):
        return wanted == "text" or (isinstance(wanted, tuple) and set(given) <= set(wanted))
    return given == wanted or (given, wanted) == ("count", "number")


def fits_value(value: JsonValue, kind: Kind) -> bool:
    """Whether a value is one of a type; dates and times are written as ISO 8601 has them."""
    if isinstance(kind, tuple):
        return value in kind
    if isinstance(value, bool) or kind == "boolean":
        return isinstance(value, bool) and kind == "boolean"
    if isinstance(value, int | float):
        whole = isinstance(value, int) and value >= 0
        return kind == "number" or (kind == "count" and whole)
    if isinstance(value, list):
        return kind == "list" and all(isinstance(each, str) for each in value)
    return isinstance(value, str) and _is_written(value, kind)


def _is_written(text: str, kind: str) -> bool:
    try:
        if kind == "date":
            date.fromisoformat(text)
        elif kind == "time":
            time.fromisoformat(text)
    except ValueError:
        return False
    return kind in ("text", "date", "time")
