"""The place of one run: what opens its tables, and the folder of its files."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from ossia.runner.named import give_name, name_of
from ossia.storage.database import Access, Database, StoreError
from ossia.storage.sqlite import (
    ATTRIBUTION_FILE,
    RUN_FILE,
    alone,
    open_attribution_file,
    open_run_file,
)


class Place(ABC):
    """Where one run is kept.

    Attributes:
        id: the run's id.
        folder: where its files are beside the tables, such as its report, and those that it needs
            while it runs. It need not be there before it runs.
        shown: how messages name the place; no password is in it.
    """

    id: str
    folder: Path
    shown: str

    @abstractmethod
    def open_run(self, access: Access) -> Database:
        """Open the run's tables; `write` makes a run that is not there.

        Raises:
            UserError: there is no run, another process writes it, or its tables cannot be read.
        """

    @abstractmethod
    def open_attributions(self, *, write: bool, version: int) -> Database:
        """Open the tables of the run's attributions, as `AttributionStore` needs them.

        Raises:
            UserError: they cannot be opened, or are of another version and are not to be written.
        """

    @abstractmethod
    def has_attributions(self) -> bool:
        """Say whether there are tables of attributions."""

    @abstractmethod
    def exists(self) -> bool:
        """Say whether there is a run."""

    @abstractmethod
    def name(self) -> str | None:
        """Return the name that the run was given, or None."""

    @abstractmethod
    def give_name(self, name: str) -> None:
        """Name the run; its own id takes the name away.

        Raises:
            UserError: the name is no name, or another run's name or id.
        """

    @abstractmethod
    def delete(self) -> None:
        """Delete the run with its files.

        Raises:
            UserError: another process uses it.
        """

    @abstractmethod
    def forget(self) -> None:
        """Forget what the run has done; its name stays.

        Raises:
            UserError: another process uses it.
        """


class FolderPlace(Place):
    """A run in a folder, with its tables in SQLite files."""

    def __init__(self, folder: Path) -> None:
        """Name the run's folder."""
        self.id = folder.name
        self.folder = folder
        self.shown = str(folder)

    def open_run(self, access: Access) -> Database:
        """Open the run's file."""
        if access == "join":
            raise StoreError(
                f"{self.folder} is an SQLite store, which only one process can write; several"
                " processes need --store"
                " postgresql://..."
            )
        return open_run_file(self.folder, write=access == "write")

    def open_attributions(self, *, write: bool, version: int) -> Database:
        """Open the file of the attributions."""
        return open_attribution_file(self.folder, write=write, version=version)

    def has_attributions(self) -> bool:
        """Say whether there is a file of attributions."""
        return (self.folder / ATTRIBUTION_FILE).is_file()

    def exists(self) -> bool:
        """Say whether there is a run."""
        return (self.folder / RUN_FILE).exists()

    def name(self) -> str | None:
        """Return the name that the run was given, or None."""
        return name_of(self.folder)

    def give_name(self, name: str) -> None:
        """Name the run."""
        give_name(self.folder, name)

    def delete(self) -> None:
        """Delete the run's folder."""
        with alone(self.folder):
            # First what makes it a run, so that a deletion that is cut off leaves no half of one.
            (self.folder / RUN_FILE).unlink()
            shutil.rmtree(self.folder)

    def forget(self) -> None:
        """Delete the run's folder but for its name."""
        if not self.folder.exists():
            return
        open_run_file(self.folder, write=True).close()
        name = self.name()
        with alone(self.folder):
            shutil.rmtree(self.folder)
        if name is not None:
            self.folder.mkdir(mode=0o700)
            give_name(self.folder, name)


def place_of(source: Place | Path) -> Place:
    """Return a place; a folder is one."""
    return FolderPlace(source) if isinstance(source, Path) else source
