"""The file of a store: earlier layouts are taken over, and what cannot be is left alone."""

import sqlite3
from contextlib import closing
from datetime import datetime

import pytest

from ossia_servers.worlds import WorldStore

START = {"seed": "home", "now": datetime(2026, 3, 13, 10), "home": "chicago"}


def made(path, version, shard=None):
    """Make a database with one world as an earlier version did."""
    with closing(WorldStore([], path)) as store:
        store.create("mine", **START)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        if version == 2:
            db.execute("CREATE TABLE shard (number INTEGER NOT NULL, total INTEGER NOT NULL)")
        if shard is not None:
            db.execute("INSERT INTO shard VALUES (?, ?)", shard)
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("PRAGMA journal_mode = DELETE")


@pytest.mark.parametrize(("version", "shard"), [(1, None), (2, (0, 1)), (2, None)])
def test_a_file_of_an_earlier_layout_is_taken_over(tmp_path, version, shard):
    path = tmp_path / "w.sqlite"
    made(path, version, shard)
    for _ in range(2):
        with closing(WorldStore([], path)) as store:
            assert store.get("mine").home == "chicago"
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (3,)
        names = db.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
        assert names == [("requests",), ("worlds",)]


@pytest.mark.parametrize("number", [0, 1])
def test_a_file_that_one_of_several_processes_wrote_is_left_alone(tmp_path, number):
    path = tmp_path / "w.sqlite"
    made(path, 2, (number, 2))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"one of 2 files .* name a new file"):
        WorldStore([], path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_layout_is_whole_or_not_there(tmp_path):
    path = tmp_path / "w.sqlite"
    made(path, 2, (0, 1))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("DROP TABLE shard")
        other.execute("CREATE VIEW shard AS SELECT 0 AS number, 1 AS total")
    with pytest.raises(sqlite3.OperationalError, match="DROP VIEW"):
        WorldStore([], path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_another_programs_database_is_left_alone(tmp_path, version):
    path = tmp_path / "w.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE books (title TEXT)")
        db.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"database of worlds|another version"):
        WorldStore([], path)
    assert path.read_bytes() == before


def test_an_empty_file_is_a_database_to_be(tmp_path):
    path = tmp_path / "w.sqlite"
    path.touch()
    with closing(WorldStore([], path)) as store:
        store.create("mine", **START)
    with closing(WorldStore([], path)) as store:
        assert store.get("mine").now == START["now"]
