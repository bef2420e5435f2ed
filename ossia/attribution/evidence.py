"""Replays that count: one that ended for a reason outside the framework says nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ossia_dataset.tasks import Task
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.grader import Grader
from ossia_servers.gateway.intervention import Script
from ossia_servers.trace import EpisodeKey, Trace

S = TypeVar("S", bound=Script)

ATTEMPTS = 2
"""So often a replay is run before it is given up."""


class ReplayInvalid(Exception):
    """A replay was invalid each time, so that nothing follows from it."""


class Replays(Protocol):
    """Runs an episode once more by a script."""

    async def replay(self, key: EpisodeKey, script: Script) -> Trace:
        """Return the trace of the replay."""
        ...


async def replayed(
    runner: Replays, grader: Grader, task: Task, key: EpisodeKey, script: Callable[[], S]
) -> tuple[S, Trace, Grade]:
    """Run a replay, and once more where it was invalid.

    Args:
        runner: runs the replays.
        grader: decides on the verdict.
        task: the episode's task.
        key: the episode.
        script: makes what answers the model calls, anew for each run.

    Returns:
        The script as it was played, the trace and the verdict, which is not `invalid`.

    Raises:
        ReplayInvalid: it was invalid each time.
        WorkerStartError: the framework's worker cannot be started.
    """
    for _ in range(ATTEMPTS):
        played = script()
        trace = await runner.replay(key, played)
        score = grader.score(task, trace)
        if score.verdict is not Verdict.INVALID:
            return played, trace, score
    raise ReplayInvalid(score.reason)
