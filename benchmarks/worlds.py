"""Worlds: how long it takes to make one, in the process and over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.measure import Spread, quantile, wall_seconds
from benchmarks.tables import Goal, Row, Table
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import serve
from ossia_servers.worlds import WorldStore

__all__ = ["worlds"]

GOAL_MS = 5.0


def worlds(*, quick: bool) -> Table:
    """Measure making worlds, in turns with a bare SQLite insert.

    Args:
        quick: Few worlds, for a first look.

    Returns:
        The table.
    """
    rounds, count = (3, 50) if quick else (7, 300)
    inserts: list[float] = []
    creates: list[float] = []
    posts: list[float] = []
    with tempfile.TemporaryDirectory(prefix="ossia-bench-") as name:
        bare = _bare_database(Path(name) / "bare.sqlite")
        store = WorldStore(load_domains(), Path(name) / "worlds.sqlite")
        (first,) = _timed(1, lambda _: _create(store))
        for _ in range(rounds):
            inserts += _timed(count, lambda number: _insert(bare))
            creates += _timed(count, lambda number: _create(store))
            posts += asyncio.run(_posted(store, count))
        bare.close()
        store.close()
    return _table(first, inserts, creates, posts)


def _table(first: float, inserts: list[float], creates: list[float], posts: list[float]) -> Table:
    base = Spread.of(inserts).median

    def row(name: str, taken: list[float], *, judged: bool) -> Row:
        middle = Spread.of(taken)
        goal = Goal(middle.median, GOAL_MS, "less", " ms", 0) if judged else None
        cells = (
            name,
            middle.text(3),
            f"{quantile(taken, 0.99):.3f}",
            f"{middle.median / base:.1f}",
        )
        return Row(cells, goal)

    return Table(
        "Making a world",
        ("what", "ms", "99th percentile ms", "ratio to a bare insert"),
        (
            row("a bare insert of one row into SQLite", inserts, judged=False),
            row("WorldStore.create", creates, judged=True),
            row("POST /worlds", posts, judged=True),
            row("WorldStore.create, first of its seed, clock and home", [first], judged=False),
        ),
        (
            f"{len(creates)} worlds each way, in turns; the database is a file. The POST is made"
            " over one kept connection from a thread of the same process.",
        ),
    )


def _timed(count: int, make: Callable[[int], object]) -> list[float]:
    """Return the milliseconds of each of so many calls."""
    taken = []
    for number in range(count):
        started = wall_seconds()
        make(number)
        taken.append(1000 * (wall_seconds() - started))
    return taken


def _create(store: WorldStore) -> None:
    store.create(store.free_id(), seed="home", now=DEFAULT_NOW, home=DEFAULT_HOME)


def _bare_database(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    return database


def _insert(database: sqlite3.Connection) -> None:
    database.execute("INSERT INTO rows (text) VALUES ('a row about as long as that of a world')")


async def _posted(store: WorldStore, count: int) -> list[float]:
    """Return the milliseconds of so many posts, served from this loop."""
    async with serve(build_app(load_domains(), store)) as url:
        return await asyncio.to_thread(_post, urlsplit(url).netloc, count)


def _post(address: str, count: int) -> list[float]:
    new = {"seed": "home", "now": DEFAULT_NOW.isoformat(), "home": DEFAULT_HOME}
    body = json.dumps(new)
    connection = http.client.HTTPConnection(address)

    def post(_: int) -> None:
        connection.request("POST", "/worlds", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        if response.status != 201:
            raise RuntimeError(f"POST /worlds answered {response.status}")

    try:
        return _timed(count, post)
    finally:
        connection.close()
