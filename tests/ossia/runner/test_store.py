"""The store of a run, where its folder is not as it should be."""

import os
import sqlite3
from contextlib import closing

import pytest

from ossia.errors import UserError
from ossia.runner.store import RunStore


def test_a_torn_file_is_refused(tmp_path):
    with RunStore(tmp_path, write=True) as store:
        store.set_meta("config", "x" * 50_000)
    path = tmp_path / "run.sqlite"
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(UserError, match=r"cannot be read .*; nothing was changed"):
        RunStore(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into every folder")
def test_a_run_is_read_from_a_folder_that_cannot_be_written(tmp_path):
    with RunStore(tmp_path, write=True) as store:
        store.set_meta("config", "kept")
    tmp_path.chmod(0o555)
    try:
        with RunStore(tmp_path) as store:
            assert store.meta("config") == "kept"
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("write", [True, False])
def test_tables_without_a_version_are_not_adopted(tmp_path, write):
    path = tmp_path / "run.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        database.commit()
    before = path.read_bytes()
    with pytest.raises(UserError, match="has tables but no version"):
        RunStore(tmp_path, write=write)
    assert path.read_bytes() == before


def test_a_new_run_is_its_owners_alone(tmp_path):
    folder = tmp_path / "runs" / "one"
    with RunStore(folder, write=True) as store:
        store.set_meta("config", "kept")
    assert folder.stat().st_mode & 0o777 == 0o700
    # A lock that others can open, they can take, and keep the run from going on.
    assert (folder / "lock").stat().st_mode & 0o777 == 0o600
