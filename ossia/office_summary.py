"""A stored run of the office in the publication's terms."""

from __future__ import annotations

from collections.abc import Mapping

from ossia.runner.store import RunStore
from ossia.suites import find_suite
from ossia_dataset.tasks import Task
from ossia_evaluation.workbench.scorer import task_verdict
from ossia_evaluation.workbench.summary import Summary, TaskVerdict, summarise
from ossia_evaluation.workbench.tasks import SUITE

Line = tuple[str, str]
"""A framework and a model."""


def is_office(store: RunStore) -> bool:
    """Return whether a run is one of the office's tasks, whatever team played them."""
    return find_suite(store.config().suite).tasks_of == SUITE


def office_summaries(store: RunStore, tasks: Mapping[str, Task]) -> dict[Line, Summary]:
    """Return what came of each framework with each model; invalid episodes are left out.

    Args:
        store: a run of the office.
        tasks: the run's tasks by id.
    """
    found: dict[Line, list[TaskVerdict]] = {}
    turns = store.config().limits.turns
    for episode in store.episodes():
        trace, score = store.readable_trace(episode), store.readable_score(episode)
        task = None if trace is None else tasks.get(trace.episode.task)
        if trace is None or score is None or task is None:
            continue
        verdict = task_verdict(task, trace, score, turns)
        if verdict is not None:
            found.setdefault((trace.episode.framework, trace.episode.model), []).append(verdict)
    release = ", ".join(sorted({task.seed for task in tasks.values()}))
    return {line: summarise(release, verdicts) for line, verdicts in found.items()}


def by_name(summaries: Mapping[Line, Summary]) -> dict[str, Summary]:
    """Return summaries under names that tell framework and model."""
    return {f"{framework}, {model}": found for (framework, model), found in summaries.items()}
