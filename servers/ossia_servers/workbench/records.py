"""What the office's tools do alike: records of a table, found, told, changed and deleted by id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any, TypeVar

from ossia_servers.workbench.extras import Invented, forget_cells
from ossia_servers.workbench.forms import one_of
from ossia_servers.workbench.tool import Given, Parameter, Tool, bad, find, next_id, visible
from ossia_servers.worlds.schema import Refusal, Reply, Row, Table
from ossia_servers.worlds.world import World

Check = Callable[[World, str, str], str]
"""Takes a field and its new value, and returns what is stored; raises `Refusal`."""

_Bound = TypeVar("_Bound", str, date, datetime)


@dataclass(frozen=True, slots=True)
class Records:
    """The records of one table, and the tools that every such table has."""

    table: Table
    name: str
    """What the tools' names and sentences call one: `event`."""
    called: str
    """What the tools' descriptions call one: `an event`."""
    id: Parameter
    width: int = 8
    """Digits of a new id, at least."""
    fields: str = ""
    """What the parameter `field` may be; all columns when left out."""
    extras: Table | None = None
    """Holds the columns that updates invent, where they may."""

    @property
    def title(self) -> str:
        """The name as it begins a sentence."""
        return self.name.capitalize()

    @property
    def field(self) -> Parameter:
        """The parameter that names a column."""
        *names, last = self.table.columns
        told = self.fields or f"{', '.join(names)} or {last}"
        return Parameter("field", told, one_of(tuple(self.table.columns)))

    def get(self, world: World, record_id: str) -> Row:
        """Return the record with this id.

        Raises:
            Refusal: there is none.
        """
        row = find(world, self.table.name, self.id.name, record_id)
        if row is None:
            raise Refusal.not_found(f"{self.title} not found.")
        return row

    def add(self, world: World, values: Mapping[str, Any]) -> str:
        """Add a record, and return its new id."""
        record_id = next_id(world, self.table.name, self.id.name, self.width)
        world.add(self.table.name, **{self.id.name: record_id, **values})
        return record_id

    def search(
        self, world: World, keep: Callable[[Row], bool], most: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the first records to keep, in the table's order.

        Args:
            world: the office.
            keep: whether a record is found.
            most: how many are returned at most; None for all.
        """
        found = (visible(row) for row in world.rows(self.table.name) if keep(row))
        return list(islice(found, most))

    def information(self) -> Tool:
        """Return the tool that tells one field of one record."""

        def tell(world: World, given: Given) -> Reply:
            needs(given, {self.id.name: f"{self.title} ID", "field": "Field"})
            row, field = visible(self.get(world, given[self.id.name])), given["field"]
            if field not in row:
                raise Refusal.not_found("Field not found.")
            return Reply(f"{field}: {row[field]}", {field: row[field]})

        return Tool(
            f"get_{self.name}_information_by_id",
            f"Tells one field of {self.called}.",
            (self.id, self.field),
            tell,
            needed=(self.id.name, "field"),
        )

    def delete(self) -> Tool:
        """Return the tool that deletes one record."""

        def remove(world: World, given: Given) -> Reply:
            needs(given, {self.id.name: f"{self.title} ID"})
            row_id = self.get(world, given[self.id.name])["id"]
            world.remove(self.table.name, row_id)
            if self.extras is not None:
                forget_cells(world, self.extras.name, row_id)
            return Reply(f"{self.title} deleted successfully.")

        return Tool(
            f"delete_{self.name}",
            f"Deletes {self.called}.",
            (self.id,),
            remove,
            writes=True,
            needed=(self.id.name,),
        )

    def update(self, check: Check, invented: Invented) -> Tool:
        """Return the tool that changes one field of one record.

        Args:
            check: what may be stored in a field; asked before the record is looked for, as
                published.
            invented: what is done with a field that the table does not have.
        """

        def change(world: World, given: Given) -> Reply:
            record_id, field, value = (given.get(n) for n in (self.id.name, "field", "new_value"))
            if not record_id or not field or not value:
                raise bad(f"{self.title} ID, field, or new value not provided.")
            stored = check(world, field, value)
            row = self.get(world, record_id)
            if field in visible(row):
                world.change(self.table.name, row["id"], **{field: stored})
            else:
                invented(world, row, field, stored)
            return Reply(f"{self.title} updated successfully.")

        return Tool(
            f"update_{self.name}",
            f"Changes one field of {self.called}.",
            (self.id, self.field, Parameter("new_value", "the field's new value")),
            change,
            writes=True,
            needed=(self.id.name, "field", "new_value"),
        )


def needs(given: Given, names: Mapping[str, str]) -> None:
    """Refuse a call that leaves something out.

    Args:
        given: the arguments.
        names: what cannot be done without, and what the refusal calls it.

    Raises:
        Refusal: one is missing or empty; the first is named.
    """
    for name, said in names.items():
        if not given.get(name):
            raise bad(f"{said} not provided.")


def choices(options: tuple[str, ...]) -> str:
    """Return the values that a refusal names."""
    return ", ".join(f"'{option}'" for option in options)


def within(value: _Bound | None, first: _Bound | None, last: _Bound | None) -> bool:
    """Return whether a value lies between two bounds, both included.

    Args:
        value: a text or a moment; None lies in no bounds.
        first: the lower bound; none where it is None or empty.
        last: the upper bound; none where it is None or empty.
    """
    if not first and not last:
        return True
    return value is not None and (not first or value >= first) and (not last or value <= last)
