"""The attributions of a run, kept in the run's folder."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from ossia.errors import UserError
from ossia_dataset.tasks import Task, dump_task
from ossia_evaluation.attribution import ATTRIBUTION_VERSION, Attribution
from ossia_servers.trace import Trace

_LAYOUT = """
CREATE TABLE IF NOT EXISTS attributions (
    episode TEXT PRIMARY KEY, digest TEXT NOT NULL, attribution TEXT NOT NULL
) WITHOUT ROWID;
"""


class AttributionStore:
    """Attributions by episode; each is committed before it is shown.

    An attribution belongs to one exact trace and task: when either changes it is made again.
    """

    def __init__(self, folder: Path) -> None:
        """Open or make the store of a run.

        Args:
            folder: the run's folder.

        Raises:
            UserError: the file cannot be opened, or another version wrote it.
        """
        self.path = folder / "attribution.sqlite"
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=30.0)
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, ATTRIBUTION_VERSION):
                self._db.execute("DROP TABLE IF EXISTS attributions")
            self._db.executescript(_LAYOUT)
            self._db.execute(f"PRAGMA user_version = {ATTRIBUTION_VERSION}")
        except sqlite3.DatabaseError as error:
            raise UserError(f"{self.path} cannot be opened: {error}") from None

    def find(self, episode: str, digest: str) -> Attribution | None:
        """Return the attribution of an episode, or None where there is none of this digest."""
        row = self._db.execute(
            "SELECT attribution FROM attributions WHERE episode = ? AND digest = ?",
            (episode, digest),
        ).fetchone()
        return None if row is None else Attribution.model_validate_json(row[0])

    def put(self, found: Attribution, digest: str) -> None:
        """Store an attribution, in place of an older one of the same episode."""
        self._db.execute(
            "INSERT OR REPLACE INTO attributions VALUES (?, ?, ?)",
            (found.episode, digest, found.model_dump_json()),
        )

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


def digest_of(task: Task, trace: Trace) -> str:
    """Return what an attribution depends on, as a hash."""
    text = f"{ATTRIBUTION_VERSION}\n{dump_task(task)}\n{trace.model_dump_json()}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]
