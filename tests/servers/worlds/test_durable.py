"""Group commit: whoever was answered is on disk, and nobody's end is another's."""

import asyncio
import sqlite3
from datetime import datetime

import pytest

from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds import GroupCommit, UnknownWorld, WorldStore
from ossia_servers.worlds.execute import execute
from ossia_servers.worlds.records import ServerRequest

NOW = datetime(2026, 3, 13, 10)
LISTS = next(domain for domain in load_domains() if domain.name == "lists")


def new_store(path):
    store = WorldStore((LISTS,), path)
    store.create("w", seed="home", now=NOW, home="New York, New York")
    return store


def add(store, item):
    given = {"intent": "lists_createoradd", "list_name": "trip", "item_name": item}
    done = execute(store, store.get("w"), LISTS, given)
    assert done.status == 200, done.body
    return done


def on_disk(path):
    """The requests that another process would find after this one was killed."""
    with sqlite3.connect(path) as other:
        return other.execute("SELECT COUNT(*) FROM requests").fetchone()[0]


def test_requests_of_one_turn_share_a_commit_and_wait_for_it(tmp_path):
    path = tmp_path / "w.sqlite"

    async def main():
        store = new_store(path)
        group = GroupCommit(store)
        seen = []

        async def request(item):
            group.open()
            add(store, item)
            seen.append(on_disk(path))
            await group.durable()
            assert on_disk(path) == 3

        await asyncio.gather(*(request(item) for item in ("a", "b", "c")))
        assert seen == [0, 0, 0]
        store.close()

    asyncio.run(main())


def test_a_cancelled_request_leaves_the_others_waiting(tmp_path):
    path = tmp_path / "w.sqlite"

    async def main():
        store = new_store(path)
        group = GroupCommit(store)

        async def request(item):
            group.open()
            add(store, item)
            await group.durable()
            return on_disk(path)

        first, second = (asyncio.create_task(request(item)) for item in ("a", "b"))
        await asyncio.sleep(0)
        first.cancel()
        assert await second == 2
        store.close()

    asyncio.run(main())


def test_a_failed_commit_is_told_to_each_that_waits(tmp_path, monkeypatch):
    async def main():
        store = new_store(tmp_path / "w.sqlite")
        group = GroupCommit(store)

        def full():
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(store, "end_group", full)

        async def request(item):
            group.open()
            add(store, item)
            await group.durable()

        ends = await asyncio.gather(request("a"), request("b"), return_exceptions=True)
        assert [type(end) for end in ends] == [sqlite3.OperationalError] * 2
        store.close()

    asyncio.run(main())


def test_what_nobody_was_told_of_is_not_kept(tmp_path):
    path = tmp_path / "w.sqlite"
    store = new_store(path)
    store.begin_group()
    add(store, "a")
    store.close()
    assert on_disk(path) == 0


@pytest.mark.parametrize("item", ["milk", "crème \u2028 brûlée", '"quoted"'])
def test_a_record_is_written_as_its_model_would(tmp_path, item):
    record = add(new_store(tmp_path / "w.sqlite"), item).record
    assert ServerRequest.model_validate_json(record.dump()) == record
    assert ServerRequest.model_validate_json(record.model_dump_json()) == record


def test_requests_are_counted_as_they_are_kept(tmp_path):
    path = tmp_path / "w.sqlite"
    store = new_store(path)
    for number, item in enumerate(("a", "b")):
        assert store.requests("w") == len(store.records("w")) == number
        add(store, item)
    store.close()
    store = WorldStore((LISTS,), path)
    assert store.requests("w") == 2
    store.rebase(store.get("w"))
    assert store.requests("w") == 0
    with pytest.raises(UnknownWorld):
        store.requests("another")
    store.close()
