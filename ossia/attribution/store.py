"""The attributions of a run, kept in the run's folder, with what they cost and their tests."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from pydantic import BaseModel, ValidationError

from ossia.errors import UserError
from ossia_dataset.tasks import Task, dump_task
from ossia_evaluation.attribution import ATTRIBUTION_VERSION, Attribution, Verification
from ossia_servers.trace import Trace

FILE = "attribution.sqlite"
_VERIFIED_SINCE: Final = 4
"""The version of the attributions whose digests the first verifications were stored under."""
_TABLES = ("attributions", "sessions", "verifications")

_Record = TypeVar("_Record", bound=BaseModel)

_LAYOUT = """
CREATE TABLE IF NOT EXISTS attributions (
    episode TEXT PRIMARY KEY, digest TEXT NOT NULL, attribution TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (failures INTEGER NOT NULL, cpu_s REAL NOT NULL);
CREATE TABLE IF NOT EXISTS verifications (
    episode TEXT PRIMARY KEY, digest TEXT NOT NULL, verification TEXT NOT NULL
) WITHOUT ROWID;
"""


class AttributionStore:
    """Attributions by episode; each is committed before it is shown.

    An attribution belongs to one exact trace and task: when either changes it is made again.
    """

    def __init__(self, folder: Path, *, write: bool = True) -> None:
        """Open or make the store of a run.

        Args:
            folder: the run's folder.
            write: make what is missing; without it the folder need not be writable.

        Raises:
            UserError: the file cannot be opened or kept, or another version wrote it.
        """
        self.path = folder / FILE
        if write and not os.access(folder, os.W_OK):
            raise UserError(f"{folder} cannot be written, and attributions are kept in it")
        try:
            mode = "rwc" if write else "ro"
            uri = f"{self.path.resolve().as_uri()}?mode={mode}"
            # Who only reads need not wait long: nobody writes for longer than a moment.
            wait_s = 30.0 if write else 5.0
            self._db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=wait_s)
            if not write:
                self._check()
                return
            # A torn file often opens well and fails later, in the middle of an attribution.
            if self._db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise sqlite3.DatabaseError("it is damaged")
            version = self._version()
            if version not in (0, ATTRIBUTION_VERSION):
                # Verifications stay: they were paid for, and have a version of their own.
                for table in ("attributions", "sessions"):
                    self._db.execute(f"DROP TABLE IF EXISTS {table}")
            # Together, so that no kill leaves tables without a version.
            self._db.executescript(
                f"BEGIN IMMEDIATE; {_LAYOUT} PRAGMA user_version = {ATTRIBUTION_VERSION}; COMMIT;"
            )
        except sqlite3.DatabaseError as error:
            raise UserError(f"{self.path} cannot be opened: {error}{self._advice(error)}") from None

    @staticmethod
    def _advice(error: sqlite3.DatabaseError) -> str:
        # A lock passes by itself; what is no database, or is torn, never will.
        locked = isinstance(error, sqlite3.OperationalError)
        return "" if locked else "; remove it and run `ossia attribute` again"

    def _version(self) -> int:
        """Return the version of the file's layout; 0 for an empty one.

        Raises:
            UserError: another program wrote the file.
        """
        # In one statement, since another process may be laying it out.
        version, named = self._db.execute(
            "SELECT user_version, (SELECT group_concat(name) FROM sqlite_master)"
            " FROM pragma_user_version"
        ).fetchone()
        tables = named.split(",") if named else []
        if (version == 0 and tables) or (version and _TABLES[0] not in tables):
            self._db.close()
            raise UserError(
                f"{self.path} has tables of another program, or is damaged; nothing was changed:"
                " move it away and run `ossia attribute` again"
            )
        return int(version)

    def _check(self) -> None:
        version = self._version()
        if version != ATTRIBUTION_VERSION:
            self._db.close()
            raise UserError(
                f"{self.path} was written by another version of Ossia; run `ossia attribute` again"
            )

    def find(self, episode: str, digest: str) -> Attribution | None:
        """Return the attribution of an episode, or None where there is none of this digest.

        None stands for one that cannot be read as well; `is_damaged` tells them apart.
        """
        return self._read("attribution", Attribution, episode, digest)[0]

    def is_damaged(self, episode: str, digest: str) -> bool:
        """Say whether there is an attribution of this digest that cannot be read."""
        return self._read("attribution", Attribution, episode, digest)[1]

    def digests(self, episode: str) -> tuple[str, ...]:
        """Return the digest of what is stored of an episode; nothing where nothing can be read."""
        try:
            rows = self._db.execute(
                "SELECT digest FROM attributions WHERE episode = ?", (episode,)
            ).fetchall()
        except sqlite3.DatabaseError:
            return ()
        return tuple(str(row[0]) for row in rows)

    def _read(
        self, kind: str, form: type[_Record], episode: str, digest: str
    ) -> tuple[_Record | None, bool]:
        """Return what is stored of an episode, and whether it is there but cannot be read."""
        try:
            row = self._db.execute(
                f"SELECT {kind} FROM {kind}s WHERE episode = ? AND digest = ?", (episode, digest)
            ).fetchone()
            found = None if row is None else form.model_validate_json(row[0])
        except (sqlite3.DatabaseError, ValidationError, TypeError):
            return None, True
        if found is not None and getattr(found, "episode", None) != episode:
            return None, True
        return found, False

    def put(self, found: Attribution, digest: str) -> None:
        """Store an attribution, in place of an older one of the same episode."""
        self._write(
            "INSERT OR REPLACE INTO attributions VALUES (?, ?, ?)",
            (found.episode, digest, found.model_dump_json()),
        )

    def put_session(self, failures: int, cpu_s: float) -> None:
        """Store what a session has cost.

        Args:
            failures: the failed episodes that it attributed.
            cpu_s: the CPU time of all its processes.
        """
        self._write("INSERT INTO sessions VALUES (?, ?)", (failures, cpu_s))

    def cpu_of(self, failures: int) -> float | None:
        """Return the CPU time of attributing so many failures; None where no session has told."""
        try:
            row = self._db.execute("SELECT sum(failures), sum(cpu_s) FROM sessions").fetchone()
            return failures * float(row[1]) / int(row[0]) if row[0] else None
        except (sqlite3.DatabaseError, TypeError, ValueError):
            return None

    def find_verification(self, episode: str, digest: str) -> Verification | None:
        """Return the verification of an episode, or None where there is none of this digest."""
        return self._read("verification", Verification, episode, digest)[0]

    def put_verification(self, found: Verification, digest: str) -> None:
        """Store a verification, in place of an older one of the same episode."""
        self._write(
            "INSERT OR REPLACE INTO verifications VALUES (?, ?, ?)",
            (found.episode, digest, found.model_dump_json()),
        )

    def _write(self, statement: str, values: Sequence[object]) -> None:
        try:
            self._db.execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise UserError(f"{self.path} cannot be written: {error}") from None

    def all(self) -> Iterator[Attribution]:
        """Yield all attributions in the order of their episodes."""
        rows = self._db.execute("SELECT attribution FROM attributions ORDER BY episode").fetchall()
        for row in rows:
            yield Attribution.model_validate_json(row[0])

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        """Use the store."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()


def verified_digest(task: Task, trace: Trace, family: Sequence[str]) -> str:
    """Return what a verification depends on: the episode and the repair set.

    It does not change with the version of the attributions: how a repair set was found says nothing
    of what the live model makes of it.
    """
    return f"{_hash(_VERIFIED_SINCE, task, trace)}:{'+'.join(family)}"


def digest_of(task: Task, trace: Trace) -> str:
    """Return what an attribution depends on, as a hash."""
    return _hash(ATTRIBUTION_VERSION, task, trace)


def _hash(version: int, task: Task, trace: Trace) -> str:
    text = f"{version}\n{dump_task(task)}\n{trace.model_dump_json()}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]
