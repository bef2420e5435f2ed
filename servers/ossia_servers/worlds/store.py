"""What is asked of a store of worlds, and the one of a single process, in SQLite."""

from __future__ import annotations

import os
import secrets
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import orjson

from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import Overlay, RowKey, Start, World

STORE_VERSION = 3
"""Version of the database layout; version 1 is the same. In version 2 a table `shard` says whether
the file holds all worlds or those of one of several server processes."""

STARTS_KEPT = 256
"""Built start states that wait for another world with the same seed, clock and home. Each one takes
about a quarter of a megabyte, and a client may name ever new clocks."""

_LAYOUT = (
    """CREATE TABLE IF NOT EXISTS worlds (
        id TEXT PRIMARY KEY, seed TEXT NOT NULL, now TEXT NOT NULL, home TEXT NOT NULL,
        base BLOB NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS requests (
        world TEXT NOT NULL, seq INTEGER NOT NULL, record BLOB NOT NULL, touched BLOB,
        PRIMARY KEY (world, seq)
    ) WITHOUT ROWID""",
)
_OWN = frozenset({"worlds", "requests"})
_TABLES = {0: frozenset[str](), 1: _OWN, 2: _OWN | {"shard"}, STORE_VERSION: _OWN}


class UnknownWorld(LookupError):
    """No world has this id, or it was deleted."""


class WorldsUnavailable(Exception):
    """The database of the worlds cannot be used now; it may be later."""


class Overtaken(WorldsUnavailable):
    """Another process has acted in the world since it was read; nothing of this request is kept."""


class Worlds(ABC):
    """Creates, finds and deletes worlds, and makes each request's changes durable.

    Not thread-safe: one store belongs to one event loop.
    """

    def __init__(self, domains: Sequence[Domain]) -> None:
        """Prepare for worlds.

        Args:
            domains: the domains whose tables a world holds.
        """
        self.tables: Mapping[str, Table] = {
            table.name: table for domain in domains for table in domain.tables
        }
        self._start = _starts_of(tuple(domains))

    @abstractmethod
    def create(self, world_id: str, *, seed: str, now: datetime, home: str) -> World:
        """Create a world from a named seed.

        Raises:
            ValueError: the id is taken.
        """

    @abstractmethod
    def get(self, world_id: str) -> World:
        """Return a world as it is now.

        Raises:
            UnknownWorld: there is none with this id.
        """

    def free_id(self) -> str:
        """Return an id that no world has, and that is hard to guess."""
        return f"world-{secrets.token_urlsafe(16)}"

    @abstractmethod
    def delete(self, world_id: str) -> None:
        """Delete a world and its requests.

        Raises:
            UnknownWorld: there is none with this id.
        """

    @abstractmethod
    def commit(self, world: World, touched: Mapping[RowKey, Row | None], record: bytes) -> None:
        """Make one request durable: its changed rows and its record, together.

        Raises:
            Overtaken: another process has acted in the world; it has to be got again.
        """

    @abstractmethod
    def records(self, world_id: str) -> list[bytes]:
        """Return the records of a world's requests in order.

        Raises:
            UnknownWorld: there is none with this id.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the database."""

    @abstractmethod
    def begin_group(self) -> None:
        """Hold the changes from here on back until `end_group`; again inside a group does nothing.

        A commit costs more than a request, and requests that arrive together can share one.
        """

    @abstractmethod
    def end_group(self) -> Collection[str]:
        """Commit the changes of the open group, if there is one.

        Returns:
            The worlds in which another process was first; what was done here is not kept.

        Raises:
            sqlite3.OperationalError: the database cannot be written.
            WorldsUnavailable: it cannot be used now.
        """

    def is_pending(self, world_id: str) -> bool:
        """Say whether nobody may act in a world before the open group has ended."""
        return False


