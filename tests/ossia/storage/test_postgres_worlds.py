"""Worlds that servers share: what one has written every other goes on from, whatever is lost."""

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from itertools import count

import httpx
import orjson
import pytest

from ossia import serving
from ossia.errors import UserError
from ossia.storage.postgres import Address
from ossia.storage.postgres_worlds import PostgresWorlds
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds import Overtaken, UnknownWorld, WorldStore, WorldsUnavailable
from ossia_servers.worlds.execute import execute

DOMAINS = tuple(load_domains())
LISTS = next(domain for domain in DOMAINS if domain.name == "lists")
START = {"seed": "home", "now": datetime(2026, 3, 13, 10), "home": "New York, New York"}
NEW = {"now": "2026-03-13T10:00", "home": "New York, New York"}


def given(item):
    return {"intent": "lists_createoradd", "list_name": "trip", "item_name": item}


def act(worlds, item, world="w"):
    return execute(worlds, worlds.get(world), LISTS, given(item))


def shared(address, kind="lists"):
    return closing(PostgresWorlds((LISTS,), Address(address), kind))


def replayed(records):
    """What the same requests are told one after the other in one process."""
    with closing(WorldStore(DOMAINS)) as alone:
        world = alone.create("w", **START)
        for record in records:
            execute(alone, world, LISTS, record["params"], record["method"])
        return [orjson.loads(each) for each in alone.records("w")]


@pytest.fixture(params=["file", "postgresql"])
def opened(request, tmp_path):
    """What opens the same worlds anew."""
    if request.param == "file":
        return lambda: closing(WorldStore((LISTS,), tmp_path / "w.sqlite"))
    address = request.getfixturevalue("address")
    return lambda: shared(address)


def test_either_store_keeps_worlds_with_all_that_was_done(opened):
    with opened() as worlds:
        made = worlds.create("w", **START)
        assert execute(worlds, made, LISTS, given("tent")).status == 200
        act(worlds, "crème \u2028 brûlée")
        assert act(worlds, "").status == 400
        with pytest.raises(ValueError, match="already exists"):
            worlds.create("w", **START)
        worlds.create("strange", **{**START, "home": "a\0\u2028b"})
        rows = {table.name: worlds.get("w").rows(table.name) for table in LISTS.tables}
        diff, records = worlds.get("w").diff(), worlds.records("w")
    with opened() as worlds:
        assert {name: worlds.get("w").rows(name) for name in rows} == rows
        assert worlds.get("w").diff() == diff
        assert worlds.records("w") == records
        assert len(records) == 3
        assert worlds.get("strange").home == "a\0\u2028b"
        assert worlds.records("strange") == []
        act(worlds, "lamp")
        worlds.delete("w")
        for ask in (worlds.get, worlds.records, worlds.delete):
            for unknown in ("w", "w\0", "\0"):
                with pytest.raises(UnknownWorld):
                    ask(unknown)
        worlds.create("w", **START)
        assert worlds.records("w") == []
        assert not worlds.get("w").diff().changes


def test_what_one_process_has_done_the_other_goes_on_from(address):
    with shared(address) as one, shared(address) as other:
        one.create("w", **START)
        for number in range(6):
            act((one, other)[number % 2], f"thing {number}")
        records = one.records("w")
        assert other.records("w") == records
        assert replayed([orjson.loads(each) for each in records]) == [
            orjson.loads(each) for each in records
        ]
        assert one.get("w").diff() == other.get("w").diff()


def test_who_acts_on_a_state_that_has_passed_changes_nothing(address):
    with shared(address) as one, shared(address) as other:
        one.create("w", **START)
        act(other, "tent")
        passed = one.get("w")
        act(other, "lamp")
        before = one.records("w")
        with pytest.raises(Overtaken):
            execute(one, passed, LISTS, given("stove"))
        assert one.records("w") == before
        assert one.get("w").diff() == other.get("w").diff()
        act(one, "stove")
        assert one.get("w").diff() == other.get("w").diff()


def test_a_world_that_another_process_has_deleted_is_unknown(address):
    with shared(address) as one, shared(address) as other:
        one.create("w", **START)
        act(other, "tent")
        passed = one.get("w")
        other.delete("w")
        with pytest.raises(Overtaken):
            execute(one, passed, LISTS, given("stove"))
        with pytest.raises(UnknownWorld):
            one.get("w")
        act_on = other.create("w", **START)
        execute(other, act_on, LISTS, given("new"))
        one.get("w")
        other.delete("w")
        other.create("w", **START)
        assert not one.get("w").diff().changes, "it is another one of the same name"
        assert one.records("w") == []


def test_servers_of_another_kind_do_not_see_a_world(address):
    with shared(address) as one, shared(address, "another") as other:
        one.create("w", **START)
        for ask in (other.get, other.records, other.delete):
            with pytest.raises(UnknownWorld):
                ask("w")
        with pytest.raises(ValueError, match="already exists"):
            other.create("w", **START)
    ready = serving.ready_of("workbench", "test", None, None, None)
    kinds = {
        serving.kind_of(each)
        for each in (
            ready,
            serving.ready_of("workbench", "test", None, None, "2024"),
            serving.ready_of("assistant", "test", None, None, None),
        )
    }
    assert len(kinds) == 3
    again = serving.ready_of("assistant", "test", "2027-01-01T08:00", "Paris", None)
    assert serving.kind_of(again) in kinds


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("CREATE SCHEMA ossia_worlds", "another program; nothing was changed"),
        ("UPDATE ossia_worlds.layout SET version = 99", "worlds of another version of Ossia"),
    ],
)
def test_what_another_program_or_version_keeps_is_left_alone(postgres, address, before, told):
    name = address.rpartition("@/")[2].partition("?")[0]
    if before.startswith("UPDATE"):
        shared(address).thing.close()
    postgres.execute(before, name)
    with pytest.raises(UserError, match=told):
        shared(address)


