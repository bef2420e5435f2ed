"""Worlds in a PostgreSQL database, which any number of server processes share."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any, Final

import orjson

from ossia.errors import UserError
from ossia.storage.database import StoreError
from ossia.storage.postgres import DIALECT, Address, PostgresDatabase
from ossia_servers.worlds import Overtaken, UnknownWorld, Worlds, WorldsUnavailable
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Row
from ossia_servers.worlds.store import overlay_of
from ossia_servers.worlds.world import RowKey, World

__all__ = ["WORLDS_VERSION", "PostgresWorlds"]

_LOG: Final = logging.getLogger(__name__)

WORLDS_VERSION: Final = 1
"""Version of the tables of shared worlds."""

WORLDS_KEPT: Final = 1024
"""Worlds whose state a process remembers, so that it reads only what others have added."""

_PAUSE_SECONDS: Final = 1.0
"""After a connection that failed, requests are refused at once for so long: each try may take
seconds, in which nothing else is answered."""

# How long a request may wait for a server that is silent.
_WAIT_MS: Final = 5000
_CONNECTION: Final = {"connect_timeout": _WAIT_MS // 1000, "tcp_user_timeout": _WAIT_MS}

_UNAVAILABLE: Final = "The database of the worlds cannot be used now"

_NAMESPACE: Final = "ossia_worlds"

# The generation tells a world from a later one of the same id. What a start is made of is JSON,
# since a home may hold what a text in PostgreSQL may not. Worlds end with their requests by the
# reference, in one statement, so that no process that stands still holds a lock of the server.
_LAYOUT: Final = f"""
CREATE SCHEMA {_NAMESPACE};
CREATE TABLE {_NAMESPACE}.layout (version INTEGER NOT NULL);
INSERT INTO {_NAMESPACE}.layout VALUES ({WORLDS_VERSION});
CREATE TABLE {_NAMESPACE}.worlds (
    id {DIALECT.key} PRIMARY KEY, kind TEXT NOT NULL, start BYTEA NOT NULL,
    generation BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE
);
CREATE TABLE {_NAMESPACE}.requests (
    generation BIGINT REFERENCES {_NAMESPACE}.worlds (generation) ON DELETE CASCADE,
    seq INTEGER, record BYTEA NOT NULL, touched BYTEA, PRIMARY KEY (generation, seq)
);
"""

_READ: Final = """
SELECT w.generation, w.start, r.seq, r.touched FROM worlds w LEFT JOIN requests r
    ON r.generation = w.generation AND r.seq >= CASE WHEN w.generation = ? THEN ? ELSE 0 END
WHERE w.id = ? AND w.kind = ? ORDER BY r.seq
"""

_RECORDS: Final = """
SELECT r.record FROM worlds w LEFT JOIN requests r ON r.generation = w.generation
WHERE w.id = ? AND w.kind = ? ORDER BY r.seq
"""

# Adds nothing where a world is gone or another has taken the number. All processes add in one
# order, or two that wait for each other's worlds would wait for ever.
_ADD: Final = """
INSERT INTO requests SELECT w.generation, added.seq, added.record, added.touched
    FROM unnest(?::BIGINT[], ?::INTEGER[], ?::BYTEA[], ?::BYTEA[])
        AS added (generation, seq, record, touched) JOIN worlds w USING (generation)
    ORDER BY w.generation FOR KEY SHARE OF w ON CONFLICT DO NOTHING RETURNING generation
