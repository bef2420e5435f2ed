"""A PostgreSQL database that is not as it should be, or goes away."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

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
        ("postgresql://me:s3cret-%41@[::1/none", "is no address of a PostgreSQL database"),
        ("postgresql://h/n?password=s3cret-%41&nonsense=1", "is no address of a PostgreSQL"),
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
    with pytest.raises(UserError, match="holds no run yet"):
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
            with pytest.raises(StoreError, match="give the same command again") as refused:
                store.put(*played("late"))
            assert "terminating connection" in one_line(refused)
        with pytest.raises(StoreError):
            store.readable_trace("control.a.1")
        assert store.damaged == ()
    with open_store(CONFIG, catalog) as store:
        assert len(store.finished()) == 3
        assert store.put(*played("late"))


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
