"""The published results format (one CSV row for each task) and the published verdicts."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ossia_dataset.tasks import TaskError
from ossia_dataset.workbench.published import (
    Published,
    PublishedTask,
    empty_cell,
    text_list,
)
from ossia_evaluation.workbench.replay import Replayer
from ossia_evaluation.workbench.summary import TaskVerdict

_LONGEST_CELL = 100_000_000
"""A cell of a results file holds a run's whole conversation."""


class LogRow(BaseModel):
    """One recorded run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: str
    actions: tuple[str, ...]
    error: str
    """What the framework told of its own end; empty when nothing."""


class OracleVerdict(BaseModel):
    """What the published evaluator said of one recorded run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: str
    correct: bool
    side_effects: bool


def read_log(file: Path) -> tuple[LogRow, ...]:
    """Read a results file.

    Raises:
        TaskError: it cannot be read, or a row is no recorded run.
    """
    found = []
    for number, row in enumerate(_rows(file, ("query", "function_calls", "error")), start=1):
        calls = row["function_calls"]
        try:
            actions = () if empty_cell(calls) else text_list(calls)
        except ValueError as error:
            raise TaskError(f"{file}: run {number}: function_calls: {error}") from None
        error_text = "" if empty_cell(row["error"]) else row["error"]
        found.append(LogRow(query=row["query"], actions=actions, error=error_text))
    return tuple(found)


def read_oracle(folder: Path, file: Path) -> Mapping[str, OracleVerdict]:
    """Read the published verdicts of one results file, by query.

    Args:
        folder: a folder of verdict files, or one such file.
        file: the results file; the verdict files name it in `source_file`.

    Raises:
        TaskError: the folder holds no verdict of this file, or a verdict cannot be read, or two
            on one query differ.
    """
    mine = [row for row in _oracle_rows(folder) if Path(row["source_file"]).name == file.name]
    same_folder = [row for row in mine if Path(row["source_file"]).parent.name == file.parent.name]
    mine = same_folder or mine
    if not mine:
        raise TaskError(f"{folder}: contains no verdict of {file.name}")
    found: dict[str, OracleVerdict] = {}
    for row in mine:
        verdict = _verdict(folder, row)
        if found.setdefault(verdict.query, verdict) != verdict:
            raise TaskError(f"{folder}: two verdicts of {file.name} on {verdict.query[:80]!r}")
    return found


def judged_files(folder: Path) -> tuple[Path, ...]:
    """Return the results files that a folder of verdicts, or one such file, judges.

    Raises:
        TaskError: a verdict file cannot be read.
    """
    return tuple(
        Path(name) for name in dict.fromkeys(r["source_file"] for r in _oracle_rows(folder))
    )


def _oracle_rows(folder: Path) -> list[dict[str, str]]:
    sources = sorted(folder.glob("*.csv")) if folder.is_dir() else [folder]
    wanted = ("query", "correct", "side_effects", "source_file")
    return [row for source in sources for row in _rows(source, wanted)]


def _verdict(folder: Path, row: Mapping[str, str]) -> OracleVerdict:
    told = {}
    for name in ("correct", "side_effects"):
        if row[name] not in ("True", "False"):
            raise TaskError(f"{folder}: {name} is neither True nor False: {row[name]!r}")
        told[name] = row[name] == "True"
    return OracleVerdict(query=row["query"], **told)


def score_log(
    file: Path, rows: Sequence[LogRow], published: Published, replayer: Replayer
) -> Iterator[TaskVerdict]:
    """Score recorded runs, one verdict for each.

    Raises:
        TaskError: a run's query is none of the tasks.
    """
    tasks: dict[str, list[PublishedTask]] = {}
    for task in published.tasks:
        tasks.setdefault(task.query, []).append(task)
    for number, row in enumerate(rows, start=1):
        options = tasks.get(row.query)
        if not options:
            raise TaskError(
                f"{file}: run {number}: no task of release {published.release} asks"
                f" {row.query[:80]!r}"
            )
        # The same words may occur in two files; the published folders are named like the files.
        task = next((item for item in options if item.domain == file.parent.name), options[0])
        replayed = replayer.score(row.actions, task.actions, row.error)
        yield TaskVerdict(
            task=f"{task.domain}-{task.index}",
            domain=task.domain,
            template=task.template,
            query=row.query,
            truth_actions=len(task.actions),
            correct=replayed.correct,
            side_effects=replayed.side_effects,
            category=replayed.category,
            exact=replayed.exact,
            skipped=replayed.skipped,
        )


def _rows(file: Path, wanted: Sequence[str]) -> Iterator[dict[str, str]]:
    csv.field_size_limit(_LONGEST_CELL)
    try:
        with file.open(encoding="utf-8-sig", newline="") as source:
            reader = csv.DictReader(source)
            lacking = [name for name in wanted if name not in (reader.fieldnames or ())]
            if lacking:
                raise TaskError(f"{file}: the column '{lacking[0]}' is missing")
            for row in reader:
                yield {name: row[name] or "" for name in wanted}
    except FileNotFoundError:
        raise TaskError(f"{file}: no such file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise TaskError(f"{file}: no CSV file in UTF-8: {error}") from None
