"""All runs of a home, or of a PostgreSQL database: opened by the address of a store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.find import Known, find_run, meant, run_folders, runs_folder
from ossia.runner.named import name_of
from ossia.runner.runs import COUNTS, WITH_A_FAULT, RunInfo, counts, list_runs
from ossia.storage.database import READ_VERSIONS
from ossia.storage.place import FolderPlace, Place
from ossia_evaluation.grade import Verdict

if TYPE_CHECKING:
    from ossia.storage.postgres import PostgresDatabase
    from ossia.storage.postgres_runs import Entry

_SCHEMES: Final = ("postgresql://", "postgres://")


class Catalog(ABC):
    """The runs of one store.

    Attributes:
        shown: how messages name the store; no password is in it.
        options: what names the store on the command line, likewise.
    """

    shown: str
    options: tuple[str, ...] = ()

    @abstractmethod
    def place(self, run: str) -> Place:
        """Return where a run of this id is kept, or will be."""

    @abstractmethod
    def find(self, name: str | None) -> Place:
        """Return a run by its id or name, by a unique beginning, or the latest run.

        Raises:
            UserError: no run fits, or several do, or they cannot be read.
        """

    @abstractmethod
    def list(self) -> tuple[RunInfo, ...]:
        """Return all runs, the latest first; what cannot be read of one is said of it.

        Raises:
            UserError: the store cannot be read.
        """

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return what the runs are called, by their names or else their ids.

        Raises:
            UserError: the store cannot be read.
        """


class FolderCatalog(Catalog):
    """The runs of a home, each in a folder of its own."""

    def __init__(self, home: Path) -> None:
        """Name the home."""
        self._home = home
        self.shown = str(runs_folder(home))

    def place(self, run: str) -> Place:
        """Return where a run of this id is kept, or will be."""
        return FolderPlace(runs_folder(self._home) / run)

    def find(self, name: str | None) -> Place:
        """Return the run that is meant."""
        return FolderPlace(find_run(self._home, name))

    def list(self) -> tuple[RunInfo, ...]:
        """Return all runs, the latest first."""
        return list_runs(self._home)

    def names(self) -> tuple[str, ...]:
        """Return what the runs are called."""
        return tuple(name_of(folder) or folder.name for folder in run_folders(self._home))


class PostgresCatalog(Catalog):
    """The runs of a PostgreSQL database."""

    def __init__(self, url: str, home: Path) -> None:
        """Name the database, to which nothing connects yet.

        Args:
            url: its address.
            home: where the files of runs are on this machine.

        Raises:
            UserError: it is no address, or the driver is not installed.
        """
        # Loaded when asked for: who keeps runs in folders has no driver.
        from ossia.storage.postgres import Address

        self._address = Address(url)
        self._home = home
        self.shown = self._address.shown
        self.options = ("--store", self._address.url)

    def place(self, run: str) -> Place:
        """Return where a run of this id is kept, or will be."""
        from ossia.storage.postgres_runs import PostgresPlace

        return PostgresPlace(self._address, run, self._home)

    def find(self, name: str | None) -> Place:
        """Return the run that is meant."""
        known = [
            Known(entry.id, entry.name, int(entry.changed.timestamp() * 1e6), entry.id)
            for entry in self._entries()
        ]
        return self.place(meant(known, name, self.shown).where)

    def list(self) -> tuple[RunInfo, ...]:
        """Return all runs, the latest first."""
        from ossia.storage.postgres_runs import entries

        with closing(self._address.connect()) as db:
            found = [_info(db, entry) for entry in entries(db)]
        return tuple(sorted(found, key=lambda run: run.changed, reverse=True))

    def names(self) -> tuple[str, ...]:
        """Return what the runs are called."""
        return tuple(entry.name or entry.id for entry in self._entries())

    def _entries(self) -> tuple[Entry, ...]:
        from ossia.storage.postgres_runs import entries

        with closing(self._address.connect()) as db:
            return entries(db)


def _info(db: PostgresDatabase, entry: Entry) -> RunInfo:
    config, size, problem = None, 0, None
    verdicts, faultless = dict[Verdict, int](), dict[Verdict, int]()
    try:
        if entry.version not in READ_VERSIONS:
            raise UserError("it was written by another version of Ossia")
        db.within(entry.namespace)
        row = db.row("SELECT value FROM meta WHERE key = 'config'")
        counted = list(db.rows(COUNTS, WITH_A_FAULT))
        size = db.size(entry.namespace)
        verdicts, faultless = counts(counted)
        config = None if row is None else RunConfig.read(row[0])
        problem = None if config is not None else "it was cut off before it began"
    except (UserError, ValueError) as error:
        problem, verdicts, faultless = str(error), {}, {}
    when = entry.changed.astimezone()
    return RunInfo(entry.id, entry.name, when, size, config, verdicts, faultless, problem)


def open_catalog(store: str | None, home: Path) -> Catalog:
    """Return the runs of a store by its address; without one, those of the home.

    Raises:
        UserError: there is no store of such an address.
    """
    if not store:
        return FolderCatalog(home)
    if not store.startswith(_SCHEMES):
        raise UserError(
            "--store takes postgresql://USER@HOST:5432/NAME; without it, runs are files"
        )
    return PostgresCatalog(store, home)
