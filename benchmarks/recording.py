"""Recordings: what each framework asked and was told when it solved its tasks offline."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.answers import Answers
from benchmarks.sides import open_ossia
from ossia.adapters import AdapterInfo
from ossia.tasks import Choice, choose
from ossia.worker import WorkerStartError
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.gold import GoldError
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline.opening import open_offline
from ossia_servers.gateway import ModelSpec

__all__ = ["CANNOT_PLAY", "CannotPlay", "Recording", "Recordings", "record", "runnable_tasks"]

JOBS = 8


class CannotPlay(Exception):
    """An adapter is not installed, or solves no task with the offline model."""


CANNOT_PLAY = (CannotPlay, WorkerStartError)
"""What makes an adapter's line broken, while the others are still measured."""


@dataclass(frozen=True)
class Recording:
    """Tasks that a framework solved with the offline model, and all answers on the way.

    Attributes:
        tasks: The tasks by id.
        said: What the user was told, by task.
        answers: What model and servers answered.
    """

    tasks: Mapping[str, WorldTask]
    said: Mapping[str, str]
    answers: Answers


class Recordings:
    """The recordings of adapters, each made when it is first asked for."""

    def __init__(self, count: int) -> None:
        """Make none yet.

        Args:
            count: Tasks to try; the solved ones are kept.
        """
        self._count = count
        self._made: dict[str, Recording] = {}

    def of(self, info: AdapterInfo) -> Recording:
        """Return an adapter's recording.

        Raises:
            CannotPlay: The adapter is not installed, or solved no task.
            WorkerStartError: Its worker cannot be started.
        """
        if not info.installed:
            raise CannotPlay("not installed")
        if info.key not in self._made:
            tasks = runnable_tasks(self._count)
            self._made[info.key] = asyncio.run(record(info, tasks, self._count))
        return self._made[info.key]


def runnable_tasks(count: int) -> tuple[WorldTask, ...]:
    """Return about so many built-in tasks, spread over the domains.

    Args:
        count: How many to choose.

    Returns:
        Those of them whose gold run the servers accept.
    """
    scorer = AssistantScorer(load_domains())
    kept = []
    for task in choose(assistant_tasks("test"), Choice(limit=count)):
        try:
            scorer.gold(task)
        except GoldError:
            continue
        kept.append(task)
    return tuple(kept)


async def record(info: AdapterInfo, tasks: Sequence[WorldTask], count: int) -> Recording:
    """Play tasks once with the offline model.

    Args:
        info: The adapter, installed.
        tasks: The tasks to try, in order.
        count: How many solved ones to keep at most.

    Returns:
        The solved tasks whose answers follow from the requests alone.

    Raises:
        CannotPlay: None of them was solved.
        WorkerStartError: The adapter's worker cannot be started.
    """
    by_id = {task.id: task for task in tasks}
    domains = {domain.name: domain for domain in load_domains()}
    answers = Answers()
    said: dict[str, str] = {}
    async with open_ossia(info, by_id, open_offline(ModelSpec("offline")), jobs=JOBS) as side:
        for trace, score in await side.play(list(by_id)):
            task = by_id[trace.episode.task]
            solved = score.verdict is Verdict.SUCCESS and trace.ending.kind == "answered"
            if len(said) < count and solved and answers.add(task, trace, domains):
                said[task.id] = trace.answer
    if not said:
        raise CannotPlay("no task was solved with the offline model")
    return Recording({name: by_id[name] for name in said}, said, answers)
