"""The store of one run: configuration, traces and scores in one SQLite file.

Every finished episode is committed before it is shown. Traces are compressed JSON, since each
model call repeats the conversation so far.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.suites import find_suite
from ossia_evaluation.grade import Grade, Verdict
from ossia_servers.trace import Trace

STORE_VERSION = 1
"""Version of the database layout."""

_LAYOUT = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS episodes (
    id TEXT PRIMARY KEY, task TEXT NOT NULL, framework TEXT NOT NULL, model TEXT NOT NULL,
    repeat INTEGER NOT NULL, trace BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scores (
    episode TEXT PRIMARY KEY, verdict TEXT NOT NULL, score TEXT NOT NULL
) WITHOUT ROWID;
"""


_VERDICTS = frozenset(verdict.value for verdict in Verdict)
_TABLES = frozenset({"meta", "episodes", "scores"})


class RunStore:
    """Opens a run's folder for reading, or for writing by one process at a time."""

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        """Open the store.

        Args:
            folder: the run's folder; made if missing when writing.
            write: take the run's lock and allow changes.

        Raises:
            UserError: there is no run, another process writes it, its version is another, or its
                file cannot be read.
        """
        self.folder = folder
        self._lock: int | None = None
        self._use: int | None = None
        self._damaged: set[str] = set()
        path = folder / "run.sqlite"
        if write:
            # For its owner alone: it holds prompts, answers and, while it runs, ids of worlds.
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            for each in (folder.parent, folder):
                _close_to_others(each)
            self._lock = _take_lock(folder / "lock")
        elif not path.is_file():
            raise UserError(f"{folder} holds no run")
        self._use = _take_use(folder)
        self._db = _connect(path)
        try:
            self._open(path, write=write)
        except sqlite3.OperationalError as error:
            self.close()
            raise UserError(why_not_opened(path, error)) from None
        except sqlite3.DatabaseError as error:
            self.close()
            raise UserError(
                f"{path} cannot be read ({error}); nothing was changed: restore it from a copy, or"
                " run with another OSSIA_HOME"
            ) from None
        except UserError:
            self.close()
            raise

    def _open(self, path: Path, *, write: bool) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and self._tables():
            raise UserError(
                f"{path} has tables but no version, so it is no run's file, or damaged; nothing"
                " was changed"
            )
        if version == 0 and not write:
            raise UserError(f"{self.folder} holds no run")
        if version not in (0, STORE_VERSION):
            raise UserError(f"{path} was written by another version of Ossia")
        if version and not self._tables() >= _TABLES:
            raise sqlite3.DatabaseError("it lacks a table")
        # A torn file often opens well and fails later, in the middle of a report.
        if version and self._db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("it is damaged")
        if write:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            # Together, so that no kill leaves tables without a version.
            self._db.executescript(
                f"BEGIN IMMEDIATE; {_LAYOUT} PRAGMA user_version={STORE_VERSION}; COMMIT;"
            )

    def _tables(self) -> frozenset[str]:
        rows = self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return frozenset(row[0] for row in rows)

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
        for descriptor in (self._lock, self._use):
            if descriptor is not None:
                os.close(descriptor)
        self._lock = self._use = None

    @staticmethod
    @contextmanager
    def alone(folder: Path) -> Iterator[None]:
        """Hold a run's folder alone, whether or not its store can be read.

        Raises:
            UserError: another process runs, reads or changes it.
        """
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise UserError(f"another process uses {folder.name}; wait or stop it") from None
        finally:
            os.close(descriptor)

    def config(self) -> RunConfig:
        """Return the run's resolved configuration.

        Raises:
            UserError: the run was cut off before it had one, or it is of another format.
        """
        text = self.meta("config")
        if text is None:
            raise UserError(f"{self.folder} has no configuration; start the run again")
        return RunConfig.read(text)

    @cached_property
    def _grade(self) -> type[Grade]:
        """The type of the run's grades, which its suite knows."""
        return find_suite(self.config().suite).grade()

    def meta(self, key: str) -> str | None:
        """Return a fact about the run, or None."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact about the run."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def put(self, trace: Trace, score: Grade) -> None:
        """Store a finished episode with its score, together and at once."""
        key = trace.episode
        blob = zlib.compress(trace.model_dump_json().encode(), 1)
        with self._db:
            self._db.execute("BEGIN")
            self._db.execute(
                "INSERT OR REPLACE INTO episodes VALUES (?, ?, ?, ?, ?, ?)",
                (key.id, key.task, key.framework, key.model, key.repeat, blob),
            )
            self._put_score(key.id, score)

    def put_scores(self, scores: Iterator[tuple[str, Grade]]) -> int:
        """Replace the scores of episodes in one transaction; returns how many."""
        count = 0
        with self._db:
            self._db.execute("BEGIN")
            for episode, score in scores:
                self._put_score(episode, score)
                count += 1
        return count

    def _put_score(self, episode: str, score: Grade) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO scores VALUES (?, ?, ?)",
            (episode, score.verdict.value, score.model_dump_json()),
        )

    def finished(self) -> frozenset[str]:
        """Return the ids of episodes that need not run again: all but the invalid ones."""
        rows = self._db.execute(
            "SELECT episode FROM scores WHERE verdict != ?", (Verdict.INVALID.value,)
        )
        return frozenset(row[0] for row in rows)

    def counts(self) -> dict[str, dict[Verdict, int]]:
        """Return how many episodes have which verdict, by framework; invalid ones run again."""
        rows = self._db.execute(
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
        row = self._db.execute("SELECT trace FROM episodes WHERE id = ?", (episode,)).fetchone()
        if row is None:
            raise self._unknown(episode)
        try:
            found = Trace.model_validate_json(zlib.decompress(row[0]))
        except (zlib.error, ValidationError, TypeError):
            raise self._unreadable(episode) from None
        if found.episode.id != episode:
            raise self._unreadable(episode)
        return found

    def _unknown(self, episode: str) -> UserError:
        return UserError(
            f"the run {self.folder.name} has no episode '{episode}'; --run names another run than"
            " the latest, `ossia runs` lists them, and the report lists their episodes"
        )

    def score(self, episode: str) -> Grade:
        """Return the score of an episode.

        Raises:
            UserError: the run has no such episode, or its record cannot be read.
        """
        row = self._db.execute("SELECT score FROM scores WHERE episode = ?", (episode,)).fetchone()
        if row is None:
            raise self._unknown(episode)
        kind = self._grade
        try:
            return kind.model_validate_json(row[0])
        except ValidationError:
            raise self._unreadable(episode) from None

    def _unreadable(self, episode: str) -> UserError:
        return UserError(
            f"the record of episode '{episode}' is damaged or of another format; reports leave it"
            " out, and the other episodes are as they were"
        )

    def readable_trace(self, episode: str) -> Trace | None:
        """Return the trace of an episode, or None where it cannot be read."""
        try:
            return self.trace(episode)
        except UserError:
            self._damaged.add(episode)
            return None

    def readable_score(self, episode: str) -> Grade | None:
        """Return the score of an episode, or None where it cannot be read."""
        try:
            return self.score(episode)
        except UserError:
            self._damaged.add(episode)
            return None

    def readable_episodes(self) -> Iterator[tuple[Trace, Grade]]:
        """Yield trace and score of each episode of which both can be read."""
        for episode in self.episodes():
            trace, score = self.readable_trace(episode), self.readable_score(episode)
            if trace is not None and score is not None:
                yield trace, score

    @property
    def damaged(self) -> tuple[str, ...]:
        """The episodes that could not be read so far, in name order."""
        return tuple(sorted(self._damaged))

    def episodes(self) -> tuple[str, ...]:
        """Return the ids of all stored episodes in name order."""
        return tuple(row[0] for row in self._db.execute("SELECT id FROM episodes ORDER BY id"))

    def traces(self) -> Iterator[Trace]:
        """Yield all traces in the order of their ids; `damaged` names those left out."""
        for episode in self.episodes():
            trace = self.readable_trace(episode)
            if trace is not None:
                yield trace


def _close_to_others(folder: Path) -> None:
    """Take from others what rights they have to a folder; earlier versions left them some."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & 0o077:
        # Where it is somebody else's, that is theirs to decide.
        with suppress(OSError):
            folder.chmod(mode & 0o700)


