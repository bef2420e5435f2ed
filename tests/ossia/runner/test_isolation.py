"""What one episode, one worker or another user of the machine can do to a run, and what not."""

import asyncio
import json
from dataclasses import replace

import httpx

from ossia.runner import episode as episode_module
from ossia.runner.isolation import NOT_RECORDED, isolation_of, note_isolation
from ossia.runner.results import comparison_of
from ossia.runner.run import run_missing
from ossia.runner.store import RunStore
from ossia.worker import ASPECTS, WorkerProcess, confinement_text
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.gold import prepare
from ossia_servers.worlds import WorldStore


def run(session, folder):
    with RunStore(folder, write=True) as store:
        store.set_meta("config", session.config.model_dump_json())
        return asyncio.run(run_missing(session, store, lambda _: None))


def scores(folder):
    with RunStore(folder) as store:
        return {episode: store.score(episode) for episode in store.episodes()}


def test_a_world_that_vanishes_costs_its_episode_alone(
    make_session, greeting, tmp_path, monkeypatch
):
    create, play, stores = WorldStore.create, WorkerProcess.run, {}

    def noted(store, world_id, **facts):
        stores[world_id] = store
        return create(store, world_id, **facts)

    async def vanishing(worker, wire, *turns, **others):
        if "Atlantis" in wire["utterance"]:
            stores[wire["world"]].delete(wire["world"])
        return await play(worker, wire, *turns, **others)

    monkeypatch.setattr(WorldStore, "create", noted)
    monkeypatch.setattr(WorkerProcess, "run", vanishing)
    lost = greeting("lost", "hello Atlantis")
    tasks = [greeting("a", "hello"), lost, greeting("b", "hello")]
    assert run(make_session(tasks), tmp_path / "run") == 3
    found = scores(tmp_path / "run")
    assert found["moody.lost.1"].verdict is Verdict.INVALID
    assert "the world was deleted meanwhile" in found["moody.lost.1"].reason
    assert {found[f"moody.{name}.1"].verdict for name in "ab"} == {Verdict.SUCCESS}


def test_a_worker_cannot_ask_under_a_name_of_ossias_own(make_session, greeting, tmp_path):
    assert run(make_session([greeting("a", "hello as the user")]), tmp_path / "run") == 1
    with RunStore(tmp_path / "run") as store:
        trace = store.trace("moody.a.1")
    assert trace.answer.startswith("400: ")
    assert "This episode has no model ossia-user; it has: ossia-manager, " in trace.answer
    assert [each.response for each in trace.gateway.exchanges] == [None]


def test_no_exception_of_one_episode_ends_the_run(make_session, greeting, tmp_path, monkeypatch):
    def broken(worlds, world, task, domains):
        if task.id == "broken":
            raise RuntimeError("a bug of ours")
        return prepare(worlds, world, task, domains)

    monkeypatch.setattr(episode_module, "prepare", broken)
    tasks = [greeting("a", "hello"), greeting("broken", "hello"), greeting("b", "hello")]
    assert run(make_session(tasks), tmp_path / "run") == 3
    found = scores(tmp_path / "run")
    assert found["moody.broken.1"].verdict is Verdict.INVALID
    assert "RuntimeError: a bug of ours" in found["moody.broken.1"].reason
    assert {found[f"moody.{name}.1"].verdict for name in "ab"} == {Verdict.SUCCESS}


def test_a_worker_that_is_killed_while_it_starts_costs_its_episode_alone(
    make_session, greeting, tmp_path
):
    session = make_session([greeting("a", "hello"), greeting("b", "hello")], jobs=1)
    spec = session.workers["moody"]
    mark = {"KILL_ONCE": str(tmp_path / "killed")}
    session.workers["moody"] = replace(spec, python=_killed_once(spec.python, mark, tmp_path))
    assert run(session, tmp_path / "run") == 2
    found = scores(tmp_path / "run")
    assert [found[f"moody.{name}.1"].verdict for name in "ab"] == [
        Verdict.INVALID,
        Verdict.SUCCESS,
    ]
    assert "killed from outside" in found["moody.a.1"].reason


