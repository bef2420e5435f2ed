"""Runs moved between stores, by an archive: the same tables afterwards."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from ossia.errors import UserError
from ossia.runner.catalog import Catalog, FolderCatalog
from ossia.runner.runs import export_run
from ossia.runner.store import RunStore
from ossia.storage.database import ATTRIBUTION_TABLES, RUN_TABLES, Database, Table
from ossia.storage.place import FolderPlace, Place
from ossia_evaluation.attribution import ATTRIBUTION_VERSION

_LINES: Final = 64
"""So many rows are held at once; a trace takes some 10 kB."""


def export_place(place: Place, out: Path) -> None:
    """Write a run of whatever store as one archive, as `export_run` does of a folder.

    Raises:
        UserError: the run cannot be read.
    """
    if isinstance(place, FolderPlace):
        export_run(place.folder, out)
        return
    if "/" in place.id or "\0" in place.id or place.id in (".", ".."):
        raise UserError(f"the run id {place.id!r} cannot be the name of a folder")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "runs" / place.id
        copy = FolderPlace(folder)
        _copy(place, copy)
        _copy_files(place.folder, folder)
        name = place.name()
        if name is not None:
            copy.give_name(name)
        export_run(folder, out)


def import_run(archive: Path, catalog: Catalog) -> Place:
    """Put the run of an archive into a store; all of it or nothing.

    Raises:
        UserError: the archive holds no run of this version, or the store has it already.
    """
    with _unpacked(archive, catalog) as folder:
        source, target = FolderPlace(folder), catalog.place(folder.name)
        with RunStore(source) as store:
            config = store.config()
        if config.run_id != folder.name:
            raise UserError(f"{archive} is damaged: it holds {config.run_id} as {folder.name}")
        if target.exists():
            raise UserError(f"{catalog.shown} already has the run {target.id}; delete it first")
        name = source.name()
        if name in catalog.names():
            raise UserError(f"{catalog.shown} has another run called '{name}'")
        if isinstance(target, FolderPlace):
            folder.replace(target.folder)
            return target
        _copy(source, target)
        _copy_files(folder, target.folder)
        if name is not None:
            target.give_name(name)
    return target


@contextmanager
def _unpacked(archive: Path, catalog: Catalog) -> Iterator[Path]:
    """Give the folder of an archive's run, readable by its owner alone, for a while."""
    # Beside the runs of a home, so that it need only be renamed.
    beside = Path(catalog.shown) if isinstance(catalog, FolderCatalog) else None
    if beside is not None:
        beside.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=beside) as scratch:
        try:
            with tarfile.open(archive, "r:gz") as packed:
                for member in packed.getmembers():
                    if not (member.isreg() or member.isdir()):
                        raise UserError(
                            f"{archive} contains something other than files: {member.name!r}"
                        )
                packed.extractall(scratch, filter="data")
        except (tarfile.TarError, EOFError, OSError) as error:
            if isinstance(error, OSError) and error.filename == str(archive):
                raise
            raise UserError(f"{archive} is not an archive of a run: {error}") from None
        found = list(Path(scratch).iterdir())
        if len(found) != 1 or not (found[0] / "run.sqlite").is_file():
            raise UserError(
                f"{archive} is not an archive of a run, as `ossia runs export` writes it"
            )
        for path in (found[0], *found[0].rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
        yield found[0]


def _copy(source: Place, target: Place) -> None:
    """Copy the tables of a run, to where there is none."""
    new = target.open_run("write")
    with ExitStack() as half:
        half.callback(target.delete)
        half.callback(new.close)
        _fill(source.open_run("read"), new, RUN_TABLES)
        half.pop_all()
    new.close()
    if source.has_attributions():
        old = source.open_attributions(write=False, version=ATTRIBUTION_VERSION)
        kept = target.open_attributions(write=True, version=ATTRIBUTION_VERSION)
        try:
            _fill(old, kept, ATTRIBUTION_TABLES)
        finally:
            kept.close()


def _fill(source: Database, target: Database, tables: tuple[Table, ...]) -> None:
    """Copy tables in one transaction, and close the source."""
    try:
        with target.together():
            for table in tables:
                if table.since > source.version:
                    continue
                marks = ", ".join("?" * table.width)
                rows, statement = source.all_of(table), f"INSERT INTO {table.name} VALUES ({marks})"
                while lines := list(islice(rows, _LINES)):
                    target.change_many(statement, lines)
    finally:
        source.close()


def _copy_files(source: Path, target: Path) -> None:
    """Copy the files that a run has beside its tables, but not those of a process."""
    skipped = shutil.ignore_patterns("*.sqlite", "*-wal", "*-shm", "*.part", "lock", "name")
    if source.is_dir():
        shutil.copytree(source, target, ignore=skipped, dirs_exist_ok=True)
