"""Both kinds of stores keep runs alike, and move them to each other."""

import sqlite3
from contextlib import closing

import pytest

from ossia.attribution.store import AttributionStore
from ossia.errors import UserError
from ossia.runner.catalog import open_catalog
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.runner.moved import export_place, import_run
from ossia.runner.plan import key_of, plan, planned
from ossia.runner.store import RunStore
from ossia.session import open_store
from ossia.storage.database import ATTRIBUTION_TABLES, RUN_TABLES
from ossia_evaluation.assistant.scorer import AssistantScore
from ossia_evaluation.attribution import ATTRIBUTION_VERSION, Attribution, Status
from ossia_evaluation.grade import Verdict
from ossia_servers.gateway import GatewayRecord
from ossia_servers.stress.reading import read_plan
from ossia_servers.trace import Ending, EpisodeTiming, Trace

CONFIG = RunConfig(
    suite="assistant",
    tasks="by hand",
    dataset_hash="0",
    task_ids=("a", "ü", "o'x\n%s ?\"\\"),
    frameworks=(FrameworkVersion(name="control", source="0"),),
    models=("offline",),
)
RUN = CONFIG.run_id


def played(task, answer="done", verdict=Verdict.SUCCESS, fault=""):
    key = key_of(task, "control", "offline", 1, fault=fault)
    trace = Trace(
        episode=key,
        ending=Ending(kind="answered"),
        answer=answer,
        gateway=GatewayRecord(episode=key.id),
        timing=EpisodeTiming(wall_s=1.0, cpu_s=None),
    )
    return trace, AssistantScore(verdict=verdict, reason=f"as {answer}\0")


def filled(catalog):
    """A run with an episode for each task, opened for writing."""
    store = open_store(CONFIG, catalog)
    for task in CONFIG.task_ids:
        assert store.put(*played(task))
    return store


def test_episodes_come_back_as_they_were_put(catalog):
    with filled(catalog) as store:
        assert store.finished() == {f"control.{task}.1" for task in CONFIG.task_ids}
        assert store.counts() == {"control": {Verdict.SUCCESS: 3}}
    with RunStore(catalog.find(RUN[:20])) as store:
        assert store.config() == CONFIG
        assert store.episodes() == tuple(sorted(f"control.{task}.1" for task in CONFIG.task_ids))
        for task in CONFIG.task_ids:
            assert (store.trace(f"control.{task}.1"), store.score(f"control.{task}.1")) == played(
                task
            )
        wanted = [f"control.{task}.1" for task in reversed(CONFIG.task_ids)]
        assert [trace.episode.id for trace, _ in store.readable_episodes(wanted)] == wanted
        assert len(list(store.traces())) == 3
        assert store.score_versions() == {played("a")[1].version}
        with pytest.raises(UserError, match=r"has no episode 'control\.b\.1'"):
            store.trace("control.b.1")
    (told,) = catalog.list()
    assert (told.id, told.done, told.planned, told.success, told.problem) == (RUN, 3, 3, 1.0, None)


def test_a_stressed_run_counts_its_faults_and_its_successes_without_them(catalog):
    stressed = CONFIG.model_copy(update={"stress": read_plan(("empty", "slow"))})
    assert planned(stressed) == len(plan(stressed)) == 9
    with open_store(stressed, catalog) as store:
        for task in CONFIG.task_ids:
            store.put(*played(task))
            store.put(*played(task, verdict=Verdict.FAILURE, fault="empty"))
    (told,) = catalog.list()
    assert (told.done, told.planned, told.success) == (6, 9, 1.0)


def test_an_episode_that_is_put_twice_counts_once(catalog):
    with open_store(CONFIG, catalog) as store:
        assert store.put(*played("a", "first", Verdict.INVALID))
        assert store.put(*played("a", "second"))
        assert not store.put(*played("a", "third", Verdict.FAILURE))
        assert store.trace("control.a.1").answer == "second"
        assert store.score("control.a.1").verdict is Verdict.SUCCESS
        store.put_scores(iter([("control.a.1", played("a", "x", Verdict.FAILURE)[1], None)]))
        assert store.unsuccessful() == {"control.a.1"}
        store.set_meta("spent", "1")
        store.set_meta("spent", "2")
        assert store.meta("spent") == "2"
        assert store.meta("none") is None


def test_a_run_has_one_writer_and_is_not_deleted_while_it_is_used(catalog):
    with filled(catalog):
        for refused in (lambda: open_store(CONFIG, catalog), catalog.place(RUN).forget):
            with pytest.raises(UserError, match=f"another process is running {RUN}"):
                refused()
    with RunStore(catalog.find(None)) as reading:
        with pytest.raises(UserError, match=f"another process uses {RUN}"):
            catalog.find(None).delete()
        assert len(reading.episodes()) == 3
    catalog.find(None).delete()
    assert catalog.list() == ()
    with pytest.raises(UserError, match="contains no run"):
        RunStore(catalog.place(RUN))


