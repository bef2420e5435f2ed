"""The task sets that ship with Ossia."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ossia_dataset.tasks import Task, TaskError, read_tasks

_FOLDER = Path(str(resources.files("ossia_dataset"))) / "data" / "tasks"


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
