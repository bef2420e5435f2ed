"""The task sets that ship with Ossia."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ossia_dataset.tasks import Task, TaskError, dataset_hash, read_tasks

_FOLDER = Path(str(resources.files("ossia_dataset"))) / "data" / "tasks"
_VERSION_FILE = "version.json"


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


def builtin_sets(suite: str = "assistant") -> tuple[str, ...]:
    """Return the names of the task sets of a suite, such as `test`; none for an unknown suite."""
    folder = builtin_folder(suite)
    if not folder.is_dir():
        return ()
    return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir()))


def load_tasks(source: str, suite: str = "assistant") -> tuple[Task, ...]:
    """Load a built-in task set by name, or a task file or folder by path.

    Args:
        source: a name such as `test`, or a path to JSON Lines.
        suite: the suite whose built-in sets are meant.

    Raises:
        TaskError: no set and no file is called so, or it cannot be read.
    """
    if source in builtin_sets(suite):
        return read_tasks(builtin_folder(suite) / source)
    path = Path(source)
    if not path.exists():
        names = ", ".join(builtin_sets(suite)) or "none"
        raise TaskError(f"no task set or file is called '{source}'; the built-in sets are: {names}")
    return read_tasks(path)


def recorded_version(suite: str = "assistant") -> DatasetVersion | None:
    """Return the version of a suite's built-in task sets, or None where none is recorded."""
    path = builtin_folder(suite) / _VERSION_FILE
    if not path.is_file():
        return None
    return DatasetVersion.model_validate_json(path.read_text("utf-8"))


def present_version(version: str, suite: str = "assistant") -> DatasetVersion:
    """Return a version with the hashes of what a suite's built-in sets hold now."""
    hashes = {name: dataset_hash(load_tasks(name, suite)) for name in builtin_sets(suite)}
    return DatasetVersion(version=version, sets=hashes)


def record_version(version: str, suite: str = "assistant") -> DatasetVersion:
    """Record what a suite's built-in sets hold now as a version, and return it.

    Raises:
        ValidationError: the text is no version.
        ValueError: a later version is recorded already.
    """
    found = present_version(version, suite)
    recorded = recorded_version(suite)
    if recorded is not None and _order(recorded.version) > _order(version):
        raise ValueError(f"version {recorded.version} is recorded already, which is later")
    text = found.model_dump_json(indent=2) + "\n"
    (builtin_folder(suite) / _VERSION_FILE).write_text(text, "utf-8")
    return found


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