def _killed_once(python, mark, folder):
    """An interpreter that is killed the first time, as for want of memory."""
    path = folder / "python"
    first = mark["KILL_ONCE"]
    path.write_text(
        f'#!/bin/sh\n[ -e {first} ] || {{ touch {first}; kill -KILL $$; }}\nexec {python} "$@"\n'
    )
    path.chmod(0o755)
    return path


def test_what_a_worker_is_told_says_nothing_of_task_and_run(
    make_session, greeting, tmp_path, monkeypatch
):
    told = []
    play = WorkerProcess.run

    async def heard(worker, wire, *turns, **others):
        told.append(wire)
        return await play(worker, wire, *turns, **others)

    monkeypatch.setattr(WorkerProcess, "run", heard)
    for folder in ("one", "two"):
        run(make_session([greeting("secret-task", "hello")]), tmp_path / folder)
    assert all("secret-task" not in str(wire) for wire in told)
    for name in ("id", "world", "api_key"):
        assert told[0][name] != told[1][name]
        assert min(len(wire[name]) for wire in told) >= 16


def test_another_user_finds_no_world_of_a_run(make_session, greeting, tmp_path, monkeypatch):
    """Whoever knows the run and its ids knows no world, and without a token can make none."""
    tried = {}
    play = WorkerProcess.run

    async def attacked(worker, wire, *turns, **others):
        guesses = ["moody.a.1~1", "moody.a.1", "world-1"]
        async with httpx.AsyncClient(base_url=wire["servers_url"], trust_env=False) as client:
            for world in (*guesses, wire["world"]):
                tried["delete", world] = await client.delete(f"/worlds/{world}")
                tried["read", world] = await client.get(f"/worlds/{world}/requests")
            for world in guesses:
                headers = {"X-Ossia-World": world}
                tried["clock", world] = await client.get("/clock", headers=headers)
            body = {"now": "2026-03-13T10:00", "home": "chicago"}
            tried["make", ""] = await client.post("/worlds", json=body)
        return await play(worker, wire, *turns, **others)

    monkeypatch.setattr(WorkerProcess, "run", attacked)
    run(make_session([greeting("a", "hello")]), tmp_path / "run")
    assert {answer.status_code for (deed, _), answer in tried.items() if deed == "clock"} == {404}
    assert {answer.status_code for (deed, _), answer in tried.items() if deed != "clock"} == {401}
    assert scores(tmp_path / "run")["moody.a.1"].verdict is Verdict.SUCCESS


def test_a_run_says_how_far_its_workers_were_confined(make_session, greeting, tmp_path):
    session = make_session([greeting("a", "hello")])
    with RunStore(tmp_path / "run", write=True) as store:
        store.set_meta("config", session.config.model_dump_json())
        assert isolation_of([store]) is None
        asyncio.run(run_missing(session, store, lambda _: None))
        said = json.loads(store.meta("framework.moody"))["enforced"]
        assert isolation_of([store]) == confinement_text(said) != NOT_RECORDED
        assert comparison_of(store, session.tasks).facts["isolation"] == confinement_text(said)
        # A later session on a machine that can do less.
        note_isolation(store, "moody", ["processes"])
        note_isolation(store, "moody", ASPECTS)
        assert isolation_of([store]) == "partly confined (processes only)"


def test_a_run_of_before_says_that_nothing_is_recorded(make_session, greeting, tmp_path):
    session = make_session([greeting("a", "hello")])
    with RunStore(tmp_path / "run", write=True) as store:
        store.set_meta("config", session.config.model_dump_json())
        store.set_meta("framework.moody", '{"protocol": 1, "framework": "x", "version": "1"}')
        assert isolation_of([store]) == NOT_RECORDED
