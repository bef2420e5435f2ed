"""A run's SQLite files: opened for reading, or for writing by one process at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from ossia.errors import UserError
from ossia.storage.database import (
    ATTRIBUTION_TABLES,
    READ_VERSIONS,
    RUN_TABLES,
    STORE_VERSION,
    Dialect,
    Table,
)

RUN_FILE: Final = "run.sqlite"
ATTRIBUTION_FILE: Final = "attribution.sqlite"

_ROOM: Final = 1 << 16
"""Bytes that SQLite may need beside a run that was cut off, to read it."""

_DIALECT: Final = Dialect(key="TEXT", binary="BLOB", real="REAL", end=" WITHOUT ROWID")


class SqliteDatabase:
    """One SQLite file, with the locks that are held of its folder."""

    version = STORE_VERSION

    def __init__(self, connection: sqlite3.Connection, held: Sequence[int] = ()) -> None:
        """Take over a connection in autocommit mode, and locks by their descriptors."""
        self._db = connection
        self._held = tuple(held)

    def change(self, statement: str, values: Sequence[object] = ()) -> int:
        """Carry out a statement; returns how many rows it has changed."""
        return self._db.execute(statement, values).rowcount

    def change_many(self, statement: str, lines: Sequence[Sequence[object]]) -> None:
        """Carry out a statement for each of several lines of values."""
        self._db.executemany(statement, lines)

    def rows(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows that a statement finds."""
        yield from self._db.execute(statement, values)

    def row(self, statement: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """Return the first row that a statement finds, or None."""
        found: tuple[Any, ...] | None = self._db.execute(statement, values).fetchone()
        return found

    def all_of(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Yield all rows of a table in its order, never holding them all."""
        return self.rows(f"SELECT * FROM {table.name} ORDER BY {table.order}")

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make what is changed inside durable at its end, all of it or nothing."""
        with self._db:
            self._db.execute("BEGIN")
            yield

    def close(self) -> None:
        """Close the file and give the locks back."""
        self._db.close()
        for descriptor in self._held:
            os.close(descriptor)
        self._held = ()


def open_run_file(folder: Path, *, write: bool) -> SqliteDatabase:
    """Open a run's file.

    Args:
        folder: the run's folder; made if missing when writing.
        write: take the run's lock and allow changes.

    Raises:
        UserError: there is no run, another process writes it, its version is another, or its
            file cannot be read.
    """
    path = folder / RUN_FILE
    held: list[int] = []
    if write:
        # For its owner alone: it holds prompts, answers and, while it runs, ids of worlds.
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        for each in (folder.parent, folder):
            _close_to_others(each)
        held.append(_take_lock(folder / "lock"))
    elif not path.is_file():
        raise UserError(f"{folder} contains no run")
    begun = write and not path.exists()
    with ExitStack() as unopened:
        for descriptor in held:
            unopened.callback(os.close, descriptor)
        held.append(_take_use(folder))
        unopened.callback(os.close, held[-1])
        connection = _connect(path)
        unopened.pop_all()
    opened = SqliteDatabase(connection, held)
    try:
        opened.version = _prepare(connection, path, write=write)
    except sqlite3.OperationalError as error:
        if begun:
            # Else it would be the latest run, which every command means that is given none.
            path.unlink(missing_ok=True)
        opened.close()
        raise UserError(why_not_opened(path, error)) from None
    except sqlite3.DatabaseError as error:
        opened.close()
        raise UserError(
            f"{path} cannot be read ({error}); nothing was changed: restore it from a copy, or"
            " run with another OSSIA_HOME"
        ) from None
    except UserError:
        opened.close()
        raise
    return opened


def _prepare(db: sqlite3.Connection, path: Path, *, write: bool) -> int:
    """Make a run's file ready, and return the version of its tables then."""
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version == 0 and _tables(db):
        raise UserError(
            f"{path} has tables but no version, so it is not a run's file, or it is damaged;"
            " nothing"
            " was changed"
        )
    if version == 0 and not write:
        raise UserError(f"{path.parent} contains no run")
    if version not in READ_VERSIONS | {0}:
        raise UserError(f"{path} was written by another version of Ossia")
    needed = {table.name for table in RUN_TABLES if table.since <= version}
    if not _tables(db) >= needed:
        raise sqlite3.DatabaseError("it lacks a table")
    # A torn file often opens well and fails later, in the middle of a report.
    if version and db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("it is damaged")
    if write:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        layout = " ".join(table.made(_DIALECT) for table in RUN_TABLES)
        # Together, so that no kill leaves tables without a version.
        db.executescript(f"BEGIN IMMEDIATE; {layout} PRAGMA user_version={STORE_VERSION}; COMMIT;")
        return STORE_VERSION
    return version


def open_attribution_file(folder: Path, *, write: bool, version: int) -> SqliteDatabase:
    """Open or make the file of a run's attributions.

    Args:
        folder: the run's folder.
        write: make what is missing; without it the folder need not be writable.
        version: of the attributions: those of another one are dropped when writing.

    Raises:
        UserError: the file cannot be opened or kept, or another version wrote it.
    """
    path = folder / ATTRIBUTION_FILE
    if write and not os.access(folder, os.W_OK):
        raise UserError(f"{folder} cannot be written, but attributions are stored in it")
    try:
        uri = f"{path.resolve().as_uri()}?mode={'rwc' if write else 'ro'}"
        # Who only reads need not wait long: nobody writes for longer than a moment.
        wait_s = 30.0 if write else 5.0
        db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=wait_s)
        found = _attribution_version(db, path, write=write)
        if not write:
            if found != version:
                db.close()
                raise UserError(
                    f"{path} was written by another version of Ossia; run `ossia attribute` again"
                )
            return SqliteDatabase(db)
        if found not in (0, version):
            # Verifications stay: they were paid for, and have a version of their own.
            for table in ("attributions", "sessions"):
                db.execute(f"DROP TABLE IF EXISTS {table}")
        layout = " ".join(table.made(_DIALECT) for table in ATTRIBUTION_TABLES)
        # Together, so that no kill leaves tables without a version.
        db.executescript(f"BEGIN IMMEDIATE; {layout} PRAGMA user_version = {version}; COMMIT;")
    except sqlite3.DatabaseError as error:
        raise UserError(f"{path} cannot be opened: {error}{_advice(error)}") from None
    return SqliteDatabase(db)


def _advice(error: sqlite3.DatabaseError) -> str:
    # A lock passes by itself; what is no database, or is torn, never will.
    locked = isinstance(error, sqlite3.OperationalError)
    return "" if locked else "; remove it and run `ossia attribute` again"


def _attribution_version(db: sqlite3.Connection, path: Path, *, write: bool) -> int:
    """Return the version of the file's tables; 0 for an empty one.

    Raises:
        UserError: another program wrote the file.
    """
    # A torn file often opens well and fails later, in the middle of an attribution.
    if write and db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("it is damaged")
    # In one statement, since another process may be laying it out.
    version, named = db.execute(
        "SELECT user_version, (SELECT group_concat(name) FROM sqlite_master)"
        " FROM pragma_user_version"
    ).fetchone()
    tables = named.split(",") if named else []
    if (version == 0 and tables) or (version and ATTRIBUTION_TABLES[0].name not in tables):
        db.close()
        raise UserError(
            f"{path} has tables of another program, or is damaged; nothing was changed:"
            " move it away and run `ossia attribute` again"
        )
    return int(version)


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
            f" {path.name}-wal, which SQLite cannot read there; copy the folder to a place that"
            " can be written, into the folder runs of another OSSIA_HOME"
        )
    if shutil.disk_usage(path.parent).free < _ROOM:
        return (
            f"{path} cannot be opened, since its disk is full: free some space and run the same"
            " command again; every finished episode is kept"
        )
    return f"{path} cannot be opened: {error}"


def _tables(db: sqlite3.Connection) -> frozenset[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return frozenset(row[0] for row in rows)


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
