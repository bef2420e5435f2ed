"""What a store asks of a database, and the tables that every kind of database holds alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from ossia.errors import UserError

STORE_VERSION: Final = 2
"""Version of the tables of a run. Version 1 has no table of figures, and is read as well."""

READ_VERSIONS: Final = frozenset({1, STORE_VERSION})

Access = Literal["read", "write", "join"]
"""`write` holds the run alone against other writers; `join` writes episodes beside who holds it."""


class StoreError(UserError):
    """The database cannot be reached, read or written; what it holds is as it was."""


class Database(Protocol):
    """An open database of one run. Values stand in statements as question marks.

    Attributes:
        version: Of its tables. What is opened for writing has the present one.
    """

    version: int

    def change(self, statement: str, values: Sequence[object] = ()) -> int:
        """Carry out a statement; returns how many rows it has changed."""

    def change_many(self, statement: str, lines: Sequence[Sequence[object]]) -> None:
        """Carry out a statement for each of several lines of values."""

    def rows(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows that a statement finds."""

    def row(self, statement: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """Return the first row that a statement finds, or None."""

    def all_of(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Yield all rows of a table in its order, never holding them all."""

    def together(self) -> AbstractContextManager[None]:
        """Make what is changed inside durable at its end, all of it or nothing."""

    def close(self) -> None:
        """Close the database and give back what was held of the run."""


@dataclass(frozen=True)
class Dialect:
    """How a database writes what others write differently."""

    key: str
    """The type of a text that rows are found by, and are sorted by its bytes."""
    binary: str
    real: str
    end: str
    """What stands after the columns of a table with a key."""


@dataclass(frozen=True)
class Table:
    """A table, by whose first columns its rows are sorted."""

    name: str
    columns: str
    """As a dialect is filled in."""
    order: str
    keyed: bool = True
    since: int = 1
    """The first version of the tables that has it."""

    def made(self, dialect: Dialect) -> str:
        """Return the statement that makes it where it is not there."""
        columns = self.columns.format(key=dialect.key, binary=dialect.binary, real=dialect.real)
        end = dialect.end if self.keyed else ""
        return f"CREATE TABLE IF NOT EXISTS {self.name} ({columns}){end};"

    @property
    def width(self) -> int:
        """How many columns it has."""
        return self.columns.count(",") + 1


RUN_TABLES: Final = (
    Table("meta", "key {key} PRIMARY KEY, value TEXT NOT NULL", "key"),
    Table(
        "episodes",
        "id {key} PRIMARY KEY, task TEXT NOT NULL, framework TEXT NOT NULL, model TEXT NOT NULL,"
        " repeat INTEGER NOT NULL, trace {binary} NOT NULL",
        "id",
    ),
    Table(
        "scores", "episode {key} PRIMARY KEY, verdict TEXT NOT NULL, score TEXT NOT NULL", "episode"
    ),
    Table(
        "figures",
        "episode {key} PRIMARY KEY, made_by TEXT NOT NULL, figures TEXT NOT NULL",
        "episode",
        since=2,
    ),
)
ATTRIBUTION_TABLES: Final = (
    Table(
        "attributions",
        "episode {key} PRIMARY KEY, digest TEXT NOT NULL, attribution TEXT NOT NULL",
        "episode",
    ),
    Table("sessions", "failures INTEGER NOT NULL, cpu_s {real} NOT NULL", "failures, cpu_s", False),
    Table(
        "verifications",
        "episode {key} PRIMARY KEY, digest TEXT NOT NULL, verification TEXT NOT NULL",
        "episode",
    ),
)
