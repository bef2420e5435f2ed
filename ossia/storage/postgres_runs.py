"""The runs of a PostgreSQL database: a register of them, and a namespace of tables for each."""

from __future__ import annotations

import hashlib
import re
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from ossia.errors import UserError
from ossia.runner.named import require_name, taken
from ossia.storage.database import (
    ATTRIBUTION_TABLES,
    READ_VERSIONS,
    RUN_TABLES,
    STORE_VERSION,
    Access,
    Database,
    StoreError,
    Table,
)
from ossia.storage.place import Place
from ossia.storage.postgres import DIALECT, Address, PostgresDatabase

REGISTER_VERSION: Final = 1
"""Version of the register's tables."""

_REGISTER: Final = "ossia"
"""The namespace of the register."""

_NAMESPACE: Final = re.compile(r"ossia_[a-z0-9_]{1,57}")

_REGISTER_LAYOUT: Final = f"""
CREATE SCHEMA IF NOT EXISTS {_REGISTER};
CREATE TABLE {_REGISTER}.layout (version INTEGER NOT NULL);
INSERT INTO {_REGISTER}.layout VALUES ({REGISTER_VERSION});
CREATE TABLE {_REGISTER}.runs (
    id {DIALECT.key} PRIMARY KEY, namespace TEXT NOT NULL UNIQUE, name TEXT UNIQUE,
    version INTEGER NOT NULL, attribution_version INTEGER,
    changed TIMESTAMPTZ NOT NULL DEFAULT now()
);
"""

_COLUMNS: Final = "id, namespace, name, version, attribution_version, changed"


@dataclass(frozen=True)
class Entry:
    """What the register says of a run."""

    id: str
    namespace: str
    name: str | None
    version: int
    attribution_version: int | None
    changed: datetime
    """When it was opened for writing last."""


def namespace_of(run: str) -> str:
    """Return the namespace of a run's tables: readable, unique, and safe in whatever a run's id."""
    readable = re.sub(r"[^a-z0-9]+", "_", run.lower()).strip("_")[:40]
    return f"ossia_{readable}_{hashlib.sha256(run.encode()).hexdigest()[:10]}"


def registered(db: PostgresDatabase) -> bool:
    """Say whether a database has a register of runs.

    Raises:
        UserError: its register is of a later version, or another program's.
    """
    shown = db.address.shown
    row = db.row(
        "SELECT string_agg(c.relname, ',') FROM pg_class c JOIN pg_namespace n"
        " ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind IN ('r', 'v', 'p', 'm', 'f')",
        (_REGISTER,),
    )
    tables = set() if row is None or row[0] is None else set(row[0].split(","))
    if not tables:
        return False
    columns = db.row(
        "SELECT count(*) FROM information_schema.columns WHERE table_schema = ? AND"
        " ((table_name = 'layout' AND column_name = 'version') OR (table_name = 'runs' AND"
        " column_name IN ('id', 'namespace', 'name', 'version')))",
        (_REGISTER,),
    )
    if not tables >= {"layout", "runs"} or columns is None or columns[0] != 5:
        raise UserError(
            f"{shown} has a schema '{_REGISTER}' of another program, or one that you may not read;"
            " nothing was changed: name another database"
        )
    version = db.row(f"SELECT version FROM {_REGISTER}.layout")
    if version is None or version[0] != REGISTER_VERSION:
        raise UserError(f"{shown} was written by another version of Ossia")
    return True


def make_register(db: PostgresDatabase) -> None:
    """Make the register where there is none."""
    if registered(db):
        return
    with db.together():
        db.wait_for("register")
        if not registered(db):
            db.change(_REGISTER_LAYOUT)


def entries(db: PostgresDatabase, run: str | None = None) -> tuple[Entry, ...]:
    """Return what the register says of all runs, or of one."""
    if not registered(db):
        return ()
    wanted, values = ("", ()) if run is None else (" WHERE id = ?", (run,))
    rows = db.rows(f"SELECT {_COLUMNS} FROM {_REGISTER}.runs{wanted} ORDER BY id", values)
    found = tuple(Entry(*row) for row in rows)
    for entry in found:
        if not _NAMESPACE.fullmatch(entry.namespace):
            raise StoreError(f"{db.address.shown}: the register of runs is damaged")
    return found


