"""The runs of a home: what each holds, and how one is exported."""

from __future__ import annotations

import sqlite3
import tarfile
import tempfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.find import survey_folders
from ossia.runner.named import name_of
from ossia.runner.plan import FAULT_MARK, planned
from ossia.storage.database import READ_VERSIONS
from ossia.storage.sqlite import ATTRIBUTION_FILE, RUN_FILE, uri_to_read, why_not_opened
from ossia_evaluation.grade import Verdict
from ossia_evaluation.visible import visible_line

COUNTS: Final = (
    "SELECT verdict, COUNT(*), COUNT(*) FILTER (WHERE episode NOT LIKE ?) FROM scores"
    " GROUP BY verdict"
)
"""Asks how many episodes there are of each verdict, and how many of these met no fault."""

WITH_A_FAULT: Final = (f"%{FAULT_MARK}%",)
"""What `COUNTS` takes: the ids of episodes that met one."""

_DATABASES = (RUN_FILE, ATTRIBUTION_FILE)


@dataclass(frozen=True)
class RunInfo:
    """What a list of runs says of one."""

    id: str
    name: str | None
    changed: datetime
    size: int
    """Bytes of all its files."""
    config: RunConfig | None = None
    verdicts: dict[Verdict, int] = field(default_factory=dict)
    """How many episodes ended so, with faults and without."""
    faultless: dict[Verdict, int] = field(default_factory=dict)
    """How many of them met no fault."""
    problem: str | None = None
    """Why it cannot be read; its configuration is None then."""

    @property
    def title(self) -> str:
        """What it is called, on one line: a folder made by hand may have any name."""
        return visible_line(self.name or self.id)

    @property
    def planned(self) -> int:
        """How many episodes it has when it is complete."""
        if self.config is None:
            return 0
        return planned(self.config)

    @property
    def done(self) -> int:
        """How many episodes are stored, invalid ones as well."""
        return sum(self.verdicts.values())

    @property
    def invalid(self) -> int:
        """How many episodes failed for a reason of the infrastructure."""
        return self.verdicts.get(Verdict.INVALID, 0)

    @property
    def success(self) -> float | None:
        """The share of successes among the valid episodes without a fault; None without any."""
        valid = sum(self.faultless.values()) - self.faultless.get(Verdict.INVALID, 0)
        return self.faultless.get(Verdict.SUCCESS, 0) / valid if valid else None

    def as_json(self) -> dict[str, Any]:
        """Return what is known of it as plain values."""
        config = self.config
        return {
            "id": self.id,
            "name": self.name,
            "suite": None if config is None else config.suite,
            "frameworks": [] if config is None else [each.name for each in config.frameworks],
            "models": [] if config is None else list(config.models),
            "planned": self.planned,
            "done": self.done,
            "invalid": self.invalid,
            "success": self.success,
            "bytes": self.size,
            "changed": self.changed.isoformat(timespec="seconds"),
            "problem": self.problem,
        }


def counts(
    rows: Iterable[tuple[str, int, int]],
) -> tuple[dict[Verdict, int], dict[Verdict, int]]:
    """Read what `COUNTS` found: all episodes by verdict, and those without a fault.

    Raises:
        ValueError: a verdict is none.
    """
    found = [(Verdict(verdict), every, faultless) for verdict, every, faultless in rows]
    return {each[0]: each[1] for each in found}, {each[0]: each[2] for each in found}


def list_runs(home: Path) -> tuple[RunInfo, ...]:
    """Return all runs, the latest first; what cannot be read of one is said of it.

    Raises:
        UserError: the folder of runs cannot be read.
    """
    found, closed = survey_folders(home)
    every = (*map(_info, found), *map(_info, closed))
    return tuple(sorted(every, key=lambda run: run.changed, reverse=True))


def _info(folder: Path) -> RunInfo:
    try:
        return _read(folder, folder / "run.sqlite")
    except OSError as error:
        # Not to be looked into, or deleted in this moment.
        problem = error.strerror or str(error)
    try:
        changed = folder.stat().st_mtime
    except OSError:
        changed = 0.0
    when = datetime.fromtimestamp(changed).astimezone()
    return RunInfo(folder.name, name_of(folder), when, 0, problem=problem)


def _read(folder: Path, path: Path) -> RunInfo:
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    changed = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    config, problem = None, None
    verdicts, faultless = dict[Verdict, int](), dict[Verdict, int]()
    try:
        # Not by the store: its check of the whole file would read every run to the end.
        with closing(sqlite3.connect(uri_to_read(path), uri=True)) as database:
            if database.execute("PRAGMA user_version").fetchone()[0] not in READ_VERSIONS | {0}:
                raise UserError("it was written by another version of Ossia")
            row = database.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
            verdicts, faultless = counts(database.execute(COUNTS, WITH_A_FAULT))
        config = None if row is None else RunConfig.read(row[0])
        problem = None if config is not None else "it was cut off before it began"
    except sqlite3.OperationalError as error:
        problem, verdicts, faultless = why_not_opened(path, error), {}, {}
    except (sqlite3.DatabaseError, UserError, ValueError) as error:
        problem, verdicts, faultless = str(error), {}, {}
    name = name_of(folder)
    return RunInfo(folder.name, name, changed, size, config, verdicts, faultless, problem)


def export_run(folder: Path, out: Path) -> None:
    """Write a run as one compressed archive (tar.gz), also while it goes on.

    Unpacked in the folder `runs` of another home, it is a run of that home.

    Args:
        folder: the run's folder.
        out: the archive; one that is there is replaced when the new one is whole.

    Raises:
        UserError: the run's database cannot be read.
    """
    aside = out.with_name(out.name + ".part")
    try:
        # Whoever may read the archive reads the prompts, so only its owner may at first.
        aside.touch(mode=0o600)
        aside.chmod(0o600)
        with tempfile.TemporaryDirectory() as scratch, tarfile.open(aside, "w:gz") as archive:
            for path in sorted(folder.rglob("*")):
                inside = path.relative_to(folder)
                if not path.is_file() or _is_passing(path.name):
                    continue
                if str(inside) in _DATABASES:
                    path = _copied(path, Path(scratch) / path.name)
                archive.add(path, arcname=str(Path(folder.name) / inside))
        aside.replace(out)
    finally:
        aside.unlink(missing_ok=True)


def _is_passing(name: str) -> bool:
    """Whether a file is of use only to a process that works on the run."""
    return name == "lock" or name.endswith((".part", "-wal", "-shm"))


def _copied(path: Path, copy: Path) -> Path:
    """Copy a database as it stands at one moment; its log may hold a part of it."""
    try:
        with (
            closing(sqlite3.connect(uri_to_read(path), uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
    except sqlite3.OperationalError as error:
        raise UserError(why_not_opened(path, error)) from None
    except sqlite3.DatabaseError as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    return copy