def test_a_fresh_run_keeps_its_name_alone(catalog):
    filled(catalog).close()
    catalog.find(None).give_name("mine")
    with open_store(CONFIG, catalog, fresh=True) as store:
        assert store.episodes() == ()
    assert (catalog.find("mi").id, catalog.names()) == (RUN, ("mine",))
    catalog.find("mine").give_name(RUN)
    assert catalog.names() == (RUN,)
    for wrong in ("a b", "x'; DROP TABLE meta; --", "a\nb", ""):
        with pytest.raises(UserError, match="is not a valid run name"):
            catalog.find(None).give_name(wrong)


def test_names_are_of_one_run_each(catalog):
    other = CONFIG.model_copy(update={"repeats": 2})
    for config in (CONFIG, other):
        open_store(config, catalog).close()
    catalog.find(RUN).give_name("mine")
    for taken, why in (("mine", "another run is called 'mine'"), (RUN, "is the id of another run")):
        with pytest.raises(UserError, match=why):
            catalog.find(other.run_id).give_name(taken)
    with pytest.raises(UserError, match="several runs begin with 'assistant'"):
        catalog.find("assistant")
    with pytest.raises(UserError, match="no run is called 'nobody'; there are: "):
        catalog.find("nobody")


def attributed():
    return Attribution(
        episode="control.a.1",
        framework="control",
        task="a",
        status=Status.UNSUPPORTED,
        evidence="-",
        domain="general",
        intent="greet",
        reason="-",
    )


def test_attributions_are_kept_beside_a_run(catalog):
    with filled(catalog) as store:
        assert not store.place.has_attributions()
    place = catalog.find(None)
    with AttributionStore(place) as kept:
        kept.put(attributed(), "first")
        kept.put(attributed(), "second")
        kept.put_session(2, 3.0)
    assert place.has_attributions()
    with AttributionStore(place, write=False) as kept:
        assert kept.find("control.a.1", "first") is None
        assert kept.find("control.a.1", "second") == attributed()
        assert (kept.digests("control.a.1"), kept.cpu_of(4)) == (("second",), 6.0)
    place.open_attributions(write=True, version=ATTRIBUTION_VERSION - 1).close()
    with pytest.raises(UserError, match="another version of Ossia; run `ossia attribute` again"):
        AttributionStore(place, write=False)
    with AttributionStore(place) as kept:
        assert list(kept.all()) == []


def tables(place):
    with closing(place.open_run("read")) as db:
        found = {table.name: list(db.all_of(table)) for table in RUN_TABLES}
    with closing(place.open_attributions(write=False, version=ATTRIBUTION_VERSION)) as db:
        return found | {table.name: list(db.all_of(table)) for table in ATTRIBUTION_TABLES}


def test_a_run_moves_between_stores_with_equal_tables(tmp_path, address):
    files, server = open_catalog(None, tmp_path / "a"), open_catalog(address, tmp_path / "a")
    filled(files).close()
    files.find(None).give_name("mine")
    (files.find(None).folder / "answers.jsonl").write_text("{}")
    with AttributionStore(files.find(None)) as kept:
        kept.put(attributed(), "d")
        kept.put_session(1, 0.1)
    before = tables(files.find(None))
    for number, (source, target) in enumerate(
        [(files, server), (server, open_catalog(None, tmp_path / "b"))]
    ):
        archive = tmp_path / f"{number}.tar.gz"
        export_place(source.find("mine"), archive)
        place = import_run(archive, target)
        assert tables(place) == before
        assert (place.name(), (place.folder / "answers.jsonl").read_text()) == ("mine", "{}")
        assert place.folder.stat().st_mode & 0o777 == 0o700
        with pytest.raises(UserError, match=f"already has the run {RUN}"):
            import_run(archive, target)
        assert tables(place) == before
    assert [path.name for path in (tmp_path / "b" / "runs").iterdir()] == [RUN]


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08\x00 torn"])
def test_what_is_no_archive_is_refused(catalog, tmp_path, content):
    (tmp_path / "x.tar.gz").write_bytes(content)
    with pytest.raises(UserError, match=r"x\.tar\.gz is not an archive of a run"):
        import_run(tmp_path / "x.tar.gz", catalog)
    assert catalog.list() == ()


def test_files_are_written_by_one_process(tmp_path):
    catalog = open_catalog(None, tmp_path)
    filled(catalog).close()
    with pytest.raises(UserError, match="SQLite store, which only one process can write"):
        RunStore(catalog.find(None), join=True)
    with closing(sqlite3.connect(catalog.find(None).folder / "run.sqlite")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (2,)
