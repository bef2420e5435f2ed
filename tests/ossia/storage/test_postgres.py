"""A PostgreSQL database that is not as it should be, or goes away."""

import multiprocessing
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from urllib.parse import quote

import pytest

from benchmarks.postgres import GUARDED
from ossia.errors import UserError
from ossia.runner.catalog import open_catalog
from ossia.runner.store import RunStore
from ossia.session import open_store
from ossia.storage.database import StoreError
from ossia_evaluation.grade import Verdict

from .test_stores import CONFIG, RUN, filled, played

SECRET = "s3cret-%41"


def one_line(refused):
    text = str(refused.value)
    assert len(text.splitlines()) == 1
    assert SECRET not in text
    return text


@pytest.fixture
def direct(address):
    """Run statements on the database without a store."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection.execute


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://me:s3cret-%41@127.0.0.1:1/none", "Connection refused"),
        ("postgresql://me:s3cret-%41@127.0.0.1:port/none", "port"),
        ("postgresql://me:s3cret-%41@[::1/none", "is not the address of a PostgreSQL database"),
        ("postgresql://h/n?password=s3cret-%41&nonsense=1", "is not the address of a PostgreSQL"),
        ("mysql://me:s3cret-%41@h/n", "--store takes postgresql://"),
        ("me:s3cret-%41", "--store takes postgresql://"),
    ],
)
def test_what_cannot_be_reached_is_told_without_the_password(tmp_path, url, said):
    pytest.importorskip("psycopg")
    with pytest.raises(UserError) as refused:
        open_catalog(url, tmp_path).list()
    assert said in one_line(refused)


def test_no_such_database_and_no_run_yet(tmp_path, address):
    with pytest.raises(StoreError, match='database "nowhere" does not exist'):
        open_catalog(re.sub(r"/t\w+\?", "/nowhere?", address), tmp_path).list()
    catalog = open_catalog(address, tmp_path)
    assert catalog.list() == ()
    with pytest.raises(UserError, match="has no runs yet"):
        catalog.find(None)
    assert not tmp_path.joinpath("stores").exists()


def test_a_database_that_cannot_keep_all_text_is_refused(tmp_path, postgres):
    url = postgres("ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match="keeps text as SQL_ASCII, and a store needs UTF8"):
        open_store(CONFIG, open_catalog(url, tmp_path))


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE ossia.runs (id INT)", "CREATE VIEW ossia.layout AS SELECT 1 AS version"],
)
def test_tables_of_another_program_are_left_alone(tmp_path, address, direct, statement):
    direct("CREATE SCHEMA ossia")
    direct(statement)
    with pytest.raises(UserError, match="schema 'ossia' of another program"):
        open_store(CONFIG, open_catalog(address, tmp_path))
    found = direct("SELECT count(*) FROM pg_class WHERE relname = 'episodes'").fetchone()
    assert found == (0,)


def test_later_versions_are_told_and_left_alone(tmp_path, address, direct):
    catalog = open_catalog(address, tmp_path)
    filled(catalog).close()
    direct("UPDATE ossia.runs SET version = 99")
    for write in (False, True):
        with pytest.raises(UserError, match="was written by another version of Ossia"):
            RunStore(catalog.find(None), write=write)
    assert [run.problem for run in catalog.list()] == ["it was written by another version of Ossia"]
    direct("UPDATE ossia.layout SET version = 99")
    with pytest.raises(UserError, match="was written by another version of Ossia"):
        catalog.list()


def test_a_namespace_that_is_taken_is_left_alone(tmp_path, address, direct):
    catalog = open_catalog(address, tmp_path)
    filled(catalog).close()
    (namespace,) = direct("SELECT namespace FROM ossia.runs").fetchone()
    direct("DELETE FROM ossia.runs")
    with pytest.raises(UserError, match=f"a schema '{namespace}' of another program"):
        open_store(CONFIG, catalog)


def test_several_processes_put_episodes_beside_the_one_that_holds_the_run(tmp_path, address):
    catalog = open_catalog(address, tmp_path)

    def put(number):
        with RunStore(catalog.place(RUN), join=True) as store:
            return [store.put(*played(f"t{i}", f"by {number}")) for i in range(20)]

    with open_store(CONFIG, catalog) as store, ThreadPoolExecutor(4) as pool:
        stored = list(pool.map(put, range(4)))
        assert sum(map(sum, stored)) == len(store.episodes()) == len(store.finished()) == 20
        assert store.counts() == {"control": {Verdict.SUCCESS: 20}}


def test_a_lost_connection_is_told_and_the_run_goes_on(tmp_path, address, direct):
    catalog = open_catalog(address, tmp_path)
    with filled(catalog) as store:
        direct(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        )
        for _ in range(2):
            with pytest.raises(StoreError, match="terminating connection") as refused:
                store.put(*played("late"))
            one_line(refused)
        with pytest.raises(StoreError):
            store.readable_trace("control.a.1")
        assert store.damaged == ()
    with open_store(CONFIG, catalog) as store:
        assert len(store.finished()) == 3
        assert store.put(*played("late"))


def test_a_killed_process_leaves_what_it_stored_and_no_lock(tmp_path, address):
    catalog = open_catalog(address, tmp_path)
    tasks = [f"t{number}" for number in range(200)]

    def put_all():
        with open_store(CONFIG, catalog) as store:
            for task in tasks:
                store.put(*played(task))
                print(task, file=told, flush=True)
                time.sleep(0.01)

    with (tmp_path / "told").open("w+") as told:
        # Not one of this process: a kill of its threads would be one of the tests.
        process = multiprocessing.get_context("fork").Process(target=put_all)
        process.start()
        while (tmp_path / "told").read_text().count("\n") < 5:
            assert process.is_alive()
            time.sleep(0.01)
        process.kill()
        process.join()
        shown = (tmp_path / "told").read_text().split()
    # The server lets go of the lock when it sees the connection closed.
    for _ in range(100):
        with suppress(UserError):
            again = open_store(CONFIG, catalog)
            break
        time.sleep(0.05)
    with again as store:
        kept = store.finished()
        assert {f"control.{task}.1" for task in shown} <= kept
        assert len(shown) <= len(kept) <= len(shown) + 1
        assert sum(store.put(*played(task, "again")) for task in tasks) == 200 - len(kept)
        assert store.counts() == {"control": {Verdict.SUCCESS: 200}}
        assert store.trace(f"control.{shown[0]}.1").answer == "done"


def test_a_full_disk_is_told_and_the_run_goes_on(tmp_path, postgres, address):
    catalog = open_catalog(address, tmp_path)
    words = Random(0)

    def long(number):
        return played(f"t{number}", words.randbytes(2**20).hex())

    # A limit on the size of files stands for a full disk. The log has files of 16 MiB.
    with (
        postgres.full(mebibytes=17),
        open_store(CONFIG, catalog) as store,
        pytest.raises(StoreError, match="run the same command again to resume") as refused,
        store.resumable(),
    ):
        stored = 0
        for number in range(40):
            store.put(*long(number))
            stored += 1
    assert "could not" in one_line(refused)
    with open_store(CONFIG, catalog) as store:
        assert len(store.finished()) == len(store.episodes()) == stored
        assert store.put(*long(stored))


def test_what_a_server_refuses_is_one_line_and_code_2(tmp_path, postgres, address):
    database = re.search(r"/(t\w+)\?", address)[1]
    postgres.execute(f"CREATE ROLE {GUARDED} LOGIN PASSWORD 'the right one'")
    with_password = postgres.address(database, f"{GUARDED}:{quote(SECRET)}")
    done = subprocess.run(
        [sys.executable, "-m", "ossia", "runs"],
        env={**os.environ, "OSSIA_HOME": str(tmp_path), "OSSIA_STORE": with_password},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert f'password authentication failed for user "{GUARDED}"' in done.stderr
    assert SECRET not in done.stderr
    right = postgres.address(database, f"{GUARDED}:{quote('the right one')}")
    with pytest.raises(StoreError, match="permission denied for database") as refused:
        open_store(CONFIG, open_catalog(right, tmp_path))
    assert "the right one" not in one_line(refused)
    assert open_catalog(address, tmp_path).list() == ()


def test_the_password_is_kept_nowhere(tmp_path, address):
    url = address.replace("postgres@", f"postgres:{SECRET}@")
    catalog = open_catalog(url, tmp_path)
    with filled(catalog) as store:
        told = [repr(store.place), store.place.shown, repr(vars(store.place)), catalog.shown]
    assert not any("s3cret" in text for text in told)
    assert not any(b"s3cret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_run_may_have_any_id(tmp_path, address):
    catalog = open_catalog(address, tmp_path)
    for odd in ('a"; DROP SCHEMA ossia CASCADE; --', "../../up\nline\x1b[31m", "ü" * 200):
        with RunStore(catalog.place(odd), write=True) as store:
            store.set_meta("config", "-")
            assert store.folder.is_relative_to(tmp_path)
        with RunStore(catalog.find(odd)) as store:
            assert store.meta("config") == "-"
    assert len(catalog.list()) == 3
    catalog.find("../").delete()
    assert len(catalog.list()) == 2
