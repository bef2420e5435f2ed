"""Harness overhead: episodes per processor second through Ossia, against a bare loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import uvloop

from benchmarks.answers import RecordedModel
from benchmarks.measure import Spread, cpu_seconds, ratios
from benchmarks.recording import CANNOT_PLAY, JOBS, Recording, Recordings
from benchmarks.sides import BareSide, OssiaSide, open_bare, open_ossia
from benchmarks.tables import Goal, Row, Table
from ossia.adapters import AdapterInfo
from ossia_evaluation.grade import Verdict

__all__ = ["harness"]

GOAL = 0.7


@dataclass(frozen=True)
class _Rates:
    """Episodes per processor second, round by round."""

    ossia: list[float]
    bare: list[float]
    calls: float
    differing: int
    """Episodes that did not end as they did while recording."""


def harness(adapters: Sequence[AdapterInfo], recordings: Recordings, *, quick: bool) -> Table:
    """Measure every adapter.

    Args:
        adapters: The adapters; one that cannot play gets a broken line.
        recordings: Where their recordings are kept.
        quick: Few episodes, for a first look.

    Returns:
        The table.
    """
    rounds, episodes = (2, 12) if quick else (5, 24)
    rows = []
    for info in adapters:
        try:
            recording = recordings.of(info)
            rates = uvloop.run(_measure(info, recording, rounds, episodes))
        except CANNOT_PLAY as problem:
            rows.append(Row((info.key, *[""] * 5), broken=str(problem)))
        else:
            rows.append(_row(info.key, rates))
    return Table(
        "Harness overhead: episodes per CPU second",
        ("adapter", "calls", "CPU ms Ossia", "CPU ms bare", "Ossia adds ms", "ratio"),
        tuple(rows),
        (
            f"{rounds} rounds of {episodes} episodes in turns, {JOBS} at once. CPU is user and"
            " system time of all processes, after the imports. Both sides get the same recorded"
            " answers; the bare loop calls the adapter's run in a plain script against one stub.",
        ),
    )


async def _measure(info: AdapterInfo, recording: Recording, rounds: int, episodes: int) -> _Rates:
    names = list(recording.tasks)
    batch = [names[place % len(names)] for place in range(episodes)]
    ours: list[_Round] = []
    theirs: list[_Round] = []
    async with (
        open_ossia(info, recording.tasks, RecordedModel(recording.answers), jobs=JOBS) as ossia,
        open_bare(info, recording.tasks, recording.answers, jobs=JOBS) as bare,
    ):
        # Starts the workers and makes what is made once; it is not measured.
        await ossia.play(batch)
        await bare.play(batch)
        for _ in range(rounds):
            ours.append(await _ossia_round(ossia, batch, recording))
            theirs.append(await _bare_round(bare, batch, recording))
    return _Rates(
        ossia=[episodes / each.cpu_s for each in ours],
        bare=[episodes / each.cpu_s for each in theirs],
        calls=sum(each.calls for each in ours) / rounds / episodes,
        differing=sum(each.differing for each in (*ours, *theirs)),
    )


@dataclass(frozen=True)
class _Round:
    """One batch of episodes on one side."""

    cpu_s: float
    calls: int
    differing: int


async def _ossia_round(side: OssiaSide, batch: Sequence[str], recording: Recording) -> _Round:
    before = cpu_seconds(side.pids)
    played = await side.play(batch)
    return _Round(
        cpu_s=cpu_seconds(side.pids) - before,
        calls=sum(trace.gateway.calls for trace, _ in played),
        differing=sum(
            score.verdict is not Verdict.SUCCESS
            or trace.answer != recording.said[trace.episode.task]
            for trace, score in played
        ),
    )


async def _bare_round(side: BareSide, batch: Sequence[str], recording: Recording) -> _Round:
    before = cpu_seconds(side.pids)
    answers = await side.play(batch)
    return _Round(
        cpu_s=cpu_seconds(side.pids) - before,
        calls=0,
        differing=sum(
            answer != recording.said[task] for task, answer in zip(batch, answers, strict=True)
        ),
    )


def _row(name: str, rates: _Rates) -> Row:
    ratio = ratios(rates.ossia, rates.bare)
    ours, theirs = (Spread.of([1000 / rate for rate in side]) for side in (rates.ossia, rates.bare))
    cells = (
        name,
        f"{rates.calls:.1f}",
        ours.text(1),
        theirs.text(1),
        f"{ours.median - theirs.median:.1f}",
        ratio.text(),
    )
    differing = rates.differing
    broken = f"{differing} episodes did not end as recorded" if differing else None
    return Row(cells, Goal(ratio.median, GOAL, "more"), broken)
