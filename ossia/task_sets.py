"""The built-in task sets of suites: what they hold, and the record of their version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table

from ossia.errors import UserError
from ossia.suites import find_suite, usable_suites
from ossia.tasks import find_tasks, find_world_tasks, sets_of, sets_to_tell
from ossia_dataset.builtin import record_version
from ossia_dataset.datasheet import counts_sheet, datasheet
from ossia_dataset.statistics import statistics_of
from ossia_dataset.tasks import TaskError, dataset_hash


def sets_table() -> tuple[RenderableType, tuple[str, ...]]:
    """Return a line for each set of each suite, and why others cannot be had, a sentence each."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in ("suite", "set", "tasks", "version", "hash"):
        table.add_column(column, justify="right" if column == "tasks" else "left", no_wrap=True)
    suites, problems = usable_suites()
    for suite, found in suites.items():
        version = "-" if found.version is None else found.version.version
        for name in found.sets:
            try:
                tasks = found.tasks(name)
            except (TaskError, UserError) as error:
                # One bad set of one suite costs its line alone.
                problems += (f"the set '{name}' of the suite '{suite}': {error}",)
                continue
            table.add_row(suite, name, f"{len(tasks):,}", version, dataset_hash(tasks))
    return table, problems


def spread_lines(suite: str) -> Iterator[str]:
    """Yield how a suite's sets are spread over the groups of its tasks, as domains and intents.

    Raises:
        UserError: the suite is unknown, or has no set.
        TaskError: a set cannot be read.
    """
    version = find_suite(suite).version
    if version is not None:
        yield f"{suite}: version {version.version}"
    for name in sets_of(suite):
        tasks = find_tasks(name, suite)
        yield f"{suite}/{name}: {len(tasks)} tasks, hash {dataset_hash(tasks)}"
        spread: dict[str, Counter[str]] = {}
        for task in tasks:
            first, *others = (*task.groups.values(), "")
            spread.setdefault(first, Counter())[others[0] if others else ""] += 1
        width = max(15, *map(len, spread))
        for first in sorted(spread):
            counts = sorted(spread[first].items())
            told = ", ".join(f"{name} {count}" for name, count in counts if name)
            yield f"  {first:{width}} {spread[first].total():4}  {told}"


def stats_of(suite: str, source: str | None) -> tuple[Mapping[str, Any], str]:
    """Return what sets hold by their names, as plain data and as Markdown.

    Args:
        suite: the suite, which may count in a way of its own.
        source: a set, a file or a folder; None for all built-in sets.

    Raises:
        UserError: the suite is unknown or has no set, or its tasks have no gold requests to count.
        TaskError: a set cannot be read.
    """
    found = find_suite(suite)
    count = found.counts
    if count is not None:
        names = sets_of(suite) if source is None else (source,)
        rows = {name: count(find_tasks(name, suite)) for name in names}
        return rows, counts_sheet(rows)
    counted = sets_to_tell(suite) if source is None else {source: find_world_tasks(source, suite)}
    sets = {name: statistics_of(one) for name, one in counted.items()}
    known = found.version if source is None else None
    plain = {name: one.model_dump(mode="json") for name, one in sets.items()}
    return plain, datasheet(sets, "" if known is None else known.version)


def record_sets(version: str, suite: str) -> Iterator[str]:
    """Record what a suite's sets hold as a version, and yield a line for each set.

    Raises:
        UserError: the suite is unknown or has no set, or that is no version to be recorded.
    """
    sets_of(suite)
    chosen = find_suite(suite)
    stored = suite if chosen.data is None else chosen.data.name
    try:
        found = record_version(version, stored, chosen.tasks)
    except ValidationError:
        raise UserError(
            f"'{version}' is not a version: write two numbers with a point between them, as in 1.1"
        ) from None
    except ValueError as error:
        raise UserError(str(error)) from None
    for name, digest in found.sets.items():
        yield f"{stored}/{name}: version {found.version}, hash {digest}"
