"""What a plan of faults costs the episodes that meet none of them."""

from __future__ import annotations

import cProfile
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import uvloop

from benchmarks.answers import RecordedModel
from benchmarks.measure import Spread, ratios
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

    Function calls are counted, and no time: the processor time of two runs without a plan differs
    by more than the plan costs. A worker runs the same code with a plan and without.

    Args:
        control: The adapter, which should do little itself.
        recordings: Where its recordings are kept.
        quick: Few episodes, for a first look.

    Returns:
        The table.
    """
    rounds, episodes = (1, 12) if quick else (4, 96)
    try:
        row = uvloop.run(_measure(control, recordings.of(control), rounds, episodes))
    except CANNOT_PLAY as problem:
        row = Row((control.key, *[""] * 3), broken=str(problem))
    return Table(
        "A plan of faults: episodes that meet none",
        ("adapter", "function calls with a plan", "without", "ratio"),
        (row,),
        (
            f"{rounds} rounds of {episodes} episodes in turns, {JOBS} at once. Calls an episode in"
            " Ossia's own process; the workers' code is the same with a plan and without. The plan"
            " has a fault of the model and one of a service.",
        ),
    )


async def _measure(info: AdapterInfo, recording: Recording, rounds: int, episodes: int) -> Row:
    names = list(recording.tasks)
    batch = [names[place % len(names)] for place in range(episodes)]
    counted: tuple[list[float], list[float]] = ([], [])
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
                with cProfile.Profile() as profile:
                    differing += await _played(side, batch, recording)
                calls = sum(entry.callcount for entry in profile.getstats())
                counted[place].append(calls / episodes)
    with_plan, without = map(Spread.of, counted)
    ratio = ratios(*counted)
    cells = (info.key, with_plan.text(0), without.text(0), ratio.text(3))
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
