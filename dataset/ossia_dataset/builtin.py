"""The task sets that ship with Ossia."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from ossia_dataset.tasks import T, Task, TaskError, dataset_hash, read_tasks

_FOLDER = Path(str(resources.files("ossia_dataset"))) / "data" / "tasks"
_VERSION_FILE = "version.json"

Load: TypeAlias = Callable[[str], Iterable[Task]]
"""Loads the tasks of a built-in set by its name."""


class DatasetVersion(BaseModel):
    """The version of a suite's built-in task sets, recorded with what they hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str = Field(pattern=r"^\d+\.\d+$")
    """Raised whenever a task changes."""
    sets: dict[str, str]
    """The hash of each set."""


def builtin_folder(suite: str) -> Path:
    """Return the folder of a suite's built-in task sets, one folder of JSON Lines each."""
    return _FOLDER / suite


def sets_in(folder: Path | None) -> tuple[str, ...]:
    """Return the names of the task sets in a folder, such as `test`; none without a folder."""
    if folder is None or not folder.is_dir():
        return ()
    return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir()))


def version_in(folder: Path | None) -> DatasetVersion | None:
    """Return the version of the task sets in a folder, or None where none is recorded."""
    path = None if folder is None else folder / _VERSION_FILE
    if path is None or not path.is_file():
        return None
    return DatasetVersion.model_validate_json(path.read_text("utf-8"))


def load_set(
    source: str,
    folder: Path | None,
    kind: type[T],
    check: Callable[[T], None] | None = None,
) -> tuple[T, ...]:
    """Load a task set of a folder by name, or a task file or folder by path.

    Args:
        source: a name such as `test`, or a path to JSON Lines.
        folder: the folder of a suite's task sets, if it has any.
        kind: the suite's type of task.
        check: raises `TaskError` for a task that cannot be played; not asked of those in `folder`.

    Raises:
        TaskError: no set and no file is called so, or it cannot be read.
    """
    sets = sets_in(folder)
    if folder is not None and source in sets:
        return read_tasks(folder / source, kind)
    path = Path(source)
    if not path.exists():
        names = ", ".join(sets) or "none"
        raise TaskError(f"no task set or file is called '{source}'; the built-in sets are: {names}")
    return read_tasks(path, kind, check)


def builtin_sets(suite: str) -> tuple[str, ...]:
    """Return the names of the task sets of a suite of Ossia's own; none for an unknown suite."""
    return sets_in(builtin_folder(suite))


def recorded_version(suite: str) -> DatasetVersion | None:
    """Return the version of a suite's built-in task sets, or None where none is recorded."""
    return version_in(builtin_folder(suite))


def present_version(version: str, suite: str, load: Load) -> DatasetVersion:
    """Return a version with the hashes of what a suite's built-in sets hold now.

    Args:
        version: the version.
        suite: the suite whose sets are meant.
        load: loads one of its sets by name.
    """
    hashes = {name: dataset_hash(load(name)) for name in builtin_sets(suite)}
    return DatasetVersion(version=version, sets=hashes)


def record_version(version: str, suite: str, load: Load) -> DatasetVersion:
    """Record what a suite's built-in sets hold now as a version, and return it.

    Args:
        version: the version.
        suite: the suite whose sets are meant.
        load: loads one of its sets by name.

    Raises:
        ValidationError: the text is no version.
        ValueError: a later version is recorded already.
    """
    found = present_version(version, suite, load)
    recorded = recorded_version(suite)
    if recorded is not None and _order(recorded.version) > _order(version):
        raise ValueError(f"version {recorded.version} is recorded already, which is later")
    text = found.model_dump_json(indent=2) + "\n"
    (builtin_folder(suite) / _VERSION_FILE).write_text(text, "utf-8")
    return found


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
