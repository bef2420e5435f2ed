"""The databases of a source of tasks: a built-in set, an imported folder, or the published data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from ossia_dataset.builtin import builtin_sets
from ossia_dataset.tasks import TaskError
from ossia_dataset.workbench.database import Database, read_database
from ossia_dataset.workbench.generated import generated_database, is_generated
from ossia_dataset.workbench.generator import SUITE
from ossia_dataset.workbench.published import read_published

DATABASE_FILE: Final = "database.json"
"""The databases beside an imported task file."""


def databases_of(source: str) -> Callable[[str], Database]:
    """Return what finds the database of a seed.

    Args:
        source: where the tasks come from.

    Raises:
        TaskError: the source's own cannot be read; what is returned raises it where there is no
            database of the seed.
    """
    database = _database(source)

    def find(seed: str) -> Database:
        if is_generated(seed):
            return generated_database(seed)
        if database is None or database.seed != seed:
            raise TaskError(f"no database '{seed}' lies beside the tasks '{source}'")
        return database

    return find


def is_published(source: str) -> bool:
    """Return whether a source is a user's copy of the published data."""
    folder = Path(source)
    return any(
        (place / "processed" / "queries_and_answers").is_dir()
        for place in (folder, folder / "data")
    )


def _database(source: str) -> Database | None:
    if source in builtin_sets(SUITE):
        return None
    if is_published(source):
        return read_published(Path(source)).database
    path = Path(source)
    file = (path if path.is_dir() else path.parent) / DATABASE_FILE
    return read_database(file) if file.is_file() else None
