"""Concurrency: the share of ideal throughput with many episodes at once and a slow model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from benchmarks.answers import RecordedModel
from benchmarks.harness import Recording, record, runnable_tasks
from benchmarks.measure import Spread, cpu_seconds, wall_seconds
from benchmarks.sides import open_ossia
from benchmarks.tables import Goal, Row, Table
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


def concurrency(adapters: Sequence[AdapterInfo], *, quick: bool) -> Table:
    """Measure every adapter.

    Args:
        adapters: The adapters; one that is not installed gets a broken line.
        quick: One wave instead of several.

    Returns:
        The table.
    """
    waves = 1 if quick else 3
    tasks = runnable_tasks(16)
    rows = []
    for info in adapters:
        if not info.installed:
            rows.append(Row((info.name, *[""] * 5), broken="not installed"))
            continue
        recording = asyncio.run(record(info, tasks, len(tasks)))
        rows.append(asyncio.run(_row(info, recording, waves)))
    return Table(
        f"Concurrency: {EPISODES} episodes at once, each model call takes {CALL_SECONDS:g} s",
        ("adapter", "longest chain", "ideal s", "wall s", "CPU s of worker / Ossia", "share"),
        tuple(rows),
        (
            f"{waves} waves after one that warms up. Ideal is the longest chain of calls times"
            f" {CALL_SECONDS:g} s. All episodes share one worker process, so a framework that needs"
            " more CPU for its episodes than the ideal time cannot reach it.",
        ),
    )


async def _row(info: AdapterInfo, recording: Recording, waves: int) -> Row:
    names = list(recording.tasks)
    batch = [names[place % len(names)] for place in range(EPISODES)]
    model = RecordedModel(recording.answers, wait_s=CALL_SECONDS)
    shares, walls, ideals, worker_s, ossia_s = [], [], [], [], []
    failed = chain = 0
    async with open_ossia(info, recording.tasks, model, jobs=EPISODES) as side:
        ours, worker = ([pid] for pid in side.pids)
        await side.play(names[:1])
        for number in range(waves + 1):
            before = wall_seconds(), cpu_seconds(worker), cpu_seconds(ours)
            played = await side.play(batch)
            wall = wall_seconds() - before[0]
            failed += _failed(played)
            chain = max(longest_chain(trace.gateway.exchanges) for trace, _ in played)
            if number or waves == 1:
                walls.append(wall)
                ideals.append(chain * CALL_SECONDS)
                shares.append(chain * CALL_SECONDS / wall)
                worker_s.append(cpu_seconds(worker) - before[1])
                ossia_s.append(cpu_seconds(ours) - before[2])
            if waves == 1:
                break
    share = Spread.of(shares)
    cells = (
        info.name,
        str(chain),
        f"{Spread.of(ideals).median:.1f}",
        Spread.of(walls).text(1),
        f"{Spread.of(worker_s).median:.1f} / {Spread.of(ossia_s).median:.1f}",
        share.text(),
    )
    broken = f"{failed} episodes failed" if failed else None
    return Row(cells, Goal(share.median, GOAL, "more"), broken)


def _failed(played: Iterable[tuple[Trace, Score]]) -> int:
    return sum(score.verdict is not Verdict.SUCCESS for _, score in played)
