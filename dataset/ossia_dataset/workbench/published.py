"""Reading a user's copy of the published WorkBench data."""

from __future__ import annotations

import ast
import csv
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ossia_dataset.tasks import TaskError
from ossia_dataset.workbench.database import COLUMNS, Cell, Database, Rows

FILES: Final[Mapping[str, str]] = {
    "analytics.visits": "processed/analytics_data.csv",
    "calendar.events": "processed/calendar_events.csv",
    "company_directory.people": "raw/email_addresses.csv",
    "customer_relationship_manager.customers": "processed/customer_relationship_manager_data.csv",
    "email.emails": "processed/emails.csv",
    "project_management.tasks": "processed/project_tasks.csv",
}
"""The published file of each table, below the data's folder."""

DOMAINS: Final = (
    "analytics",
    "calendar",
    "customer_relationship_manager",
    "email",
    "project_management",
    "multi_domain",
)
"""The parts of the published task set, in the order of its tables."""

_TASKS = "processed/queries_and_answers/{}_queries_and_answers.csv"
_COLUMNS = ("query", "answer", "base_template", "chosen_template", "domains")

# Cells that the published code's reader takes for empty.
_EMPTY: Final = frozenset(
    (
        "",
        "#N/A",
        "#N/A N/A",
        "#NA",
        "-1.#IND",
        "-1.#QNAN",
        "-NaN",
        "-nan",
        "1.#IND",
        "1.#QNAN",
        "<NA>",
        "N/A",
        "NA",
        "NULL",
        "NaN",
        "None",
        "n/a",
        "nan",
        "null",
    )
)

RELEASES: Final[Mapping[str, str]] = {"089679093dfeb60f": "2024"}
"""Releases that are known, by the hash of their databases, queries and truths."""


@dataclass(frozen=True)
class PublishedTask:
    """One row of the published task files."""

    domain: str
    index: int
    """Its place in its file, from 0; the published results name tasks by it."""
    query: str
    actions: tuple[str, ...]
    """The truth: calls as text."""
    template: str
    toolkits: tuple[str, ...]
    """The toolkits that the task needs, by our names."""


@dataclass(frozen=True)
class Published:
    """The published databases and tasks of one release."""

    database: Database
    tasks: tuple[PublishedTask, ...]

    @property
    def release(self) -> str:
        """The release's name; a hash where it is none that is known."""
        return self.database.release


def empty_cell(text: str) -> bool:
    """Return whether the published code reads this text of a CSV file as no value."""
    return text in _EMPTY


def find_data(path: Path) -> Path:
    """Return the folder that holds `processed/` and `raw/`, at or below a path.

    Raises:
        TaskError: there is none.
    """
    for folder in (path, path / "data", path.parent, path.parent.parent):
        if (folder / FILES["email.emails"]).is_file():
            return folder
    raise TaskError(f"{path}: contains no WorkBench data (no {FILES['email.emails']})")


def find_data_near(*places: Path) -> Path:
    """Return the folder that holds `processed/` at or above one of several places.

    Raises:
        TaskError: there is none, or the first place is not there.
    """
    if not places[0].exists():
        raise TaskError(f"{places[0]}: no such file or folder")
    near = [place.resolve() for place in places]
    for folder in (folder for place in near for folder in (place, *place.parents)):
        if (folder / "processed" / "queries_and_answers").is_dir():
            return folder
    raise TaskError(f"no WorkBench data lies around {places[0]}; name its folder with --data")


def read_published(path: Path) -> Published:
    """Read the published databases and tasks.

    Args:
        path: the data's folder, or the folder above it.

    Raises:
        TaskError: a file is missing or cannot be read.
    """
    folder = find_data(path)
    tables = {name: _table(folder / file, COLUMNS[name]) for name, file in FILES.items()}
    tasks = tuple(task for domain in DOMAINS for task in _tasks(folder, domain))
    digest = _digest(folder)
    release = RELEASES.get(digest, f"unknown-{digest[:8]}")
    return Published(Database(release=f"wb-{release}", tables=tables), tasks)


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in (*FILES.values(), *(_TASKS.format(domain) for domain in DOMAINS)):
        # Line ends differ between copies made on different systems.
        digest.update((folder / file).read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]


def _table(file: Path, columns: Sequence[str]) -> Rows:
    lines = _lines(file)
    if len(columns) == 1:
        return tuple({columns[0]: line[0]} for line in lines if line)
    header = next(lines, None)
    if header != list(columns):
        raise TaskError(f"{file}: the columns are not {', '.join(columns)}")
    return tuple(_row(file, number, columns, line) for number, line in enumerate(lines, start=2))


def _row(
    file: Path, number: int, columns: Sequence[str], line: Sequence[str]
) -> Mapping[str, Cell]:
    if len(line) != len(columns):
        raise TaskError(f"{file}: row {number} has {len(line)} cells, not {len(columns)}")
    return {
        name: None if empty_cell(cell) else cell for name, cell in zip(columns, line, strict=True)
    }


def _tasks(folder: Path, domain: str) -> Iterator[PublishedTask]:
    file = folder / _TASKS.format(domain)
    lines = _lines(file)
    if next(lines, None) != list(_COLUMNS):
        raise TaskError(f"{file}: the columns are not {', '.join(_COLUMNS)}")
    for index, line in enumerate(lines):
        if len(line) != len(_COLUMNS):
            raise TaskError(f"{file}: task {index} has {len(line)} cells, not {len(_COLUMNS)}")
        query, answer, template, _, named = line
        try:
            actions, toolkits = text_list(answer), text_list(named)
        except ValueError as error:
            raise TaskError(f"{file}: task {index}: {error}") from None
        yield PublishedTask(
            domain, index, query, actions, template, tuple(_OUR_NAMES.get(n, n) for n in toolkits)
        )


_OUR_NAMES = {"crm": "customer_relationship_manager"}


def text_list(text: str) -> tuple[str, ...]:
    """Read a cell that holds a Python list of texts.

    Raises:
        ValueError: it holds something else.
    """
    try:
        found = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(f"no list of texts: {text[:60]!r}") from None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ValueError(f"no list of texts: {text[:60]!r}")
    return tuple(found)


def _lines(file: Path) -> Iterator[list[str]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as source:
            yield from csv.reader(source)
    except FileNotFoundError:
        raise TaskError(f"{file}: no such file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise TaskError(f"{file}: no CSV file in UTF-8: {error}") from None