def test_the_options_fit_together(tmp_path):
    for store, database, admin, told in (
        ("postgresql:///x", tmp_path / "w.sqlite", "ADMIN", "--store and --database"),
        ("postgresql:///x", None, None, "--admin-token-env"),
        ("w.sqlite", None, "ADMIN", "postgresql://"),
    ):
        with pytest.raises(UserError, match=told):
            serving.address_of(store, database, admin)
    assert serving.address_of(None, None, None) is None


class Served:
    """A running `ossia serve` that shares its worlds."""

    def __init__(self, log, address):
        self._log = log
        options = ("--port", "0", "--store", address, "--admin-token-env", "ADMIN")
        with log.open("wb") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "ossia", "serve", *options],
                cwd=log.parent,
                stdout=said,
                stderr=said,
                env={**os.environ, "ADMIN": "for-me"},
            )

    @property
    def said(self):
        return self._log.read_text("utf-8")

    def client(self):
        until = time.monotonic() + 120
        while "Stop with Ctrl-C" not in self.said:
            assert time.monotonic() < until, self.said
            assert self._process.poll() is None, self.said
            time.sleep(0.02)
        url = re.search(r"http://[\d.:]+", self.said)[0]
        headers = {"Authorization": "Bearer for-me", "X-Ossia-World": "w"}
        return httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=30)

    def end(self, signal_=signal.SIGKILL):
        if self._process.poll() is None:
            self._process.send_signal(signal_)
        return self._process.wait(timeout=30)


@pytest.fixture
def two(address, tmp_path):
    served = [Served(tmp_path / f"log-{number}", address) for number in range(2)]
    yield served
    for each in served:
        each.end()


def raced(clients, items, done=lambda answered: None):
    """Ask all clients in turns from four threads; returns each item's status, None without one."""
    numbers, answered = count(), {}

    def ask(item):
        try:
            told = clients[next(numbers) % len(clients)].post("/lists", json=given(item))
            answered[item] = told.status_code
        except httpx.TransportError:
            answered[item] = None
        done(answered)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, items))
    return answered


def recorded(client):
    records = client.get("/worlds/w/requests").json()
    assert replayed(records) == records, "each has seen all before it, and nothing else"
    items = [record["params"]["item_name"] for record in records]
    assert len(set(items)) == len(items)
    return set(items)


def test_two_servers_are_as_one_whatever_is_lost(two, postgres):
    one, other = (each.client() for each in two)
    with one, other:
        both = (one, other)
        with ThreadPoolExecutor(4) as pool:
            new = {"id": "w", **NEW}
            made = list(pool.map(lambda n: both[n % 2].post("/worlds", json=new), range(8)))
        assert sorted(each.status_code for each in made) == [201] + [409] * 7

        answered = raced(both, [f"first {number}" for number in range(40)])
        assert set(answered.values()) == {200}
        kept = recorded(one)
        assert kept == recorded(other) == set(answered)
        assert one.get("/worlds/w/diff").json() == other.get("/worlds/w/diff").json()

        # The database is lost in the middle, with all connections to it.
        ten = count()
        answered = raced(
            both,
            [f"second {number}" for number in range(40)],
            lambda _: postgres.restart() if next(ten) == 10 else None,
        )
        assert set(answered.values()) == {200, 503}
        until = time.monotonic() + 30
        for client in both:
            while client.get("/clock").status_code != 200:
                assert time.monotonic() < until
                time.sleep(0.1)
        was_told = {item for item, status in answered.items() if status == 200}
        assert kept | was_told <= recorded(one) == recorded(other)

        # A server is lost in the middle.
        ten = count()
        answered = raced(
            both,
            [f"third {number}" for number in range(40)],
            lambda _: two[0].end() if next(ten) == 10 else None,
        )
        assert set(answered.values()) == {200, None}
        was_told = {item for item, status in answered.items() if status == 200}
        assert kept | was_told <= recorded(other)
        assert other.post("/lists", json=given("last")).status_code == 200
        assert other.delete("/worlds/w").status_code == 200
        assert other.get("/clock").status_code == 404
    assert two[1].end(signal.SIGTERM) == 0
    for each in two:
        assert "Traceback" not in each.said
        assert each.said.count("The worlds cannot be used") == 1
        assert "postgres@" in each.said


def test_a_server_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(UserError, match="No such file or directory") as failed:
        shared(f"postgresql://me:secret@/none?host={tmp_path}")
    assert "secret" not in str(failed.value)
    assert "\n" not in str(failed.value)


def test_without_a_connection_each_request_is_refused_at_once(address, postgres, caplog):
    with shared(address) as worlds:
        worlds.create("w", **START)
        postgres.restart()
        for _ in range(3):
            with pytest.raises(WorldsUnavailable):
                worlds.get("w")
        assert len(caplog.records) == 1
        assert [record for record in caplog.records if record.exc_info] == []
