"""Executable tasks drawn from templates: a request, the plan that serves it, and no goal yet.

A template is one wish with the steps that serve it. A draft joins a few wishes, as people do; what
binds their steps is said by the templates, and by the results that arguments name.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import SimpleNamespace
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, NaiveDatetime

from ossia_dataset.tasks import TaskError

__all__ = [
    "Draft",
    "OfferedAction",
    "Start",
    "Template",
    "draw_draft",
    "load_actions",
    "load_templates",
]

Rows = Callable[[str], Sequence[Mapping[str, Any]]]

_STEP: Final = re.compile(r"\$(\d+)")

_ROWS: Final = re.compile(r"rows of (\S+)(?: where (\S+) > (.+))?")

_Value = str | dict[str, str]


class OfferedAction(BaseModel):
    """An action of which planners are told, with those parameters that they need to know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    summary: str = ""
    """What it does, where the server's words would be read as something else."""
    parameters: tuple[str, ...] = ()
    gives: str = ""
    takes: float = 1.0


class Template(BaseModel):
    """One wish, in several wordings, and the calls that serve it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: str
    servers: str
    asks: tuple[str, ...] = Field(min_length=1)
    steps: tuple[str, ...] = Field(min_length=1)
    after: tuple[tuple[int, int], ...] = ()
    """Steps that have to come one before the other although no argument says so."""
    slots: dict[str, str | tuple[_Value, ...]] = Field(default_factory=dict)
    """What fills the places in wordings and calls: values, the name of a list of words, or
    `rows of TABLE` for a row that the world holds at the start, perhaps `where COLUMN > VALUE`."""

    @property
    def edges(self) -> Iterator[tuple[int, int]]:
        """What comes before what, counted from 1."""
        yield from self.after
        for at, step in enumerate(self.steps, 1):
            for name in dict.fromkeys(_STEP.findall(step)):
                yield int(name), at


@dataclass(frozen=True, slots=True)
class Draft:
    """What a task may be made of.

    Attributes:
        servers: The suite whose servers carry it out.
        request: What is wanted, in words.
        calls: The steps' calls, numbered from 1.
        edges: Pairs of numbers.
        templates: What it was drawn from.
    """

    servers: str
    request: str
    calls: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    templates: tuple[str, ...]


class Start(BaseModel):
    """Where the worlds of one suite's servers start."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seeds: tuple[str, ...] = Field(min_length=1)
    now: NaiveDatetime


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    start: dict[str, Start]
    words: dict[str, tuple[_Value, ...]] = Field(default_factory=dict)
    template: tuple[Template, ...]


@cache
def load_actions() -> Mapping[str, Mapping[str, OfferedAction]]:
    """Return what planners may be told of, by the suite of the servers and the action's name."""
    suites: Mapping[str, Mapping[str, Any]] = _read("actions.toml")
    return {
        suite: {name: OfferedAction(**values) for name, values in actions.items()}
        for suite, actions in suites.items()
    }


@cache
def load_templates(set_name: str) -> tuple[tuple[Template, ...], Mapping[str, Start]]:
    """Return the templates of a set, with its lists of words in place, and where worlds start.

    Args:
        set_name: `test` or `train`, whose templates differ.
    """
    file = _File(**_read(f"{set_name}.toml"))

    def filled(template: Template) -> Template:
        slots = {
            name: file.words[value] if isinstance(value, str) and value in file.words else value
            for name, value in template.slots.items()
        }
        return template.model_copy(update={"slots": slots})

    return tuple(map(filled, file.template)), file.start


def draw_draft(templates: Sequence[Template], rows: Rows, rng: random.Random) -> Draft:
    """Draw what fills some templates, and join them.

    Args:
        templates: of the same servers.
        rows: returns the rows of a table of that world.
        rng: the draw.
    """
    asks: list[str] = []
    calls: list[str] = []
    edges: list[tuple[int, int]] = []
    for template in templates:
        values = {name: _drawn(slot, rows, rng) for name, slot in template.slots.items()}
        behind = len(calls)
        asks.append(rng.choice(template.asks).format(**values))
        for step in template.steps:
            call = _STEP.sub(lambda found: f"${int(found[1]) + behind}", step)  # noqa: B023
            calls.append(call.format(**values))
        edges += [(one + behind, other + behind) for one, other in template.edges]
    return Draft(
        servers=templates[0].servers,
        request=" ".join(asks),
        calls=tuple(calls),
        edges=tuple(dict.fromkeys(edges)),
        templates=tuple(template.name for template in templates),
    )


def _drawn(slot: str | tuple[_Value, ...], rows: Rows, rng: random.Random) -> Any:
    if isinstance(slot, str):
        found = _ROWS.fullmatch(slot)
        if found is None:
            raise TaskError(f"a template's slot says nothing that is known: {slot!r}")
        table, column, least = found.groups()
        possible = [row for row in rows(table) if column is None or str(row[column]) > least]
        row = rng.choice(possible)
        return SimpleNamespace(**{name.replace("/", "_"): value for name, value in row.items()})
    value = rng.choice(slot)
    return SimpleNamespace(**value) if isinstance(value, dict) else value


def _read(name: str) -> Any:
    source = resources.files("ossia_dataset") / "data" / "worfbench" / name
    return tomllib.loads(source.read_text("utf-8"))
