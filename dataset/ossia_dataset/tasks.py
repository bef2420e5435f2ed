"""The task: what a user says, and where the world starts. What a correct run does is a suite's own.

Stored as JSON Lines, one task a line, each line carrying the schema version.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, NaiveDatetime, ValidationError

from ossia_dataset.files import write_whole

SCHEMA_VERSION = 1
"""Version of the stored task format."""

DEFAULT_NOW = datetime(2026, 3, 13, 10, 0)
"""The frozen clock of a task that names no other: a Friday morning."""

CLOCK_YEARS = range(1950, 2150)
"""Years of a frozen clock: seeds and servers reckon months and years from it, both ways."""

DEFAULT_HOME = "New York, New York"
"""The home location of a task that names no other, as in the published benchmark."""

MAX_HOME = 100
"""Longest home location of a world, in characters."""

MAX_UTTERANCE = 100_000
"""Longest utterance, in characters: what compares words takes minutes for far longer ones."""

T = TypeVar("T", bound="Task")


class TaskError(ValueError):
    """A task file cannot be read; the message names file, line and reason."""


class Request(BaseModel):
    """One request to a domain server, independent of host and port."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: str
    params: dict[str, str]
    """Query parameters in order; `intent` is the first."""

    @property
    def url(self) -> str:
        """Path and query, percent-encoded."""
        return f"/{self.domain}?{urlencode(self.params)}"


class Task(BaseModel):
    """One task of a suite, which adds what a correct run does and no worker and no model sees."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = Field(default=1, alias="schema")
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    suite: str
    utterance: str = Field(min_length=1, max_length=MAX_UTTERANCE)
    seed: str = "home"
    """Name of the world's start state."""
    now: NaiveDatetime = Field(
        default=DEFAULT_NOW,
        ge=datetime(CLOCK_YEARS.start, 1, 1),
        lt=datetime(CLOCK_YEARS.stop, 1, 1),
    )
    """The frozen clock, local time without a zone."""
    home: str = DEFAULT_HOME
    setup: tuple[Request, ...] = ()
    """Requests executed on the world before the episode starts."""
    toolkits: tuple[str, ...] = ()
    """Domains whose tools the team is given, where it is not given all."""
    source: str | None = None
    """Where an imported task comes from, such as `auto-slurp/test.csv#7499`."""

    @property
    def groups(self) -> Mapping[str, str]:
        """What the report may group results by, such as a domain: the group by its kind."""
        return {}

    @property
    def domains(self) -> frozenset[str]:
        """Every domain that the task speaks of; `--domain` chooses by them."""
        return frozenset()


def parse_task(line: str, kind: type[T]) -> T:
    """Parse one line of a task file.

    Raises:
        TaskError: the line is not a task; the message says which field is wrong.
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise TaskError(problem_of(error)) from None


def problem_of(error: ValidationError) -> str:
    """Return the first thing that is wrong with a line: in which field, or where it is no JSON."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    # The reader counts the lines of the file itself.
    said = first["msg"].replace(" at line 1 column ", " at column ")
    return f"{field}: {said}" if field else said


def dump_task(task: Task) -> str:
    """Return the task as one line of JSON, without fields that hold their default."""
    data = task.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if "source" in data:
        # Behind what a suite adds, as in every stored file and so in every hash.
        data["source"] = data.pop("source")
    return json.dumps({"schema": SCHEMA_VERSION, **data}, ensure_ascii=False)


def read_tasks(
    path: Path, kind: type[T], check: Callable[[T], None] | None = None
) -> tuple[T, ...]:
    """Read a task file, or every `*.jsonl` file of a folder in name order.

    A folder whose files all lie in one folder within, as a generated set does, is that one.

    Args:
        path: the file or folder.
        kind: the type of the tasks.
        check: raises `TaskError` for a task that cannot be played.

    Raises:
        TaskError: nothing is there, a line is no task, an id occurs twice, or there are several
            sets.
    """
    if path.is_dir():
        files = _files_of_set(path)
    elif path.is_file():
        files = [path]
    else:
        raise TaskError(nothing_at(path, folder=True))
    tasks: dict[str, T] = {}
    for file in files:
        for number, line in enumerate(_lines(file), start=1):
            if not line.strip():
                continue
            try:
                task = parse_task(line, kind)
                if check is not None:
                    check(task)
            except TaskError as error:
                raise TaskError(f"{file}:{number}: {error}") from None
            if task.id in tasks:
                raise TaskError(f"{file}:{number}: the id '{task.id}' occurs twice")
            tasks[task.id] = task
    if not tasks:
        looked = " in files *.jsonl" if path.is_dir() else ""
        raise TaskError(f"{path}: contains no task{looked}")
    return tuple(tasks.values())


def _files_of_set(folder: Path) -> list[Path]:
    if not os.access(folder, os.R_OK | os.X_OK):
        raise TaskError(f"{folder}: {os.strerror(errno.EACCES)}")
    files = sorted(folder.glob("*.jsonl")) or sorted(folder.glob("*/*.jsonl"))
    sets = list(dict.fromkeys(str(file.parent) for file in files))
    if len(sets) > 1:
        raise TaskError(
            f"{folder}: contains several task sets, give one of them: {', '.join(sets)}"
        )
    return files


def nothing_at(path: Path, *, folder: bool = False) -> str:
    """Say why nothing is read from a path: nothing is there, or something else, as a device.

    Args:
        path: the path.
        folder: whether a folder is read as well as a file.
    """
    if path.exists():
        return f"{path}: neither a file nor a folder" if folder else f"{path}: not a file"
    return f"{path}: no such file or folder" if folder else f"{path}: no such file"


def _lines(path: Path) -> list[str]:
    try:
        # Not `splitlines`: an utterance may hold the line breaks of other alphabets.
        return path.read_text("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: the file is not in UTF-8: {error.reason}") from None


def write_tasks(path: Path, tasks: Iterable[Task]) -> None:
    """Write tasks as JSON Lines, all or nothing."""
    write_whole(path, "".join(dump_task(task) + "\n" for task in tasks))


def dataset_hash(tasks: Iterable[Task]) -> str:
    """Return a hash of the tasks' whole content, independent of their order."""
    digest = hashlib.sha256()
    for line in sorted(dump_task(task) for task in tasks):
        digest.update(line.encode())
        digest.update(b"\n")
    return digest.hexdigest()[:16]