class PostgresPlace(Place):
    """A run in a PostgreSQL database, whose files are on the machine that asks for it."""

    def __init__(self, address: Address, run: str, home: Path) -> None:
        """Name the run.

        Args:
            address: the database.
            run: the run's id.
            home: where the folder of its files is.
        """
        self.id = run
        self.address = address
        self.shown = f"the run {run} of {address.shown}"
        self._namespace = namespace_of(run)
        self.folder = home / "stores" / address.digest / self._namespace

    def open_run(self, access: Access) -> Database:
        """Connect to the run's tables."""
        db = self.address.connect()
        with ExitStack() as refused:
            refused.callback(db.close)
            self._opened(db, access)
            refused.pop_all()
        return db

    def _opened(self, db: PostgresDatabase, access: Access) -> None:
        if access == "write":
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_register(db)
            self._hold(db, "write")
        self._hold(db, "use", shared=True)
        entry = self._entry(db)
        if entry is None and access == "write":
            with db.together():
                self.make(db)
            entry = self._entry(db)
        if entry is None:
            raise UserError(f"{self.address.shown} contains no run {self.id}")
        if entry.version not in READ_VERSIONS:
            raise UserError(f"{self.shown} was written by another version of Ossia")
        db.within(entry.namespace)
        db.version = entry.version
        if access == "write":
            self._renew(db)

    def _hold(self, db: PostgresDatabase, what: str, *, shared: bool = False) -> None:
        if db.lock(f"{what} {self.id}", shared=shared):
            return
        if what == "write":
            raise UserError(f"another process is running {self.id}; wait or stop it")
        if shared:
            raise UserError(f"{self.id} is being deleted")
        raise UserError(f"another process uses {self.id}; wait or stop it")

    def _renew(self, db: PostgresDatabase) -> None:
        """Note that the run is written, with the tables of the present version."""
        with db.together():
            if db.version != STORE_VERSION:
                self._lay_out(db, RUN_TABLES)
            db.change(
                f"UPDATE {_REGISTER}.runs SET changed = now(), version = ? WHERE id = ?",
                (STORE_VERSION, self.id),
            )
        db.version = STORE_VERSION

    def _entry(self, db: PostgresDatabase) -> Entry | None:
        return next(iter(entries(db, self.id)), None)

    def make(self, db: PostgresDatabase) -> None:
        """Make the run's tables and its line of the register, inside of a transaction.

        Raises:
            UserError: another program has a namespace of that name.
        """
        taken = db.row("SELECT 1 FROM pg_namespace WHERE nspname = ?", (self._namespace,))
        if taken is not None:
            raise UserError(
                f"{self.address.shown} has a schema '{self._namespace}' of another program;"
                " nothing was changed"
            )
        db.change(f'CREATE SCHEMA "{self._namespace}"')
        db.within(self._namespace)
        self._lay_out(db, RUN_TABLES)
        # It is compressed already: trying again would only cost time.
        db.change("ALTER TABLE episodes ALTER COLUMN trace SET STORAGE EXTERNAL")
        db.change(
            f"INSERT INTO {_REGISTER}.runs (id, namespace, version) VALUES (?, ?, ?)",
            (self.id, self._namespace, STORE_VERSION),
        )

    @staticmethod
    def _lay_out(db: PostgresDatabase, tables: tuple[Table, ...]) -> None:
        db.change(" ".join(table.made(DIALECT) for table in tables))

    def open_attributions(self, *, write: bool, version: int) -> Database:
        """Connect to the tables of the attributions."""
        db = self.address.connect()
        with ExitStack() as refused:
            refused.callback(db.close)
            self._opened(db, "read")
            if write:
                with db.together():
                    db.wait_for(f"attributions {self.id}")
                    self._renew_attributions(db, version)
            else:
                entry = self._entry(db)
                if entry is None or entry.attribution_version != version:
                    raise UserError(
                        f"the attributions of {self.id} were written by another version of Ossia;"
                        " run `ossia attribute` again"
                    )
            refused.pop_all()
        return db

    def _renew_attributions(self, db: PostgresDatabase, version: int) -> None:
        entry = self._entry(db)
        if entry is None or entry.attribution_version == version:
            return
        # Verifications stay: they were paid for, and have a version of their own.
        for table in ("attributions", "sessions"):
            db.change(f"DROP TABLE IF EXISTS {table}")
        self._lay_out(db, ATTRIBUTION_TABLES)
        self.note_attributions(db, version)

    def note_attributions(self, db: PostgresDatabase, version: int) -> None:
        """Say in the register which version of attributions the run has."""
        db.change(
            f"UPDATE {_REGISTER}.runs SET attribution_version = ? WHERE id = ?", (version, self.id)
        )

    def has_attributions(self) -> bool:
        """Say whether there are tables of attributions."""
        entry = self.entry()
        return entry is not None and entry.attribution_version is not None

    def exists(self) -> bool:
        """Say whether there is a run."""
        return self.entry() is not None

    def entry(self) -> Entry | None:
        """Return what the register says of the run."""
        db = self.address.connect()
        try:
            return self._entry(db)
        finally:
            db.close()

    def name(self) -> str | None:
        """Return the name that the run was given, or None."""
        entry = self.entry()
        return None if entry is None else entry.name

    def give_name(self, name: str) -> None:
        """Name the run."""
        if name != self.id:
            require_name(name)
        db = self.address.connect()
        try:
            with db.together():
                db.wait_for("names")
                for other in entries(db):
                    if other.id != self.id and name in (other.id, other.name):
                        raise UserError(taken(name, other.id))
                db.change(
                    f"UPDATE {_REGISTER}.runs SET name = ? WHERE id = ?",
                    (None if name == self.id else name, self.id),
                )
        finally:
            db.close()

    def delete(self) -> None:
        """Delete the run's tables, and its files on this machine."""
        self._drop(again=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def forget(self) -> None:
        """Empty the run's tables, and delete its files on this machine."""
        if self.exists():
            self._drop(again=True)
            shutil.rmtree(self.folder, ignore_errors=True)

    def _drop(self, *, again: bool) -> None:
        db = self.address.connect()
        try:
            self._hold(db, "write")
            self._hold(db, "use")
            with db.together():
                entry = self._entry(db)
                if entry is None:
                    return
                db.change(f"DELETE FROM {_REGISTER}.runs WHERE id = ?", (self.id,))
                db.change(f'DROP SCHEMA "{entry.namespace}" CASCADE')
                if again:
                    self.make(db)
                    statement = f"UPDATE {_REGISTER}.runs SET name = ? WHERE id = ?"
                    db.change(statement, (entry.name, self.id))
        finally:
            db.close()
