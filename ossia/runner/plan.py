"""The plan of a run: which episodes there are, and in which order they run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ossia.runner.config import RunConfig
from ossia_servers.trace import EpisodeKey

FAULT_MARK: Final = "~"
"""Stands in ids before a fault; no name of an adapter or a task has it."""


def plan(config: RunConfig) -> tuple[EpisodeKey, ...]:
    """Return all episodes of a run.

    Frameworks take turns on each task, and models within each framework, so that all of them meet
    the same load of the machine, and a run that is cut short has compared what it could. Those
    without a fault come first: they tell the others how many calls a task takes.
    """
    several = len(config.models) > 1
    faults = () if config.stress is None else tuple(fault.key for fault in config.stress.faults)
    return tuple(
        key_of(task, framework.name, model, repeat, number if several else None, fault)
        for fault in ("", *faults)
        for repeat in range(1, config.repeats + 1)
        for task in config.task_ids
        for framework in config.frameworks
        for number, model in enumerate(config.models, start=1)
    )


def planned(config: RunConfig) -> int:
    """Return how many episodes `plan` makes, without making them."""
    faults = 0 if config.stress is None else len(config.stress.faults)
    lines = len(config.frameworks) * len(config.models) * config.repeats
    return len(config.task_ids) * lines * (1 + faults)


def key_of(
    task: str,
    framework: str,
    model: str,
    repeat: int,
    number: int | None = None,
    fault: str = "",
) -> EpisodeKey:
    """Return the key of one episode; its id is readable and unique within a run.

    Args:
        task: the task's id.
        framework: the framework's name.
        model: the model's specification.
        repeat: which repeat, from 1.
        number: which of the run's models it is, from 1; None where there is only one.
        fault: the key of the fault that it meets; empty for none.
    """
    model_part = "" if number is None else f".m{number}"
    return EpisodeKey(
        id=f"{framework}.{task}.{repeat}{model_part}{fault and FAULT_MARK}{fault}",
        task=task,
        framework=framework,
        model=model,
        repeat=repeat,
        fault=fault,
    )


def baseline_of(key: EpisodeKey) -> str:
    """Return the id of the same episode without its fault."""
    return key.id.partition(FAULT_MARK)[0]


def missing(planned: Iterable[EpisodeKey], finished: frozenset[str]) -> tuple[EpisodeKey, ...]:
    """Return the episodes that are still to run, in the order of the plan."""
    return tuple(key for key in planned if key.id not in finished)
