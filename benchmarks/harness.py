"""Harness overhead: episodes per processor second through Ossia, against a bare loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.answers import Answers, RecordedModel
from benchmarks.measure import Spread, cpu_seconds, ratios
from benchmarks.sides import BareSide, OssiaSide, open_bare, open_ossia
from benchmarks.tables import Goal, Row, Table
from ossia.adapters import AdapterInfo
from ossia.tasks import Choice, choose
from ossia_dataset.builtin import load_tasks
from ossia_dataset.tasks import Task
from ossia_evaluation.gold import GoldError
from ossia_evaluation.score import Scorer, Verdict
from ossia_servers.catalogue import load_domains
from ossia_servers.gateway import open_model

__all__ = ["Recording", "harness", "record", "runnable_tasks"]

GOAL = 0.7
JOBS = 8


@dataclass(frozen=True)
class Recording:
    """Tasks that a framework solved with the offline model, and all answers on the way.

    Attributes:
        tasks: The tasks by id.
        said: What the user was told, by task.
        answers: What model and servers answered.
    """

    tasks: Mapping[str, Task]
    said: Mapping[str, str]
    answers: Answers


@dataclass(frozen=True)
class _Rates:
    """Episodes per processor second, round by round."""

    ossia: list[float]
    bare: list[float]
    calls: float
    differing: int
    """Episodes that did not end as they did while recording."""


def runnable_tasks(count: int) -> tuple[Task, ...]:
    """Return about so many built-in tasks, spread over the domains.

    Args:
        count: How many to choose.

    Returns:
        Those of them whose gold run the servers accept.
    """
    scorer = Scorer(load_domains())
    kept = []
    for task in choose(load_tasks("test"), Choice(limit=count)):
        try:
            scorer.gold(task)
        except GoldError:
            continue
        kept.append(task)
    return tuple(kept)


async def record(info: AdapterInfo, tasks: Sequence[Task], count: int) -> Recording:
    """Play tasks once with the offline model.

    Args:
        info: The adapter, installed.
        tasks: The tasks to try, in order.
        count: How many solved ones to keep at most.

    Returns:
        The solved tasks whose answers follow from the requests alone.

    Raises:
        RuntimeError: None of them was solved.
    """
    by_id = {task.id: task for task in tasks}
    domains = {domain.name: domain for domain in load_domains()}
    answers = Answers()
    said: dict[str, str] = {}
    async with open_ossia(info, by_id, open_model("offline"), jobs=JOBS) as side:
        for trace, score in await side.play(list(by_id)):
            task = by_id[trace.episode.task]
            solved = score.verdict is Verdict.SUCCESS and trace.ending.kind == "answered"
            if len(said) < count and solved and answers.add(task, trace, domains):
                said[task.id] = trace.answer
    if not said:
        raise RuntimeError(f"{info.name} solved no task with the offline model")
    return Recording({name: by_id[name] for name in said}, said, answers)


def harness(adapters: Sequence[AdapterInfo], *, quick: bool) -> Table:
    """Measure every adapter.

    Args:
        adapters: The adapters; one that is not installed gets a broken line.
        quick: Few episodes, for a first look.

    Returns:
        The table.
    """
    rounds, episodes = (2, 12) if quick else (5, 32)
    tasks = runnable_tasks(16 if quick else 32)
    rows = []
    for info in adapters:
        if info.installed:
            rows.append(_row(info.name, asyncio.run(_measure(info, tasks, rounds, episodes))))
        else:
            rows.append(Row((info.name, *[""] * 5), broken="not installed"))
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


async def _measure(info: AdapterInfo, tasks: Sequence[Task], rounds: int, episodes: int) -> _Rates:
    recording = await record(info, tasks, episodes)
    names = list(recording.tasks)
    batch = [names[place % len(names)] for place in range(episodes)]
    rates = _Rates([], [], 0.0, 0)
    calls = differing = 0
    async with (
        open_ossia(info, recording.tasks, RecordedModel(recording.answers), jobs=JOBS) as ossia,
        open_bare(info, recording.tasks, recording.answers, jobs=JOBS) as bare,
    ):
        # The first round warms both sides up and is not counted.
        for number in range(rounds + 1):
            spent, made, wrong = await _ossia_round(ossia, batch, recording)
            differing += wrong
            calls += made
            if number:
                rates.ossia.append(episodes / spent)
            spent, wrong = await _bare_round(bare, batch, recording)
            differing += wrong
            if number:
                rates.bare.append(episodes / spent)
    return _Rates(rates.ossia, rates.bare, calls / (rounds + 1) / episodes, differing)


async def _ossia_round(
    side: OssiaSide, batch: Sequence[str], recording: Recording
) -> tuple[float, int, int]:
    before = cpu_seconds(side.pids)
    played = await side.play(batch)
    spent = cpu_seconds(side.pids) - before
    wrong = sum(
        score.verdict is not Verdict.SUCCESS or trace.answer != recording.said[trace.episode.task]
        for trace, score in played
    )
    return spent, sum(trace.gateway.calls for trace, _ in played), wrong


async def _bare_round(
    side: BareSide, batch: Sequence[str], recording: Recording
) -> tuple[float, int]:
    before = cpu_seconds(side.pids)
    answers = await side.play(batch)
    spent = cpu_seconds(side.pids) - before
    wrong = sum(answer != recording.said[task] for task, answer in zip(batch, answers, strict=True))
    return spent, wrong


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
