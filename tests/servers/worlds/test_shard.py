"""Worlds are divided among server processes, each with a file of its own."""

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.worlds import Shard, WorldStore, shards_of

START = {"seed": "home", "now": datetime(2026, 3, 13, 10), "home": "chicago"}


@given(st.text(max_size=40) | st.integers(-5, 10**20).map("world-{}".format), st.integers(1, 16))
def test_each_world_has_one_owner_whoever_is_asked(world_id, of):
    shards = [Shard(number, of) for number in range(of)]
    assert len({shard.owner(world_id) for shard in shards}) == 1
    assert sum(shard.holds(world_id) for shard in shards) == 1


@given(st.integers(1, 16), st.from_regex(r"[A-Za-z0-9_-]{1,30}", fullmatch=True))
def test_ids_given_by_a_shard_are_its_own_and_no_others(of, secret):
    ids = [Shard(number, of).id_of(secret) for number in range(of)]
    assert len(set(ids)) == of
    assert all(Shard(number, of).holds(name) for number, name in enumerate(ids))
    assert ids[0] == f"world-1-{secret}"


def test_the_files_lie_side_by_side():
    assert Shard(0, 2).file(Path("a/w.sqlite")) == Path("a/w.sqlite")
    assert Shard(1, 2).file(Path("a/w.sqlite")) == Path("a/w.sqlite.1")


def test_a_store_opens_the_share_that_its_file_holds_and_no_other(tmp_path):
    path = tmp_path / "w.sqlite"
    assert shards_of(path) is None
    names = []
    for number in (0, 1):
        store = WorldStore([], path, Shard(number, 2))
        names.append(store.free_id())
        store.create(names[-1], **START)
        assert names[-1].startswith(f"world-{number + 1}-")
        store.close()
    assert shards_of(path) == 2
    with pytest.raises(ValueError, match="by 2 server processes; it needs as many again"):
        WorldStore([], path)
    with pytest.raises(ValueError, match=r"w\.sqlite\.1 is part 2 of the worlds"):
        WorldStore([], tmp_path / "w.sqlite.1", Shard(0, 2))
    again = WorldStore([], path, Shard(1, 2))
    assert again.get(names[1]).home == "chicago"
    assert again.free_id() not in names
    again.close()


def test_a_file_of_the_first_layout_is_whole(tmp_path):
    path = tmp_path / "w.sqlite"
    store = WorldStore([], path)
    store.create("mine", **START)
    store.close()
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE shard")
        db.execute("PRAGMA user_version=1")
    db.close()
    assert shards_of(path) == 1
    with pytest.raises(ValueError, match="by 1 server processes"):
        WorldStore([], path, Shard(0, 2))
    store = WorldStore([], path)
    assert store.get("mine").home == "chicago"
    store.close()
    assert shards_of(path) == 1
    with pytest.raises(ValueError, match="by 1 server processes"):
        WorldStore([], path, Shard(0, 2))


def test_an_empty_file_is_no_database_yet(tmp_path):
    (tmp_path / "w.sqlite").touch()
    assert shards_of(tmp_path / "w.sqlite") is None
