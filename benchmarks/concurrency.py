"""Concurrency: the share of ideal throughput with many episodes at once and a slow model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import uvloop

from benchmarks.answers import RecordedModel
from benchmarks.measure import Spread, cpu_seconds
from benchmarks.recording import CANNOT_PLAY, Recording, Recordings
from benchmarks.sides import OssiaSide, open_ossia
from benchmarks.tables import Goal, Row, Table
from ossia.adapters import AdapterInfo
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.score import Score
from ossia_servers.gateway import Exchange
from ossia_servers.trace import Trace

__all__ = ["chain_of", "concurrency", "share_of_ideal"]

GOAL = 0.85
CALL_SECONDS = 0.5
AT_ONCE = 64
FULL = 4
"""How often each place is taken on average, so that all are taken for most of a round."""

Span: TypeAlias = tuple[float, float]
"""Start and end, in seconds of one clock."""


def chain_of(exchanges: Iterable[Exchange]) -> tuple[Span, ...]:
    """Return the longest chain of an episode's calls, each waiting for the one before.

    Args:
        exchanges: The calls of one episode.

    Returns:
        Starts and ends, in seconds from the episode's opening, of the most calls of which no two
        were under way at the same time: all of them where a framework makes one call after the
        other.
    """
    spans = sorted(
        (
            each.timing.started_s + each.timing.waited_s + each.timing.latency_s,
            each.timing.started_s,
        )
        for each in exchanges
    )
    chain: list[Span] = []
    for end, start in spans:
        if not chain or start >= chain[-1][1]:
            chain.append((start, end))
    return tuple(chain)


def share_of_ideal(calls: Iterable[Span], window: Span) -> float:
    """Return how much of the ideal throughput was reached while every place was taken.

    Args:
        calls: The calls that waited for one another, of all episodes; one that reaches over an
            end of the window counts with the part inside.
        window: From when the first episodes begin until the last one does.

    Returns:
        The calls in the window, at `CALL_SECONDS` each, of what so many places could have made.
    """
    opened, closed = window
    done = sum(
        (min(end, closed) - max(start, opened)) / (end - start)
        for start, end in calls
        if start < closed and end > opened
    )
    return done * CALL_SECONDS / (AT_ONCE * (closed - opened))


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
            rows.append(uvloop.run(_row(info, recordings.of(info), rounds)))
        except CANNOT_PLAY as problem:
            rows.append(Row((info.key, *[""] * 4), broken=str(problem)))
    return Table(
        f"Concurrency: {AT_ONCE} episodes at once, each model call takes {CALL_SECONDS:g} s",
        ("adapter", "mean chain", "seconds", "CPU s of workers / Ossia", "share"),
        tuple(rows),
        (
            f"{rounds} rounds of {FULL * AT_ONCE} episodes after {AT_ONCE} that warm up, with the"
            " worker processes that a run starts, each from its first episode until the last one"
            " begins: as long as all places are taken. The share is that of the calls which waited"
            f" for one another in {AT_ONCE} places at {CALL_SECONDS:g} s a call, as if nothing else"
            " took any time.",
        ),
    )


@dataclass(frozen=True)
class _Round:
    """What one round of episodes took while all places were taken, and its CPU time in all."""

    mean_chain: float
    seconds: float
    share: float
    worker_s: float
    ossia_s: float
    failed: int


async def _row(info: AdapterInfo, recording: Recording, rounds: int) -> Row:
    names = list(recording.tasks)
    batch = [names[place % len(names)] for place in range(FULL * AT_ONCE)]
    model = RecordedModel(recording.answers, wait_s=CALL_SECONDS)
    async with open_ossia(info, recording.tasks, model, jobs=AT_ONCE) as side:
        # What is made once, such as connections and caches, is made before.
        await side.play(batch[:AT_ONCE])
        measured = [await _round(side, batch) for _ in range(rounds)]
    share = Spread.of([each.share for each in measured])
    worker_s, ossia_s = (
        Spread.of(taken).median
        for taken in ([each.worker_s for each in measured], [each.ossia_s for each in measured])
    )
    cells = (
        info.key,
        f"{measured[-1].mean_chain:.1f}",
        Spread.of([each.seconds for each in measured]).text(1),
        f"{worker_s:.1f} / {ossia_s:.1f}",
        share.text(),
    )
    failed = sum(each.failed for each in measured)
    broken = f"{failed} episodes failed" if failed else None
    return Row(cells, Goal(share.median, GOAL, "more"), broken)


async def _round(side: OssiaSide, batch: Sequence[str]) -> _Round:
    ours, *workers = side.pids
    worker_s, ossia_s = cpu_seconds(workers), cpu_seconds([ours])
    played = await side.play(batch)
    worker_s, ossia_s = cpu_seconds(workers) - worker_s, cpu_seconds([ours]) - ossia_s
    chains = [chain_of(trace.gateway.exchanges) for trace, _ in played]
    calls = [
        (began + start, began + end)
        for began, chain in zip(side.began, chains, strict=True)
        for start, end in chain
    ]
    window = (min(side.began), max(side.began))
    return _Round(
        mean_chain=len(calls) / len(chains),
        seconds=window[1] - window[0],
        share=share_of_ideal(calls, window),
        worker_s=worker_s,
        ossia_s=ossia_s,
        failed=_failed(played),
    )


def _failed(played: Iterable[tuple[Trace, Score]]) -> int:
    return sum(score.verdict is not Verdict.SUCCESS for _, score in played)
