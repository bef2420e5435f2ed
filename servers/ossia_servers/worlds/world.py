"""One world: an immutable start state overlaid with the rows that differ."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from ossia_dataset.randomness import seeded_random
from ossia_servers.worlds.diff import Diff, RowChange
from ossia_servers.worlds.schema import Row, Table
from ossia_servers.worlds.seeds import SeedContext

RowKey = tuple[str, str]
"""Table name and row id."""

Overlay = dict[RowKey, Row | None]
"""Rows that differ from the seed; None marks a removed row. Ordered by first change."""


@dataclass(frozen=True)
class Touched:
    """The rows that a transaction put, filled in when it has ended well."""

    before: Overlay
    """Their values before the transaction."""
    after: Overlay
    """Their values now."""


@dataclass(frozen=True)
class Start:
    """The immutable seed rows that many worlds share.

    Rows of a table are kept in id order; ids are `prefix-1`, `prefix-2`, ...
    """

    context: SeedContext
    tables: Mapping[str, Table]
    rows: Mapping[str, Mapping[str, Row]]
    """Seed rows by table name and id."""


class World:
    """The state of all domain servers for one episode, as handlers see it.

    Reading is free; `add`, `change` and `remove` must run inside `transaction()`.
    """

    def __init__(self, identity: str, start: Start, base: Overlay, overlay: Overlay) -> None:
        """Put a world together.

        Args:
            identity: the world's id.
            start: the shared seed rows.
            base: rows that setup changed before the episode; the diff is against these.
            overlay: rows that differ from the seed now; becomes the world's own.
        """
        self.id = identity
        self.start = start
        self.base = base
        self.overlay = overlay
        self._undo: list[tuple[RowKey, bool, Row | None]] | None = None
        self._counts: dict[str, int] = {}
        for table, row_id in overlay:
            if row_id not in start.rows[table]:
                self._counts[table] = self._counts.get(table, 0) + 1

    @property
    def now(self) -> datetime:
        """The frozen clock."""
        return self.start.context.now

    @property
    def today(self) -> date:
        """The date of the frozen clock."""
        return self.now.date()

    @property
    def home(self) -> str:
        """The home location in normal form."""
        return self.start.context.home

    def random(self, *parts: object) -> random.Random:
        """Return a random stream that depends on the seed's name and `parts` alone."""
        return seeded_random(self.start.context.name, *parts)

    def rows(self, table: str) -> list[Row]:
        """Return the rows of a table in the order in which they were made."""
        seed = self.start.rows[table]
        own = {row_id: row for (owner, row_id), row in self.overlay.items() if owner == table}
        if not own:
            return list(seed.values())
        return [row for row in {**seed, **own}.values() if row is not None]

    def get(self, table: str, row_id: str) -> Row | None:
        """Return one row, or None."""
        return self._value((table, row_id), self.overlay)

    def add(self, table: str, **values: Any) -> Row:
        """Add a row with the next free id and return it."""
        count = self._counts.get(table, 0) + 1
        number = len(self.start.rows[table]) + count
        row_id = f"{self.start.tables[table].prefix}-{number}"
        row = self._checked(table, {"id": row_id, **values})
        self._put((table, row_id), row)
        self._counts[table] = count
        return row

    def change(self, table: str, row_id: str, **values: Any) -> Row:
        """Change columns of a row and return the new row.

        Raises:
            KeyError: there is no such row.
        """
        old = self.get(table, row_id)
        if old is None:
            raise KeyError(f"no row {row_id} in {table}")
        row = self._checked(table, {**old, **values})
        if row != old:
            self._put((table, row_id), row)
        return row

    def remove(self, table: str, row_id: str) -> Row:
        """Remove a row and return it.

        Raises:
            KeyError: there is no such row.
        """
        old = self.get(table, row_id)
        if old is None:
            raise KeyError(f"no row {row_id} in {table}")
        self._put((table, row_id), None)
        return old

    @property
    def changing(self) -> bool:
        """Whether the open transaction has put any row."""
        return bool(self._undo)

    @contextmanager
    def transaction(self) -> Iterator[Touched]:
        """Collect changes; an exception takes all of them back.

        Yields:
            The rows that were touched, filled in once the block has ended well.
        """
        if self._undo is not None:
            raise RuntimeError("transactions of a world do not nest")
        undo = self._undo = list[tuple[RowKey, bool, Row | None]]()
        touched = Touched({}, {})
        try:
            with ExitStack() as cut_off:
                cut_off.callback(self._take_back, undo, dict(self._counts))
                yield touched
                cut_off.pop_all()
            for key, was_there, row in undo:
                if key not in touched.before:
                    seeded = self.start.rows[key[0]].get(key[1])
                    touched.before[key] = row if was_there else seeded
                    touched.after[key] = self.overlay[key]
        finally:
            self._undo = None

    def _take_back(
        self, undo: Sequence[tuple[RowKey, bool, Row | None]], counts: dict[str, int]
    ) -> None:
        """Bring the world to its state before a transaction."""
        for key, was_there, row in reversed(undo):
            if was_there:
                self.overlay[key] = row
            else:
                del self.overlay[key]
        self._counts = counts

    def diff(self) -> Diff:
        """Return what changed since the episode's start."""
        return self.compare(self.base, self.overlay)

    def compare(self, before: Overlay, after: Overlay) -> Diff:
        """Return the difference between two overlays of this world's seed."""
        if not before and not after:
            return Diff()
        order = {name: index for index, name in enumerate(self.start.tables)}
        keys = dict.fromkeys([*before, *after])
        changes = []
        for key in sorted(keys, key=lambda item: (order[item[0]], _number(item[1]))):
            old, new = self._value(key, before), self._value(key, after)
            if old == new:
                continue
            kind = "added" if old is None else "removed" if new is None else "changed"
            changes.append(
                RowChange.model_construct(
                    kind=kind,
                    table=key[0],
                    id=key[1],
                    before=None if old is None else dict(old),
                    after=None if new is None else dict(new),
                )
            )
        return Diff.model_construct(changes=tuple(changes))

    def _value(self, key: RowKey, overlay: Overlay) -> Row | None:
        if key in overlay:
            return overlay[key]
        return self.start.rows[key[0]].get(key[1])

    def _checked(self, table: str, row: dict[str, Any]) -> Row:
        expected = self.start.tables[table].columns
        if row.keys() - {"id"} != expected.keys():
            raise TypeError(f"a row of {table} has exactly the columns {', '.join(expected)}")
        return row

    def _put(self, key: RowKey, row: Row | None) -> None:
        if self._undo is None:
            raise RuntimeError("a world changes only inside a transaction")
        self._undo.append((key, key in self.overlay, self.overlay.get(key)))
        self.overlay[key] = row


def _number(row_id: str) -> int:
    return int(row_id.rsplit("-", 1)[1])
