"""The plan of a run: which episodes there are, and in which order they run."""

from __future__ import annotations

from collections.abc import Iterable

from ossia.runner.config import RunConfig
from ossia_servers.trace import EpisodeKey


def plan(config: RunConfig) -> tuple[EpisodeKey, ...]:
    """Return all episodes of a run.

    Frameworks take turns on each task, so that all of them meet the same load of the machine, and
    a run that is cut short has compared as many tasks as it could.
    """
    return tuple(
        key_of(task, framework.name, config.model, repeat)
        for repeat in range(1, config.repeats + 1)
        for task in config.task_ids
        for framework in config.frameworks
    )


def key_of(task: str, framework: str, model: str, repeat: int) -> EpisodeKey:
    """Return the key of one episode; its id is readable and unique within a run."""
    return EpisodeKey(
        id=f"{framework}.{task}.{repeat}",
        task=task,
        framework=framework,
        model=model,
        repeat=repeat,
    )


def missing(planned: Iterable[EpisodeKey], finished: frozenset[str]) -> tuple[EpisodeKey, ...]:
    """Return the episodes that are still to run, in the order of the plan."""
    return tuple(key for key in planned if key.id not in finished)
