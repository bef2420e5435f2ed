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
AT_ONCE = 64
FULL = 4
"""How often each of the places is taken on average: enough that filling them at the start and
emptying them at the end is a small part."""


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
        quick: One round instead of several.

    Returns:
        The table.
    """
    rounds = 1 if quick else 3
    rows = []
    for info in adapters:
        try:
            rows.append(loop.run(_row(info, recordings.of(info), rounds)))
        except CANNOT_PLAY as problem:
            rows.append(Row((info.name, *[""] * 5), broken=str(problem)))
    return Table(
        f"Concurrency: {AT_ONCE} episodes at once, each model call takes {CALL_SECONDS:g} s",
        ("adapter", "mean chain", "ideal s", "wall s", "CPU s of workers / Ossia", "share"),
        tuple(rows),
        (
            f"{rounds} rounds of {FULL * AT_ONCE} episodes after {AT_ONCE} that warm up, with the"
            f" worker processes that a run starts. Ideal is {CALL_SECONDS:g} s for each call that"
            " waits for another, over all episodes, in as many places: no CPU time at all, and no"
            " place ever empty.",
        ),
    )


@dataclass(frozen=True)
class _Round:
    """What one round of episodes took."""

    chains: tuple[int, ...]
    wall_s: float
    worker_s: float
    ossia_s: float
    failed: int

    @property
    def ideal_s(self) -> float:
        return sum(self.chains) * CALL_SECONDS / AT_ONCE


async def _row(info: AdapterInfo, recording: Recording, rounds: int) -> Row:
    names = list(recording.tasks)
    batch = [names[place % len(names)] for place in range(FULL * AT_ONCE)]
    model = RecordedModel(recording.answers, wait_s=CALL_SECONDS)
    async with open_ossia(info, recording.tasks, model, jobs=AT_ONCE) as side:
        # What is made once, such as connections and caches, is made before.
        await side.play(batch[:AT_ONCE])
        measured = [await _round(side, batch) for _ in range(rounds)]
    share = Spread.of([each.ideal_s / each.wall_s for each in measured])
    chains = measured[-1].chains
    worker_s, ossia_s = (
        Spread.of(taken).median
        for taken in ([each.worker_s for each in measured], [each.ossia_s for each in measured])
    )
    cells = (
        info.name,
        f"{sum(chains) / len(chains):.1f}",
        f"{Spread.of([each.ideal_s for each in measured]).median:.1f}",
        Spread.of([each.wall_s for each in measured]).text(1),
        f"{worker_s:.1f} / {ossia_s:.1f}",
        share.text(),
    )
    failed = sum(each.failed for each in measured)
    broken = f"{failed} episodes failed" if failed else None
    return Row(cells, Goal(share.median, GOAL, "more"), broken)


async def _round(side: OssiaSide, batch: Sequence[str]) -> _Round:
    ours, *workers = side.pids
    wall, worker_s, ossia_s = wall_seconds(), cpu_seconds(workers), cpu_seconds([ours])
    played = await side.play(batch)
    return _Round(
        chains=tuple(longest_chain(trace.gateway.exchanges) for trace, _ in played),
        wall_s=wall_seconds() - wall,
        worker_s=cpu_seconds(workers) - worker_s,
        ossia_s=cpu_seconds([ours]) - ossia_s,
        failed=_failed(played),
    )


def _failed(played: Iterable[tuple[Trace, Score]]) -> int:
    return sum(score.verdict is not Verdict.SUCCESS for _, score in played)
