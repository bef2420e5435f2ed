"""Changing one field of one row, and what the published tools do with a field that is not there."""

from __future__ import annotations

from collections.abc import Callable

from ossia_servers.worlds.schema import Match, Refusal, Row, Table
from ossia_servers.worlds.world import World

Invented = Callable[[World, Row, str, str], None]
"""What an update does with a field that the table does not have."""

_NO_ROW = ""
"""Stands for the column itself, which outlives the rows that have a value in it."""


def refuse_field(world: World, row: Row, field: str, value: str) -> None:
    """Refuse, and say which fields there are.

    Raises:
        Refusal: always.
    """
    known = ", ".join(name for name in row if name != "id")
    raise Refusal(f"Field not found. Please choose from: {known}.", code="NOT_FOUND", status=404)


def invent_column(table: str) -> Invented:
    """Return the published behaviour: the table grows a column, which counts as a change."""

    def invent(world: World, row: Row, field: str, value: str) -> None:
        cells = [extra for extra in world.rows(table) if extra["field"] == field]
        if not cells:
            world.add(table, row=_NO_ROW, field=field, value="")
        for cell in cells:
            if cell["row"] == row["id"]:
                world.change(table, cell["id"], value=value)
                return
        world.add(table, row=row["id"], field=field, value=value)

    return invent


def forget_cells(world: World, table: str, row_id: str) -> None:
    """Remove what a deleted row holds in invented columns; the columns stay, as published.

    Args:
        world: the office.
        table: the table of the toolkit's invented columns.
        row_id: the deleted row's id in its own table.
    """
    for cell in tuple(world.rows(table)):
        if cell["row"] == row_id:
            world.remove(table, cell["id"])


def extras_table(name: str) -> Table:
    """Return the table that holds a toolkit's invented columns; empty without the compatibility."""
    columns = {"row": Match.EXACT, "field": Match.EXACT, "value": Match.LOWER}
    return Table(name, "extra", columns)
