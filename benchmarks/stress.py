"""What a plan of faults costs the episodes that meet none of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import uvloop

from benchmarks.answers import RecordedModel
from benchmarks.measure import Spread, cpu_seconds, ratios
from benchmarks.recording import CANNOT_PLAY, JOBS, Recording, Recordings
from benchmarks.sides import OssiaSide, open_ossia
from benchmarks.tables import Goal, Row, Table
from ossia.adapters import AdapterInfo
from ossia_evaluation.grade import Verdict
from ossia_servers.stress.reading import read_plan

__all__ = ["stress"]

GOAL = 1.02

_PLAN = read_plan(("empty", "service-error"))
"""One of the model and one of a service, so that both ends are ready to strike."""


def stress(control: AdapterInfo, recordings: Recordings, *, quick: bool) -> Table:
    """Measure episodes without a fault in a run with a plan, against those of a run without one.

    Args:
        control: The adapter, which should do little itself.
        recordings: Where its recordings are kept.
        quick: Few episodes, for a first look.

    Returns:
        The table.
    """
    rounds, episodes = (2, 12) if quick else (30, 24)
    try:
        row = uvloop.run(_measure(control, recordings.of(control), rounds, episodes))
    except CANNOT_PLAY as problem:
        row = Row((control.key, *[""] * 3), broken=str(problem))
    return Table(
        "A plan of faults: CPU of episodes that meet none",
        ("adapter", "CPU ms with a plan", "CPU ms without", "ratio"),
        (row,),
        (
            f"{rounds} rounds of {episodes} episodes in turns, {JOBS} at once, as for the harness"
            " overhead. The plan has a fault of the model and one of a service.",
        ),
    )


async def _measure(info: AdapterInfo, recording: Recording, rounds: int, episodes: int) -> Row:
    names = list(recording.tasks)
    batch = [names[place % len(names)] for place in range(episodes)]
    spent: tuple[list[float], list[float]] = ([], [])
    differing = 0
    async with (
        _opened(info, recording, planned=True) as ready,
        _opened(info, recording, planned=False) as plain,
    ):
        for side in (ready, plain):
            await side.play(batch)
        for turn in range(rounds):
            # Each is first in every other round, as what comes first finds other caches.
            for place in (0, 1) if turn % 2 else (1, 0):
                side = (ready, plain)[place]
                before = cpu_seconds(side.pids)
                differing += await _played(side, batch, recording)
                spent[place].append(1000 * (cpu_seconds(side.pids) - before) / episodes)
    with_plan, without = map(Spread.of, spent)
    ratio = ratios(*spent)
    cells = (info.key, with_plan.text(1), without.text(1), ratio.text(3))
    broken = f"{differing} episodes did not end as recorded" if differing else None
    return Row(cells, Goal(ratio.median, GOAL, "less"), broken)


def _opened(
    info: AdapterInfo, recording: Recording, *, planned: bool
) -> AbstractAsyncContextManager[OssiaSide]:
    model = RecordedModel(recording.answers)
    return open_ossia(info, recording.tasks, model, jobs=JOBS, plan=_PLAN if planned else None)


async def _played(side: OssiaSide, batch: Sequence[str], recording: Recording) -> int:
    """Play a batch, and return how many episodes did not end as they did while recording."""
    return sum(
        score.verdict is not Verdict.SUCCESS or trace.answer != recording.said[trace.episode.task]
        for trace, score in await side.play(batch)
    )
