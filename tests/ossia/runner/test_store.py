"""The store of a run, where its folder is not as it should be."""

import os
import resource
import shutil
import sqlite3
import tarfile
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from ossia.attribution.store import AttributionStore
from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.find import find_run
from ossia.runner.runs import export_run, list_runs
from ossia.runner.store import RunStore

NOBODY = 65534
CONFIG = RunConfig(
    suite="assistant",
    tasks="test",
    dataset_hash="0",
    task_ids=("a",),
    frameworks=(),
    models=("offline",),
)


def test_what_a_full_disk_let_nobody_begin_is_no_run(tmp_path):
    with RunStore(tmp_path / "runs" / "whole", write=True) as store:
        store.set_meta("config", CONFIG.model_dump_json())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(UserError, match="cannot be opened"):
            RunStore(tmp_path / "runs" / "later", write=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert find_run(tmp_path, None).name == "whole"
    assert [run.id for run in list_runs(tmp_path)] == ["whole"]


def test_a_torn_file_is_refused(tmp_path):
    with RunStore(tmp_path, write=True) as store:
        store.set_meta("config", "x" * 50_000)
    path = tmp_path / "run.sqlite"
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(UserError, match=r"cannot be read .*; nothing was changed"):
        RunStore(tmp_path)


@pytest.fixture
def read_only():
    """A run's folder that cannot be written, looked at by somebody who is not root."""
    folder = Path(tempfile.mkdtemp()) / "runs" / "one"
    with RunStore(folder, write=True) as store:
        store.set_meta("config", CONFIG.model_dump_json())
    for each in (folder.parents[1], folder.parent, folder):
        each.chmod(0o555)
    is_root = os.geteuid() == 0
    if is_root:
        os.setresuid(NOBODY, NOBODY, 0)
    yield folder
    if is_root:
        os.setresuid(0, 0, 0)
    for each in (folder.parents[1], folder.parent, folder):
        each.chmod(0o755)
    shutil.rmtree(folder.parents[1])


def test_a_run_is_read_listed_and_exported_from_a_folder_that_cannot_be_written(read_only):
    with RunStore(read_only) as store:
        assert store.config() == CONFIG
    (told,) = list_runs(read_only.parents[1])
    assert (told.config, told.problem) == (CONFIG, None)
    with tempfile.TemporaryDirectory() as out:
        export_run(read_only, Path(out) / "run.tar.gz")
        with tarfile.open(Path(out) / "run.tar.gz") as archive:
            assert archive.getnames() == ["one/run.sqlite"]
    with pytest.raises(UserError, match="one cannot be written, but attributions are stored in it"):
        AttributionStore(read_only)


@pytest.fixture
def cut_off():
    """A run's folder as `kill -9` leaves it, with what was stored last in its log alone."""
    above = Path(tempfile.mkdtemp())
    above.chmod(0o755)
    with RunStore(above / "runs" / "whole", write=True) as store:
        store.set_meta("config", CONFIG.model_dump_json())
        shutil.copytree(store.folder, above / "runs" / "one")
    shutil.rmtree(above / "runs" / "whole")
    folder = above / "runs" / "one"
    assert (folder / "run.sqlite-wal").stat().st_size > 0
    yield folder
    for each in (folder.parent, folder):
        each.chmod(0o755)
    shutil.rmtree(above)


@contextmanager
def only_read(folder):
    """Look at a folder that cannot be written as somebody who is not root."""
    for each in (folder.parent, folder):
        each.chmod(0o555)
    is_root = os.geteuid() == 0
    if is_root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)


def test_a_run_that_was_cut_off_is_read_where_it_cannot_be_written(cut_off):
    with only_read(cut_off):
        with RunStore(cut_off) as store:
            assert store.config() == CONFIG
        (told,) = list_runs(cut_off.parents[1])
        assert (told.config, told.problem) == (CONFIG, None)


def test_a_log_that_cannot_be_taken_in_is_told_of(cut_off):
    (cut_off / "run.sqlite-shm").unlink()
    with only_read(cut_off):
        with pytest.raises(UserError, match=r"cannot be written, and its run was cut off.* copy"):
            RunStore(cut_off)
        (told,) = list_runs(cut_off.parents[1])
        assert "its run was cut off" in told.problem
        with pytest.raises(UserError, match=r"its run was cut off"):
            export_run(cut_off, Path(tempfile.gettempdir()) / "never.tar.gz")


@pytest.mark.parametrize("closed", ["home", "home/runs", "home/runs/one"])
def test_runs_of_another_user_are_not_told_as_no_run(closed):
    above = Path(tempfile.mkdtemp())
    above.chmod(0o755)
    home, shut = above / "home", above / closed
    with RunStore(home / "runs" / "one", write=True):
        pass
    # Open up to the folder that is meant.
    for folder in (home, home / "runs"):
        folder.chmod(0o755)
    shut.chmod(0o000)
    is_root = os.geteuid() == 0
    if is_root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        with pytest.raises(UserError, match=r"runs(/one)? cannot be read: Permission denied$"):
            find_run(home, None)
        if shut.name == "one":
            assert [run.problem for run in list_runs(home)] == ["Permission denied"]
        else:
            with pytest.raises(UserError, match=r"runs cannot be read: Permission denied$"):
                list_runs(home)
    finally:
        if is_root:
            os.setresuid(0, 0, 0)
        shut.chmod(0o755)
        shutil.rmtree(above)


def test_a_folder_without_runs_holds_none(tmp_path):
    assert list_runs(tmp_path / "nowhere") == ()
    with pytest.raises(UserError, match="has no runs yet"):
        find_run(tmp_path / "nowhere", None)
    (tmp_path / "runs").write_text("mine")
    with pytest.raises(UserError, match=r"runs cannot be read: Not a directory$"):
        find_run(tmp_path, None)


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
    assert folder.parent.stat().st_mode & 0o777 == 0o700, "names tell of runs"
    # A lock that others can open, they can take, and keep the run from going on.
    assert (folder / "lock").stat().st_mode & 0o777 == 0o600


def test_a_folder_of_an_earlier_version_is_closed_to_others_when_it_is_opened(tmp_path):
    folder = tmp_path / "runs" / "old"
    folder.mkdir(parents=True)
    for each in (folder.parent, folder):
        each.chmod(0o755)
    RunStore(folder, write=True).close()
    assert [each.stat().st_mode & 0o777 for each in (folder.parent, folder)] == [0o700, 0o700]
