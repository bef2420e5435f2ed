"""The attributions of a run, kept beside it, with what they cost and their tests."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from pydantic import BaseModel, ValidationError

from ossia.storage.database import StoreError
from ossia.storage.place import Place, place_of
from ossia.storage.sqlite import ATTRIBUTION_FILE
from ossia_dataset.tasks import Task, dump_task
from ossia_evaluation.attribution import ATTRIBUTION_VERSION, Attribution, Verification
from ossia_servers.trace import Trace

_VERIFIED_SINCE: Final = 4
"""The version of the attributions whose digests the first verifications were stored under."""

_Record = TypeVar("_Record", bound=BaseModel)


class AttributionStore:
    """Attributions by episode; each is committed before it is shown.

    An attribution belongs to one exact trace and task: when either changes it is made again.
    """

    def __init__(self, place: Place | Path, *, write: bool = True) -> None:
        """Open or make the store of a run.

        Args:
            place: the run, or its folder.
            write: make what is missing; without it nothing need be writable.

        Raises:
            UserError: the store cannot be opened or kept, or another version wrote it.
        """
        self.place = place_of(place)
        self._db = self.place.open_attributions(write=write, version=ATTRIBUTION_VERSION)

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
            rows = list(
                self._db.rows("SELECT digest FROM attributions WHERE episode = ?", (episode,))
            )
        except sqlite3.DatabaseError:
            return ()
        return tuple(str(row[0]) for row in rows)

    def _read(
        self, kind: str, form: type[_Record], episode: str, digest: str
    ) -> tuple[_Record | None, bool]:
        """Return what is stored of an episode, and whether it is there but cannot be read."""
        try:
            row = self._db.row(
                f"SELECT {kind} FROM {kind}s WHERE episode = ? AND digest = ?", (episode, digest)
            )
            found = None if row is None else form.model_validate_json(row[0])
        except (sqlite3.DatabaseError, ValidationError, TypeError):
            return None, True
        if found is not None and getattr(found, "episode", None) != episode:
            return None, True
        return found, False

    def put(self, found: Attribution, digest: str) -> None:
        """Store an attribution, in place of an older one of the same episode."""
        self._write(
            _upsert("attribution"),
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
            row = self._db.row("SELECT sum(failures), sum(cpu_s) FROM sessions")
            if row is None or not row[0]:
                return None
            return failures * float(row[1]) / int(row[0])
        except (sqlite3.DatabaseError, TypeError, ValueError):
            return None

    def find_verification(self, episode: str, digest: str) -> Verification | None:
        """Return the verification of an episode, or None where there is none of this digest."""
        return self._read("verification", Verification, episode, digest)[0]

    def put_verification(self, found: Verification, digest: str) -> None:
        """Store a verification, in place of an older one of the same episode."""
        self._write(
            _upsert("verification"),
            (found.episode, digest, found.model_dump_json()),
        )

    def _write(self, statement: str, values: Sequence[object]) -> None:
        try:
            self._db.change(statement, values)
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{self.place.folder / ATTRIBUTION_FILE} cannot be written: {error}"
            ) from None

    def all(self) -> Iterator[Attribution]:
        """Yield all attributions in the order of their episodes."""
        rows = self._db.rows("SELECT attribution FROM attributions ORDER BY episode")
        for row in list(rows):
            yield Attribution.model_validate_json(row[0])

    def close(self) -> None:
        """Close the database."""
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
        """Close the database."""
        self.close()


def _upsert(kind: str) -> str:
    """The statement that stores a record in place of an older one of the same episode."""
    return (
        f"INSERT INTO {kind}s VALUES (?, ?, ?) ON CONFLICT (episode) DO UPDATE SET"
        f" digest = excluded.digest, {kind} = excluded.{kind}"
    )


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
