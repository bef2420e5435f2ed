"""Finding tasks: built-in sets, files in our format, and published files by path."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from ossia.alike import meant_by
from ossia.errors import UserError
from ossia.suites import find_suite
from ossia_dataset.tasks import T, Task
from ossia_dataset.world_tasks import WorldTask

_NAMED: Final = 8
"""At most so many names are told to somebody who misspelt one."""


@dataclass(frozen=True)
class Choice:
    """Which tasks of a set are wanted; everything by default."""

    domains: Collection[str] = ()
    ids: Collection[str] = ()
    limit: int | None = None
    seed: int | None = None
    """Choose the limit's tasks at random by this seed; None spreads them evenly."""


EVERYTHING = Choice()
"""All tasks of a set."""


def find_tasks(source: str, suite: str) -> tuple[Task, ...]:
    """Load tasks from a built-in set, a file or folder, or published data by path.

    Raises:
        UserError: the suite is unknown.
        TaskError: the source cannot be read.
    """
    return find_suite(suite).tasks(source)


def told_tasks(tasks: Sequence[Task], suite: str, knowledge: Sequence[str]) -> tuple[Task, ...]:
    """Return the tasks that are played: each once for each form of knowledge that is asked for.

    Args:
        tasks: the tasks.
        suite: their suite.
        knowledge: what their teams are told; nothing is asked for where it is empty.

    Raises:
        UserError: the suite is unknown, has no knowledge to give, or none of such a form.
    """
    if not knowledge:
        return tuple(tasks)
    known = find_suite(suite).knowledge
    if known is None:
        raise UserError(f"--knowledge: the suite '{suite}' has none")
    try:
        return tuple(known(tasks, knowledge))
    except ValueError as error:
        raise UserError(f"--knowledge: {error}") from None


def find_task(name: str, suite: str, source: str | None = None) -> tuple[Task, str]:
    """Return a task by its id, and where it is.

    Args:
        name: its id.
        suite: its suite.
        source: where to look; in all built-in sets when left out.

    Raises:
        UserError: there is none.
        TaskError: the source cannot be read.
    """
    known: list[str] = []
    for place in sets_of(suite) if source is None else (source,):
        for task in find_tasks(place, suite):
            if task.id == name:
                return task, place
            known.append(task.id)
    meant = f"; {near}" if (near := meant_by(name, known)) else ""
    if source is not None:
        raise UserError(f"the task set '{source}' has no task '{name}'{meant}")
    # The tasks of all suites take a quarter of a minute to load, so they are not looked through.
    raise UserError(
        f"the built-in sets of the suite '{suite}' have no task '{name}'{meant or ';'}"
        " --suite NAME looks in those of another suite, --tasks FILE in your own"
    )


def find_world_tasks(source: str, suite: str) -> tuple[WorldTask, ...]:
    """Load tasks that have gold requests, for what rests on these.

    Raises:
        UserError: the suite is unknown, or its tasks have none.
        TaskError: the source cannot be read.
    """
    return tuple(map(as_world_task, find_tasks(source, suite)))


def as_world_task(task: Task) -> WorldTask:
    """Return a task that has gold requests.

    Raises:
        UserError: it has none.
    """
    if not isinstance(task, WorldTask):
        raise UserError(f"the tasks of the suite '{task.suite}' have no gold requests to go by")
    return task


def sets_of(suite: str) -> tuple[str, ...]:
    """Return the names of a suite's built-in task sets.

    Raises:
        UserError: the suite has none.
    """
    found = find_suite(suite).sets
    if not found:
        raise UserError(f"the suite '{suite}' has no built-in task set")
    return found


def sets_to_tell(suite: str) -> dict[str, tuple[WorldTask, ...]]:
    """Return what a suite's built-in task sets hold, and the sets that are told beside them.

    Raises:
        UserError: the suite has none, or its tasks have no gold requests.
    """
    related = find_suite(suite).related()
    return {name: find_world_tasks(name, suite) for name in sets_of(suite)} | {
        title: tuple(map(as_world_task, tasks)) for title, tasks in related.items()
    }


def version_of(source: str, suite: str) -> str:
    """Return the recorded version of a built-in task set; empty for any other source."""
    found = find_suite(suite)
    known = found.version if source in found.sets else None
    return "" if known is None else known.version


def choose(tasks: Sequence[T], choice: Choice) -> tuple[T, ...]:
    """Return the wanted tasks in their order.

    Without a seed a limit spreads its tasks evenly over the set, so that a short run still meets
    many domains.

    Raises:
        UserError: a domain or id does not occur, or nothing is left.
    """
    _all_occur("domain", choice.domains, {name for task in tasks for name in task.domains})
    _all_occur("task", choice.ids, {task.id for task in tasks})
    kept = [
        task
        for task in tasks
        if (not choice.domains or task.domains & set(choice.domains))
        and (not choice.ids or task.id in choice.ids)
    ]
    if not kept:
        raise UserError("no task is left: none of the given tasks is in a given domain")
    if choice.limit is None or choice.limit >= len(kept):
        return tuple(kept)
    if choice.seed is not None:
        places = sorted(random.Random(choice.seed).sample(range(len(kept)), choice.limit))
        return tuple(kept[place] for place in places)
    return tuple(kept[index * len(kept) // choice.limit] for index in range(choice.limit))


def _all_occur(what: str, wanted: Collection[str], there: Collection[str]) -> None:
    for name in wanted:
        if not there:
            raise UserError(f"the task set has no {what} '{name}': its tasks have no {what}s")
        if name not in there:
            near = get_close_matches(name, there) or sorted(there)[:_NAMED]
            raise UserError(f"the task set has no {what} '{name}'; it has {_and_more(near, there)}")


def _and_more(named: Sequence[str], there: Collection[str]) -> str:
    more = len(there) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
