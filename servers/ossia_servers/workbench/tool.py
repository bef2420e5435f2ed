"""What a tool of the office declares, and how a toolkit becomes a domain server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ossia_servers.workbench.forms import TEXT, Form
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import Seed
from ossia_servers.worlds.world import World

Given = Mapping[str, str]
"""The arguments of a call by name, as they came; what was left out is not there."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool; all may be left out, as the tool itself says what it lacks."""

    name: str
    description: str
    form: Form = field(default_factory=lambda: TEXT)
    """What its values look like."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One function of a toolkit."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    run: Callable[[World, Given], Reply]
    """Raises `Refusal` with the sentence that a caller is to read."""
    writes: bool = False
    needed: tuple[str, ...] = ()
    """Parameters that the tool refuses to do without."""

    @property
    def signature(self) -> tuple[str, ...]:
        """Names of the parameters, in the order of positional arguments."""
        return tuple(parameter.name for parameter in self.parameters)


@dataclass(frozen=True, slots=True)
class Toolkit:
    """The tools of one domain and the tables that they work on."""

    name: str
    description: str
    tools: tuple[Tool, ...]
    tables: tuple[Table, ...]

    def tool(self, name: str) -> Tool | None:
        """Return the tool called `name`, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)

    def domain(self, seed: Seed) -> Domain:
        """Return the domain server: each tool is an intent, each argument a parameter.

        Args:
            seed: start rows of this toolkit's tables.
        """
        described: dict[str, list[str]] = {}
        for tool in self.tools:
            for parameter in tool.parameters:
                texts = described.setdefault(parameter.name, [])
                if parameter.description not in texts:
                    texts.append(parameter.description)
        return Domain(
            name=self.name,
            description=self.description,
            fields=tuple(
                Field(name, Kind.VERBATIM, "; or ".join(texts)) for name, texts in described.items()
            ),
            intents=tuple(self._intent(tool) for tool in self.tools),
            tables=self.tables,
            seed=seed,
        )

    def _intent(self, tool: Tool) -> Intent:
        def handle(world: World, params: Params) -> Reply:
            for name in params.raw:
                if name not in tool.signature:
                    known = ", ".join(tool.signature)
                    raise Refusal(
                        f"{self.name}.{tool.name} has no parameter '{name}'; it takes: {known}.",
                        code="UNKNOWN_PARAMETER",
                    )
            return tool.run(world, params.raw)

        taken = ", ".join(tool.signature)
        return Intent(
            tool.name,
            f"{tool.summary} ({taken})",
            handle,
            tool.writes,
            fields=tuple(map(_field, tool.parameters)),
            needed=tool.needed,
        )


def _field(parameter: Parameter) -> Field:
    return Field(parameter.name, Kind.VERBATIM, parameter.description, schema=parameter.form)


def toolkit_text(domain: Domain) -> str:
    """Return a toolkit as a prompt tells it: one line for each tool, then the arguments."""
    tools = [f"- `{intent.name}`: {intent.summary}" for intent in domain.intents]
    arguments = [f"  - `{item.name}`: {item.description}" for item in domain.fields]
    return "\n".join(
        [f"`/{domain.name}` ({domain.description})", *tools, "  Arguments:", *arguments]
    )


def observation(body: Mapping[str, Any]) -> Any:
    """Return what a tool's caller sees, from the JSON body on the wire.

    Published tools return one value: rows, a number by day, an id, or a sentence, errors among
    them. On the wire a sentence is `msg` or `response`, anything else is `result`.
    """
    data = body["data"]
    if data is None:
        return body["msg"]
    return data["response"] if data["result"] is None else data["result"]


def visible(row: Row) -> dict[str, Any]:
    """Return a row as tools show it: without the world's own id."""
    return {name: value for name, value in row.items() if name != "id"}


def find(world: World, table: str, column: str, value: str) -> Row | None:
    """Return the first row with this value in this column, or None."""
    return next((row for row in world.rows(table) if row[column] == value), None)


def next_id(world: World, table: str, column: str, width: int) -> str:
    """Return the largest id of a table plus one, in so many digits at least.

    An id that a call has overwritten with something else than digits does not count.
    """
    numbers = [int(row[column]) for row in world.rows(table) if _is_number(row[column])]
    return str(max(numbers, default=-1) + 1).zfill(width)


def _is_number(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit()


def bad(sentence: str) -> Refusal:
    """The call lacks something or names a value that is not allowed."""
    return Refusal(sentence)
