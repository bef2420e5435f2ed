"""Which runs a home holds, and the one that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ossia.errors import UserError
from ossia.runner.named import name_of
from ossia_evaluation.visible import visible_line

_Where = TypeVar("_Where")

RUNS_NAMED = 5
"""At most so many runs are named to somebody who misspelt one."""


def runs_folder(home: Path) -> Path:
    """Return the folder that holds all runs."""
    return home / "runs"


def run_folders(home: Path) -> tuple[Path, ...]:
    """Return the folders of all runs that may be looked into.

    Raises:
        UserError: the folder of runs cannot be read, or none of the runs in it.
    """
    found, closed = survey_folders(home)
    if closed and not found:
        raise UserError(f"{closed[0]} cannot be read: Permission denied")
    return found


def survey_folders(home: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the folders of all runs, and those that may not be looked into.

    Raises:
        UserError: the folder of runs cannot be read.
    """
    folder = runs_folder(home)
    found: list[Path] = []
    closed: list[Path] = []
    try:
        for path in folder.iterdir():
            try:
                if (path / "run.sqlite").is_file():
                    found.append(path)
            except PermissionError:
                closed.append(path)
    except FileNotFoundError:
        return (), ()
    except (PermissionError, NotADirectoryError) as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}") from None
    return tuple(found), tuple(closed)


def find_run(home: Path, name: str | None) -> Path:
    """Return the folder of a run by its id or name, by a unique beginning, or the latest run.

    Raises:
        UserError: no run fits, or several do, or they cannot be read.
    """
    found = [Known(path.name, name_of(path), _written(path), path) for path in run_folders(home)]
    return meant(found, name, str(runs_folder(home))).where


@dataclass(frozen=True)
class Known(Generic[_Where]):
    """A run that may be meant."""

    id: str
    name: str | None
    changed: int
    """When it was written last: the greater, the later."""
    where: _Where


def meant(runs: Sequence[Known[_Where]], name: str | None, shown: str) -> Known[_Where]:
    """Return the run of an id or name, of a unique beginning, or the latest run.

    Args:
        runs: all that there are.
        name: what was asked for; None for the latest.
        shown: what holds them.

    Raises:
        UserError: no run fits, or several do.
    """
    if not runs:
        raise UserError(f"{shown} has no runs yet; start one with `ossia compare`")
    if name is None:
        return max(runs, key=lambda run: run.changed)
    called = [(run, (run.id, run.name or "")) for run in runs]
    fitting = [run for run, names in called if any(n.startswith(name) for n in names)]
    exact = [run for run in fitting if name in (run.id, run.name)]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    known = _latest(fitting or runs)
    problem = "several runs begin with" if fitting else "no run is called"
    raise UserError(f"{problem} '{name}'; there are: {known}")


def _written(folder: Path) -> int:
    return (folder / "run.sqlite").stat().st_mtime_ns


def _latest(runs: Sequence[Known[_Where]]) -> str:
    """Return the names of runs in one line, the latest first; a home soon holds hundreds."""
    ordered = sorted(runs, key=lambda run: run.changed, reverse=True)
    names = [visible_line(run.name or run.id) for run in ordered]
    more = len(names) - RUNS_NAMED
    return ", ".join(names[:RUNS_NAMED]) + (f" and {more} more" if more > 0 else "")