def _connect(path: Path) -> sqlite3.Connection:
    if os.access(path.parent, os.W_OK):
        return sqlite3.connect(path, isolation_level=None)
    return sqlite3.connect(uri_to_read(path), uri=True, isolation_level=None)


def uri_to_read(path: Path) -> str:
    """Return what SQLite opens a run's database by for reading alone."""
    # A file with a write-ahead log is read only where files can be put beside it or lie there,
    # unless SQLite is told that nobody writes. Then it leaves the log out, which is as well where
    # there is none, but loses episodes where a run was cut off.
    immutable = "" if os.access(path.parent, os.W_OK) or _has_log(path) else "&immutable=1"
    return f"{path.resolve().as_uri()}?mode=ro{immutable}"


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


def why_not_opened(path: Path, error: sqlite3.Error) -> str:
    """Return why a run's database cannot be opened.

    Args:
        path: the database.
        error: what SQLite said.
    """
    if _has_log(path) and not os.access(path.parent, os.W_OK):
        return (
            f"{path.parent} cannot be written, and its run was cut off: the last episodes are in"
            f" {path.name}-wal, which SQLite cannot take in there; copy the folder to where it can"
            " be written, into the folder runs of another OSSIA_HOME"
        )
    return f"{path} cannot be opened: {error}"


def _take_use(folder: Path) -> int:
    """Hold a run's folder beside others, so that nobody deletes it meanwhile."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UserError(f"{folder.name} is being deleted") from None
    return descriptor


def _take_lock(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise UserError(f"another process is running {path.parent.name}; wait or stop it") from None
    return descriptor
