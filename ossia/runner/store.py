"""The store of one run: configuration, traces and scores, in whatever database.

Every finished episode is committed before it is shown. Traces are compressed JSON, since each
model call repeats the conversation so far.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import orjson
from pydantic import ValidationError

from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.storage.database import Access, StoreError
from ossia.storage.place import Place, place_of
from ossia.suites import find_suite
from ossia_evaluation.grade import Grade, Verdict
from ossia_servers.trace import Trace

_VERDICTS: Final = frozenset(verdict.value for verdict in Verdict)

_FIGURES_SINCE: Final = 2
"""The first version of the tables that has figures."""

_READ_AT_ONCE: Final = 64
"""So many episodes are asked for at once; a trace takes some 10 kB, compressed."""


class EpisodeError(UserError):
    """An episode is not there, or its record cannot be read; the others are as they were."""


class RunStore:
    """Opens a run for reading, or for writing by one process at a time."""

    def __init__(self, place: Place | Path, *, write: bool = False, join: bool = False) -> None:
        """Open the store.

        Args:
            place: the run; a folder is one whose tables are in SQLite files. It is made if missing
                when writing.
            write: hold the run alone and allow changes.
            join: allow episodes to be put beside the process that holds the run.

        Raises:
            UserError: there is no run, another process writes it, its version is another, or it
                cannot be read.
        """
        self.place = place_of(place)
        self._damaged: set[str] = set()
        access: Access = "write" if write else "join" if join else "read"
        self._db = self.place.open_run(access)

    @property
    def folder(self) -> Path:
        """Where the run's files are beside its tables."""
        return self.place.folder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and give the lock back."""
        self._db.close()

    @contextmanager
    def resumable(self) -> Iterator[None]:
        """Say of a database that fails inside that the work of the block can go on later.

        Raises:
            StoreError: it is full, lost or not to be written; what was stored is kept.
        """
        again = "run the same command again to resume"
        try:
            yield
        except sqlite3.OperationalError as error:
            # Also the worlds of a session, which are files whatever keeps the run.
            raise StoreError(f"{self.folder} cannot be written ({error}); {again}") from None
        except StoreError as error:
            raise StoreError(f"{error}; {again}") from None

    def config(self) -> RunConfig:
        """Return the run's resolved configuration.

        Raises:
            UserError: the run was cut off before it had one, or it is of another format.
        """
        text = self.meta("config")
        if text is None:
            raise UserError(f"{self.place.shown} has no configuration; start the run again")
        return RunConfig.read(text)

    @cached_property
    def _grade(self) -> type[Grade]:
        """The type of the run's grades, which its suite knows."""
        return find_suite(self.config().suite).grade()

    def meta(self, key: str) -> str | None:
        """Return a fact about the run, or None."""
        row = self._db.row("SELECT value FROM meta WHERE key = ?", (key,))
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact about the run."""
        self._db.change(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def put(self, trace: Trace, score: Grade, figures: tuple[str, str] | None = None) -> bool:
        """Store a finished episode with its score, together and at once.

        Args:
            trace: what it did.
            score: its grade.
            figures: what made its figures, and the figures, where they are kept.

        Returns:
            Whether it was stored. An episode that has a valid record keeps it: one that was run
            twice, since a machine was thought dead, counts once.
        """
        key = trace.episode
        blob = zlib.compress(trace.model_dump_json().encode(), 1)
        with self._db.together():
            # First, since who puts the same episode meanwhile waits here.
            if not self._put_score(key.id, score, figures, only_if=Verdict.INVALID):
                return False
            self._db.change(
                "INSERT INTO episodes VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " task = excluded.task, framework = excluded.framework, model = excluded.model,"
                " repeat = excluded.repeat, trace = excluded.trace",
                (key.id, key.task, key.framework, key.model, key.repeat, blob),
            )
        return True

    def put_scores(self, scores: Iterator[tuple[str, Grade, tuple[str, str] | None]]) -> int:
        """Replace the scores and figures of episodes in one transaction; returns how many."""
        count = 0
        with self._db.together():
            for episode, score, figures in scores:
                self._put_score(episode, score, figures)
                count += 1
        return count

    def _put_score(
        self,
        episode: str,
        score: Grade,
        figures: tuple[str, str] | None,
        only_if: Verdict | None = None,
    ) -> int:
        """Store a score, in place of another only if that one has this verdict."""
        values = [episode, score.verdict.value, score.model_dump_json()]
        condition = "" if only_if is None else " WHERE scores.verdict = ?"
        changed = self._db.change(
            "INSERT INTO scores VALUES (?, ?, ?) ON CONFLICT (episode) DO UPDATE SET"
            f" verdict = excluded.verdict, score = excluded.score{condition}",
            values if only_if is None else [*values, only_if.value],
        )
        if changed:
            # Those of another verdict are none.
            self._db.change("DELETE FROM figures WHERE episode = ?", (episode,))
        if changed and figures is not None:
            self._db.change("INSERT INTO figures VALUES (?, ?, ?)", (episode, *figures))
        return changed

    def finished(self) -> frozenset[str]:
        """Return the ids of episodes that need not run again: all but the invalid ones."""
        rows = self._db.rows(
            "SELECT episode FROM scores WHERE verdict != ?", (Verdict.INVALID.value,)
        )
        return frozenset(row[0] for row in rows)

    def counts(self) -> dict[str, dict[Verdict, int]]:
        """Return how many episodes have which verdict, by framework; invalid ones run again."""
        rows = self._db.rows(
            "SELECT framework, verdict, COUNT(*) FROM scores JOIN episodes ON id = episode"
            " WHERE verdict != ? GROUP BY framework, verdict",
            (Verdict.INVALID.value,),
        )
        found: dict[str, dict[Verdict, int]] = {}
        for framework, verdict, count in rows:
            if verdict not in _VERDICTS:
                continue  # A damaged record costs itself alone.
            found.setdefault(framework, {})[Verdict(verdict)] = count
        return found

    def trace(self, episode: str) -> Trace:
        """Return the trace of an episode.

        Raises:
            UserError: the run has no such episode, or its record cannot be read.
        """
        row = self._db.row("SELECT trace FROM episodes WHERE id = ?", (episode,))
        if row is None:
            raise self._unknown(episode)
        return self._read_trace(episode, row[0])

    def _read_trace(self, episode: str, blob: bytes) -> Trace:
        try:
            found = Trace.model_validate_json(zlib.decompress(blob))
        except (zlib.error, ValidationError, TypeError):
            raise self._unreadable(episode) from None
        if found.episode.id != episode:
            raise self._unreadable(episode)
        return found

    def _unknown(self, episode: str) -> EpisodeError:
        return EpisodeError(
            f"the run {self.place.id} has no episode '{episode}'; --run selects a run other than"
            " the latest, `ossia runs` lists the runs, and the report lists their episodes"
        )

    def score(self, episode: str) -> Grade:
        """Return the score of an episode.

        Raises:
            UserError: the run has no such episode, or its record cannot be read.
        """
        row = self._db.row("SELECT score FROM scores WHERE episode = ?", (episode,))
        return self._read_score(episode, None if row is None else row[0])

    def _read_score(self, episode: str, text: str | None) -> Grade:
        if text is None:
            raise self._unknown(episode)
        try:
            return self._grade.model_validate_json(text)
        except ValidationError:
            raise self._unreadable(episode) from None

    def _unreadable(self, episode: str) -> EpisodeError:
        return EpisodeError(
            f"the record of episode '{episode}' is damaged or of another format; reports leave it"
            " out, and the other episodes are not affected"
        )

    def readable_trace(self, episode: str) -> Trace | None:
        """Return the trace of an episode, or None where it cannot be read."""
        try:
            return self.trace(episode)
        except EpisodeError:
            self._damaged.add(episode)
            return None

    def readable_score(self, episode: str) -> Grade | None:
        """Return the score of an episode, or None where it cannot be read."""
        try:
            return self.score(episode)
        except EpisodeError:
            self._damaged.add(episode)
            return None

    def unsuccessful(self) -> frozenset[str]:
        """Return the ids of episodes that are no success: failed or invalid."""
        rows = self._db.rows(
            "SELECT episode FROM scores WHERE verdict <> ?", (Verdict.SUCCESS.value,)
        )
        return frozenset(row[0] for row in rows)

    def score_versions(self) -> frozenset[int]:
        """Return the versions of the scorer that gave the stored verdicts."""
        # Not as grades: a report asks it of every episode.
        found = set()
        for (text,) in self._db.rows("SELECT score FROM scores"):
            with suppress(orjson.JSONDecodeError, LookupError, TypeError):
                found.add(int(orjson.loads(text)["version"]))
        return frozenset(found)

    def readable_episodes(
        self, wanted: Sequence[str] | None = None
    ) -> Iterator[tuple[Trace, Grade]]:
        """Yield trace and score of each episode of which both can be read, some at a time.

        Args:
            wanted: the ids, in whose order they come; all in name order when left out.
        """
        ids = self.episodes() if wanted is None else tuple(wanted)
        for part in _parts(ids):
            marks = ", ".join("?" * len(part))
            rows = self._db.rows(
                "SELECT id, trace, score FROM episodes LEFT JOIN scores ON episode = id"
                f" WHERE id IN ({marks})",
                part,
            )
            found = {row[0]: row[1:] for row in rows}
            for episode in part:
                if episode not in found or found[episode][1] is None:
                    self._damaged.add(episode)
                    continue
                blob, text = found.pop(episode)
                try:
                    yield self._read_trace(episode, blob), self._read_score(episode, text)
                except EpisodeError:
                    self._damaged.add(episode)

    def figures(self, wanted: Sequence[str]) -> Iterator[tuple[str, tuple[str, str] | None]]:
        """Yield episodes in their order with what is kept of their figures, some at a time.

        Args:
            wanted: their ids.
        """
        for part in _parts(wanted):
            found = {}
            if self._db.version >= _FIGURES_SINCE:
                marks = ", ".join("?" * len(part))
                statement = (
                    f"SELECT episode, made_by, figures FROM figures WHERE episode IN ({marks})"
                )
                found = {row[0]: (row[1], row[2]) for row in self._db.rows(statement, part)}
            for episode in part:
                yield episode, found.get(episode)

    @property
    def damaged(self) -> tuple[str, ...]:
        """The episodes that could not be read so far, in name order."""
        return tuple(sorted(self._damaged))

    def episodes(self) -> tuple[str, ...]:
        """Return the ids of all stored episodes in name order."""
        return tuple(row[0] for row in self._db.rows("SELECT id FROM episodes ORDER BY id"))

    def traces(self) -> Iterator[Trace]:
        """Yield all traces in the order of their ids; `damaged` names those left out."""
        for part in _parts(self.episodes()):
            marks = ", ".join("?" * len(part))
            rows = self._db.rows(f"SELECT id, trace FROM episodes WHERE id IN ({marks})", part)
            found = dict(rows)
            for episode in part:
                try:
                    yield self._read_trace(episode, found.pop(episode, b""))
                except EpisodeError:
                    self._damaged.add(episode)


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield ids, as many as are asked for at once."""
    for start in range(0, len(ids), _READ_AT_ONCE):
        yield ids[start : start + _READ_AT_ONCE]
