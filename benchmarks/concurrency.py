"""Concurrency: the share of ideal throughput with many episodes at once and a slow model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.answers import RecordedModel
from benchmarks.measure import Spread, cpu_seconds, wall_seconds
from benchmarks.recording import CANNOT_PLAY, Recording, Recordings
from benchmarks.sides import OssiaSide, open_ossia
from benchmarks.tables import Goal, Row, Table
from ossia import loop
from ossia.adapters import AdapterInfo
from ossia_evaluation.score import Score, Verdict
from ossia_servers.gateway import Exchange
from ossia_servers.trace import Trace

__all__ = ["concurrency", "longest_chain"]

GOAL = 0.85
CALL_SECONDS = 0.5
EPISODES = 64


def longest_chain(exchanges: Iterable[Exchange]) -> int:
    """Return how many of an episode's calls had to wait for one another.

    Args:
        exchanges: The calls of one episode.

    Returns:
        The most calls of which no two were under way at the same time: all of them where a
        framework makes one call after the other.
    """
    spans = sorted(
        (each.timing.started_s + each.timing.latency_s, each.timing.started_s) for each in exchanges
    )
    chain, free = 0, 0.0
    for end, start in spans:
        if start >= free:
            chain, free = chain + 1, end
    return chain


def concurrency(adapters: Sequence[AdapterInfo], recordings: Recordings, *, quick: bool) -> Table:
    """Measure every adapter.

    Args:
        adapters: The adapters; one that cannot play gets a broken line.
        recordings: Where their recordings are kept.
        quick: One wave instead of several.

    Returns:
        The table.
    """
    waves = 1 if quick else 3
    rows = []
    for info in adapters:
        try:
            rows.append(loop.run(_row(info, recordings.of(info), waves)))
        except CANNOT_PLAY as problem:
            rows.append(Row((info.name, *[""] * 5), broken=str(problem)))
    return Table(
        f"Concurrency: {EPISODES} episodes at once, each model call takes {CALL_SECONDS:g} s",
        ("adapter", "longest chain", "ideal s", "wall s", "CPU s of workers / Ossia", "share"),
        tuple(rows),
        (
            f"{waves} waves after one that warms up. Ideal is the longest chain of calls times"
            f" {CALL_SECONDS:g} s. A worker process runs one thread of Python at a time, so a"
            " framework whose episodes need more CPU than the ideal time cannot reach it in one.",
        ),
    )


@dataclass(frozen=True)
class _Wave:
    """What one wave of episodes took."""

    chain: int
    wall_s: float
    worker_s: float
    ossia_s: float
    failed: int

    @property
    def ideal_s(self) -> float:
        return self.chain * CALL_SECONDS


async def _row(info: AdapterInfo, recording: Recording, waves: int) -> Row:
    names = list(recording.tasks)
    batch = [names[place % len(names)] for place in range(EPISODES)]
    model = RecordedModel(recording.answers, wait_s=CALL_SECONDS)
    async with open_ossia(info, recording.tasks, model, jobs=EPISODES) as side:
        # What is made once, such as connections and caches, is made before.
        await side.play(batch)
        measured = [await _wave(side, batch) for _ in range(waves)]
    share = Spread.of([wave.ideal_s / wave.wall_s for wave in measured])
    worker_s, ossia_s = (
        Spread.of(taken).median
        for taken in ([w.worker_s for w in measured], [w.ossia_s for w in measured])
    )
    cells = (
        info.name,
        str(measured[-1].chain),
        f"{Spread.of([wave.ideal_s for wave in measured]).median:.1f}",
        Spread.of([wave.wall_s for wave in measured]).text(1),
        f"{worker_s:.1f} / {ossia_s:.1f}",
        share.text(),
    )
    failed = sum(wave.failed for wave in measured)
    broken = f"{failed} episodes failed" if failed else None
    return Row(cells, Goal(share.median, GOAL, "more"), broken)


async def _wave(side: OssiaSide, batch: Sequence[str]) -> _Wave:
    ours, *workers = side.pids
    wall, worker_s, ossia_s = wall_seconds(), cpu_seconds(workers), cpu_seconds([ours])
    played = await side.play(batch)
    return _Wave(
        chain=max(longest_chain(trace.gateway.exchanges) for trace, _ in played),
        wall_s=wall_seconds() - wall,
        worker_s=cpu_seconds(workers) - worker_s,
        ossia_s=cpu_seconds([ours]) - ossia_s,
        failed=_failed(played),
    )


def _failed(played: Iterable[tuple[Trace, Score]]) -> int:
    return sum(score.verdict is not Verdict.SUCCESS for _, score in played)