"""


@dataclass
class _Known:
    """What this process knows of a world: its state after so many requests."""

    world: World
    generation: int
    requests: int


_Added = tuple[_Known, bytes, bytes | None]
"""A request to be added: its world, its record and the rows that it has changed."""


class PostgresWorlds(Worlds):
    """Worlds that several processes share.

    Each request reads what others have added, is carried out, and is added under the next number
    of its world; where another process was first, nothing is added. One statement adds the requests
    of a group, at most one of each world. So no lock is held while a request is carried out, and a
    process that is lost or stands still leaves none.
    """

    def __init__(self, domains: Sequence[Domain], address: Address, kind: str) -> None:
        """Connect, and lay out the database where nobody has.

        Args:
            domains: the domains whose tables a world holds.
            address: the database.
            kind: what tells these servers from others: worlds of another kind are not seen.

        Raises:
            UserError: the database cannot be used, or is of another version or program.
        """
        super().__init__(domains)
        self._address, self._kind = address, kind
        self._known: dict[str, _Known] = {}
        self._group: dict[str, _Added] | None = None
        self._db: PostgresDatabase | None = self._connected()
        self._again = 0.0

    def create(self, world_id: str, *, seed: str, now: datetime, home: str) -> World:
        """Create a world from a named seed."""
        start = self._start(seed, now, home)
        with self._database() as db:
            made = db.row(
                "INSERT INTO worlds (id, kind, start) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
                " RETURNING generation",
                (world_id, self._kind, orjson.dumps([seed, now.isoformat(), home])),
            )
        if made is None:
            raise ValueError(f"a world with the id '{world_id}' already exists")
        return self._keep(_Known(World(world_id, start, {}, {}), made[0], 0))

    def get(self, world_id: str) -> World:
        """Return a world as it is now, with what other processes have done in it."""
        known = self._known.pop(world_id, None)
        generation, requests = (known.generation, known.requests) if known else (0, 0)
        values = (generation, requests, _searched(world_id), self._kind)
        with self._database() as db:
            rows = list(db.rows(_READ, values))
        if not rows:
            raise _unknown(world_id)
        if known is None or rows[0][0] != known.generation:
            known = self._begun(world_id, rows[0])
        _follow(known, [(seq, touched) for _, _, seq, touched in rows if seq is not None])
        return self._keep(known)

    def _keep(self, known: _Known) -> World:
        """Remember a world, and forget the one that was asked for longest ago."""
        while len(self._known) >= WORLDS_KEPT:
            del self._known[next(iter(self._known))]
        self._known[known.world.id] = known
        return known.world

    def _begun(self, world_id: str, row: tuple[Any, ...]) -> _Known:
        seed, now, home = orjson.loads(row[1])
        start = self._start(seed, datetime.fromisoformat(now), home)
        return _Known(World(world_id, start, {}, {}), row[0], 0)

    def delete(self, world_id: str) -> None:
        """Delete a world and its requests."""
        self._known.pop(world_id, None)
        with self._database() as db:
            statement = "DELETE FROM worlds WHERE id = ? AND kind = ?"
            gone = db.change(statement, (_searched(world_id), self._kind))
        if not gone:
            raise _unknown(world_id)

    def commit(self, world: World, touched: Mapping[RowKey, Row | None], record: bytes) -> None:
        """Make one request durable: its changed rows and its record, together."""
        # Kept again when it is stored: until then the world is ahead of what others know.
        known = self._known.pop(world.id, None)
        if known is None or known.world is not world or self.is_pending(world.id):
            raise Overtaken("This world was read again, or deleted")
        rows = [[*key, row] for key, row in touched.items()]
        added = (known, record, orjson.dumps(rows) if rows else None)
        if self._group is not None:
            self._group[world.id] = added
        elif self._add({world.id: added}):
            raise Overtaken("Another process has acted in this world")

    def begin_group(self) -> None:
        """Hold the requests back until `end_group`."""
        if self._group is None:
            self._group = {}

    def is_pending(self, world_id: str) -> bool:
        """Say whether the open group has a request in a world."""
        return self._group is not None and world_id in self._group

    def end_group(self) -> Collection[str]:
        """Add the requests of the open group, if there is one."""
        group, self._group = self._group, None
        return self._add(group) if group else ()

    def _add(self, group: Mapping[str, _Added]) -> Collection[str]:
        """Add requests; returns the worlds in which another process was first."""
        rows = [(known.generation, known.requests, *told) for known, *told in group.values()]
        with self._database() as db:
            columns = tuple(map(list, zip(*rows, strict=True)))
            kept = {generation for (generation,) in db.rows(_ADD, columns)}
        overtaken = set()
        for world_id, (known, *_) in group.items():
            if known.generation in kept:
                known.requests += 1
                self._keep(known)
            else:
                overtaken.add(world_id)
        return overtaken

    def records(self, world_id: str) -> list[bytes]:
        """Return the records of a world's requests in order."""
        with self._database() as db:
            rows = list(db.rows(_RECORDS, (_searched(world_id), self._kind)))
        if not rows:
            raise _unknown(world_id)
        return [record for (record,) in rows if record is not None]

    def close(self) -> None:
        """Close the connection."""
        if self._db is not None:
            self._db.close()

    @contextmanager
    def _database(self) -> Iterator[PostgresDatabase]:
        """Give the connection, made anew where it is lost.

        Raises:
            WorldsUnavailable: the database cannot be used.
        """
        try:
            if self._db is None:
                if monotonic() < self._again:
                    raise WorldsUnavailable(_UNAVAILABLE)
                self._db = self._connected()
                _LOG.warning("The database of the worlds is connected again.")
            yield self._db
        except UserError as error:
            # Told here alone: it names the server and its user, who are no business of agents.
            if self._db is not None:
                _LOG.error("The worlds cannot be used: %s.", error)
            if self._db is None or self._db.connection.closed:
                self._db = None
                # The server may come back without what it had not made durable.
                self._known.clear()
                self._again = monotonic() + _PAUSE_SECONDS
            raise WorldsUnavailable(_UNAVAILABLE) from None

    def _connected(self) -> PostgresDatabase:
        db = self._address.connect(**_CONNECTION)
        with ExitStack() as refused:
            refused.callback(db.close)
            db.change(f"SET statement_timeout = {_WAIT_MS}")
            with db.together():
                db.wait_for("worlds")
                _prepare(db)
            db.within(_NAMESPACE)
            refused.pop_all()
        return db


def _searched(world_id: str) -> str:
    """Return an id without the character 0, which the database refuses in texts."""
    return world_id.replace("\0", "\ufffd")


def _unknown(world_id: str) -> UnknownWorld:
    return UnknownWorld(f"no world has the id '{world_id}'")


def _follow(known: _Known, added: Sequence[tuple[int, bytes | None]]) -> None:
    """Bring a world to the state after requests that were added since."""
    if not added:
        return
    overlay = dict(known.world.overlay)
    for _, touched in added:
        if touched is not None:
            overlay.update(overlay_of(orjson.loads(touched)))
    known.world = World(known.world.id, known.world.start, {}, overlay)
    known.requests = added[-1][0] + 1


def _prepare(db: PostgresDatabase) -> None:
    """Lay out the database, or check the layout that it has.

    Raises:
        UserError: it is of another version or program.
    """
    found = db.row(
        "SELECT to_regnamespace(?), to_regclass(?)", (_NAMESPACE, f"{_NAMESPACE}.layout")
    )
    namespace, layout = found or (None, None)
    if namespace is None:
        db.change(_LAYOUT)
        return
    if layout is None:
        raise UserError(
            f"{db.address.shown} has a schema '{_NAMESPACE}' of another program; nothing was"
            " changed: name another database"
        )
    version = db.row(f"SELECT version FROM {_NAMESPACE}.layout")
    if version is None or version[0] != WORLDS_VERSION:
        raise StoreError(f"{db.address.shown} keeps worlds of another version of Ossia")