class WorldStore(Worlds):
    """Worlds of one process, in a SQLite file or in memory.

    Each change is committed at once, unless it is made between `begin_group` and `end_group`: then
    all of the group are committed together.
    """

    def __init__(self, domains: Sequence[Domain], path: Path | None = None) -> None:
        """Open a store.

        Args:
            domains: the domains whose tables a world holds.
            path: the database file; None keeps everything in memory.

        Raises:
            ValueError: the file is none of worlds, or of a version that cannot be read.
            sqlite3.DatabaseError: it is no database, or cannot be made.
        """
        super().__init__(domains)
        self._open: dict[str, World] = {}
        self._sequence: dict[str, int] = {}
        file = ":memory:" if path is None else path
        if path is not None:
            # For its owner alone: whoever knows a world's id may act in it.
            with suppress(OSError):
                os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        self._db = sqlite3.connect(file, isolation_level=None)
        with ExitStack() as refused:
            refused.callback(self._db.close)
            self._prepare(str(file))
            refused.pop_all()

    def _prepare(self, file: str) -> None:
        """Lay out the database, or check the layout that it has."""
        _check_version(self._db, file)
        self._db.execute("PRAGMA journal_mode=WAL")
        # NORMAL survives a killed process; only a power cut can lose the last requests.
        self._db.execute("PRAGMA synchronous=NORMAL")
        # Copying the log back waits for the disk while requests wait: do it seldom.
        self._db.execute("PRAGMA wal_autocheckpoint=16000")
        with self._all_or_nothing():
            for statement in _LAYOUT:
                self._db.execute(statement)
            self._db.execute("DROP TABLE IF EXISTS shard")
            self._db.execute(f"PRAGMA user_version={STORE_VERSION}")

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Lay out in one transaction, so that no kill leaves tables without a version."""
        self._db.execute("BEGIN IMMEDIATE")
        with ExitStack() as cut_off:
            cut_off.callback(self._db.execute, "ROLLBACK")
            yield
            cut_off.pop_all()
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the database; an open group, which nobody was told of, is not kept."""
        self._db.close()

    def begin_group(self) -> None:
        """Hold the changes back until `end_group`."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN")

    def end_group(self) -> Collection[str]:
        """Commit the changes of the open group, if there is one."""
        if self._db.in_transaction:
            self._db.execute("COMMIT")
        return ()

    def create(self, world_id: str, *, seed: str, now: datetime, home: str) -> World:
        """Create a world from a named seed."""
        start = self._start(seed, now, home)
        try:
            self._db.execute(
                "INSERT INTO worlds VALUES (?, ?, ?, ?, ?)",
                (world_id, seed, now.isoformat(), home, b"[]"),
            )
        except sqlite3.IntegrityError:
            raise ValueError(f"a world with the id '{world_id}' already exists") from None
        world = World(world_id, start, {}, {})
        self._open[world_id] = world
        self._sequence[world_id] = 0
        return world

    def get(self, world_id: str) -> World:
        """Return a world."""
        world = self._open.get(world_id)
        return world if world is not None else self._load(world_id)

    def delete(self, world_id: str) -> None:
        """Delete a world and its requests."""
        self.get(world_id)
        with self._together():
            self._db.execute("DELETE FROM worlds WHERE id = ?", (world_id,))
            self._db.execute("DELETE FROM requests WHERE world = ?", (world_id,))
        del self._open[world_id]
        del self._sequence[world_id]

    def commit(self, world: World, touched: Mapping[RowKey, Row | None], record: bytes) -> None:
        """Make one request durable: its changed rows and its record, together."""
        sequence = self._sequence[world.id]
        self._sequence[world.id] = sequence + 1
        rows = [[*key, row] for key, row in touched.items()]
        self._db.execute(
            "INSERT INTO requests VALUES (?, ?, ?, ?)",
            (world.id, sequence, record, orjson.dumps(rows) if rows else None),
        )

    def requests(self, world_id: str) -> int:
        """Return how many requests a world has had.

        Raises:
            UnknownWorld: there is none with this id.
        """
        self.get(world_id)
        return self._sequence[world_id]

    def records(self, world_id: str) -> list[bytes]:
        """Return the records of a world's requests in order."""
        self.get(world_id)
        rows = self._db.execute(
            "SELECT record FROM requests WHERE world = ? ORDER BY seq", (world_id,)
        )
        return [row[0] for row in rows]

    def rebase(self, world: World) -> None:
        """Take the world's present state as the episode's start, and forget requests so far."""
        world.base = dict(world.overlay)
        base = [[*key, row] for key, row in world.base.items()]
        with self._together():
            self._db.execute(
                "UPDATE worlds SET base = ? WHERE id = ?", (orjson.dumps(base), world.id)
            )
            self._db.execute("DELETE FROM requests WHERE world = ?", (world.id,))
        self._sequence[world.id] = 0

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Make the changes of the block all or nothing."""
        self._db.execute("SAVEPOINT together")
        try:
            with ExitStack() as cut_off:
                cut_off.callback(self._db.execute, "ROLLBACK TO together")
                yield
                cut_off.pop_all()
        finally:
            self._db.execute("RELEASE together")

    def _load(self, world_id: str) -> World:
        found = self._db.execute(
            "SELECT seed, now, home, base FROM worlds WHERE id = ?", (world_id,)
        ).fetchone()
        if found is None:
            raise UnknownWorld(f"no world has the id '{world_id}'")
        start = self._start(found[0], datetime.fromisoformat(found[1]), found[2])
        base = overlay_of(orjson.loads(found[3]))
        overlay = dict(base)
        touched = self._db.execute(
            "SELECT touched FROM requests WHERE world = ? AND touched IS NOT NULL ORDER BY seq",
            (world_id,),
        )
        for (rows,) in touched:
            overlay.update(overlay_of(orjson.loads(rows)))
        world = World(world_id, start, base, overlay)
        self._open[world_id] = world
        self._sequence[world_id] = self._db.execute(
            "SELECT COUNT(*) FROM requests WHERE world = ?", (world_id,)
        ).fetchone()[0]
        return world


def _check_version(db: sqlite3.Connection, file: str) -> None:
    """Look whether a database can be brought to this version.

    Raises:
        ValueError: the database is another program's, of a version that is not known, or one of
            several files that hold the worlds together.
    """
    # In one statement, since the server that uses the database may be laying it out.
    version, named = db.execute(
        "SELECT user_version, (SELECT group_concat(name) FROM sqlite_master)"
        " FROM pragma_user_version"
    ).fetchone()
    found = set(named.split(",")) if named else set()
    if version == 0 and found:
        raise ValueError(f"{file} has tables but no version, so it is not a database of worlds")
    if version not in _TABLES:
        raise ValueError(f"{file} was written by another version of the world store")
    if not _TABLES[version] <= found:
        raise ValueError(f"{file} lacks a table of its version, so it is not a database of worlds")
    if version == 2:
        (files,) = db.execute("SELECT max(total) FROM shard").fetchone()
        if files not in (None, 1):
            raise ValueError(
                f"{file} is one of {files} files that {files} server processes wrote; later"
                " versions cannot read them, so name a new file"
            )


def _starts_of(domains: Sequence[Domain]) -> Callable[[str, datetime, str], Start]:
    """Return what gives the start state of a seed, a clock and a home."""

    @lru_cache(maxsize=STARTS_KEPT)
    def start(seed: str, now: datetime, home: str) -> Start:
        return build_start(domains, SeedContext(seed, now, home))

    return start


def overlay_of(rows: Sequence[tuple[str, str, Row | None]]) -> Overlay:
    """Return rows as they were stored, by table and id."""
    return {(table, row_id): row for table, row_id, row in rows}


def build_start(domains: Sequence[Domain], context: SeedContext) -> Start:
    """Build the seed rows of all domains, with ids.

    Raises:
        TypeError: a seed names an undeclared table or column (a mistake in the domain).
    """
    tables: dict[str, Table] = {}
    rows: dict[str, dict[str, Row]] = {}
    for domain in domains:
        seeded = domain.seed(context)
        owned = {table.name: table for table in domain.tables}
        if not seeded.keys() <= owned.keys():
            raise TypeError(f"the seed of {domain.name} names a table that it does not declare")
        for name, table in owned.items():
            tables[name] = table
            rows[name] = {}
            for number, row in enumerate(seeded.get(name, ()), start=1):
                if row.keys() != table.columns.keys():
                    raise TypeError(f"a seed row of {name} has other columns than declared")
                rows[name][f"{table.prefix}-{number}"] = {"id": f"{table.prefix}-{number}", **row}
    return Start(context, tables, rows)
