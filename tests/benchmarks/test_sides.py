"""Both sides of the harness benchmark with the real control adapter."""

import asyncio

import pytest

from benchmarks.answers import Answers, RecordedModel
from benchmarks.recording import CannotPlay, Recordings, record, runnable_tasks
from benchmarks.sides import open_bare, open_ossia
from benchmarks.stress import stress
from ossia.adapters import find_adapter
from ossia_evaluation.grade import Verdict
from ossia_servers.gateway import ModelCall, TapeMiss

from ..adapters.support.environments import installed

pytestmark = pytest.mark.framework("control")


def test_both_sides_end_every_episode_as_recorded():
    info = installed("control")

    async def play():
        recording = await record(info, runnable_tasks(8), 3)
        batch = [*recording.tasks, *recording.tasks]
        model = RecordedModel(recording.answers)
        async with (
            open_ossia(info, recording.tasks, model, jobs=2) as ossia,
            open_bare(info, recording.tasks, recording.answers, jobs=2) as bare,
        ):
            played, answers = await ossia.play(batch), await bare.play(batch)
            assert len({*ossia.pids, *bare.pids}) == 4
            return recording, batch, played, answers

    recording, batch, played, answers = asyncio.run(play())
    expected = [recording.said[task] for task in batch]
    assert answers == expected
    assert [trace.answer for trace, _ in played] == expected
    assert all(score.verdict is Verdict.SUCCESS for _, score in played)
    assert [trace.episode.task for trace, _ in played] == batch


def test_a_request_that_was_not_recorded_is_a_miss():
    call = ModelCall("intent", "e", {"model": "ossia-intent", "messages": []})
    with pytest.raises(TapeMiss):
        asyncio.run(RecordedModel(Answers()).complete(call))


def test_an_adapter_that_is_not_installed_cannot_play(tmp_path):
    with pytest.raises(CannotPlay, match="not installed"):
        Recordings(1).of(find_adapter("control", tmp_path))


def test_a_plan_of_faults_changes_no_episode_that_meets_none():
    (row,) = stress(installed("control"), Recordings(4), quick=True).rows
    assert (row.cells[0], row.broken) == ("control", None)
