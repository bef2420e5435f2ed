"""Attributing a run: it goes on where it stopped, keeps what it found, and tells its cost."""

import asyncio
import os

import pytest

from ossia.adapters import find_adapter, install, ossia_home
from ossia.attribution.run import attribute_run, stored_result
from ossia.attribution.store import AttributionStore
from ossia.errors import UserError
from ossia.run_plan import Choice, Wish, plan_again, plan_run
from ossia.runner.catalog import FolderCatalog
from ossia.runner.cpu import META, RunCpu, cpu_of
from ossia.runner.run import run_missing
from ossia.runner.store import RunStore
from ossia.session import Means, open_session, open_store
from ossia_evaluation.attribution import ATTRIBUTION_VERSION
from ossia_servers.gateway import Budget

MODEL = "offline:noise=0.25,seed=4"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home of its own with the installed environments."""
    real = ossia_home(os.environ)
    install(find_adapter("control", real))
    folder = tmp_path_factory.mktemp("home")
    (folder / "envs").symlink_to(real / "envs")
    return folder


@pytest.fixture(scope="module")
def folder(home):
    """The folder of a run with several failures."""
    wish = Wish(
        frameworks=("control",),
        suite="assistant",
        tasks="test",
        models=(MODEL,),
        repeats=1,
        budget=Budget(calls=60, tokens=400_000, seconds=180.0),
        choice=Choice(limit=8),
    )
    plan = plan_run(wish, home)
    session = open_session(plan, Means(jobs=4))
    with open_store(plan.config, FolderCatalog(home)) as store:
        asyncio.run(run_missing(session, store, lambda finished: None))
        return store.folder


class Stopped(Exception):
    """Somebody has had enough."""


def attribute(folder, home, observe, **other):
    with RunStore(folder) as store:
        tasks = plan_again(store.config(), home).tasks
        return asyncio.run(attribute_run(store, tasks, home, observe, **other))


def test_traces_are_read_before_there_is_a_loop(folder, home, monkeypatch):
    # In a loop a Ctrl-C is not heard before something is awaited: of 2,000 traces half a minute.
    def stop(store, episode):
        raise KeyboardInterrupt

    monkeypatch.setattr(RunStore, "readable_trace", stop)
    with RunStore(folder) as store, pytest.raises(KeyboardInterrupt):
        attribute_run(store, plan_again(store.config(), home).tasks, home, lambda event: None)


def test_an_interrupted_attribution_goes_on_where_it_stopped(folder, home):
    first = []

    def stop(event):
        first.append(event.attribution)
        if len(first) == 2:
            raise Stopped

    with pytest.raises(ExceptionGroup) as stopped:
        attribute(folder, home, stop, jobs=1)
    assert stopped.group_contains(Stopped)
    with AttributionStore(folder) as kept:
        assert [item.episode for item in kept.all()] == [item.episode for item in first]
        some = kept.cpu_of(2)
        assert some is not None
        assert some > 0
    with RunStore(folder) as store:
        half = stored_result(store, plan_again(store.config(), home).tasks)
    assert (half.failures > 2, half.attributions) == (True, tuple(first))

    events = []
    result = attribute(folder, home, events.append, jobs=4)
    assert result.failures == len(result.attributions) == 2 + len(events)
    assert not {event.attribution.episode for event in events} & {item.episode for item in first}
    assert set(first) <= set(result.attributions), "what was kept is not made again"
    assert sorted(event.done for event in events) == list(range(3, result.failures + 1))

    again = attribute(folder, home, events.append)
    assert again.attributions == result.attributions
    assert len(events) == result.failures - 2, "nothing is attributed twice"
    assert again.summary.cpu_ratio == result.summary.cpu_ratio > 0


def test_the_run_tells_the_cpu_time_of_all_processes(folder):
    with RunStore(folder) as store:
        told, workers = cpu_of(store), sum(trace.timing.cpu_s for trace in store.traces())
    assert told.episodes == 8
    assert told.seconds > workers > 0


def test_a_run_that_has_not_told_has_no_ratio(folder, home):
    with RunStore(folder, write=True) as store:
        told = cpu_of(store)
        store.set_meta(META, RunCpu(seconds=told.seconds, episodes=7).model_dump_json())
    try:
        summary = attribute(folder, home, lambda event: None).summary
        assert (summary.run_cpu_s, summary.cpu_ratio) == (None, None)
        assert summary.attribution_cpu_s > 0
    finally:
        with RunStore(folder, write=True) as store:
            store.set_meta(META, told.model_dump_json())


def test_attributions_of_another_version_are_none(folder, tmp_path):
    with AttributionStore(tmp_path) as kept:
        kept._db.change(f"PRAGMA user_version = {ATTRIBUTION_VERSION + 1}")
    with pytest.raises(UserError, match="run `ossia attribute` again"):
        AttributionStore(tmp_path, write=False)
    AttributionStore(tmp_path).close()
    AttributionStore(tmp_path, write=False).close()
