"""The folders of workers: what nobody holds is swept, what somebody holds stays."""

import os
import tempfile

import pytest

from ossia.worker.folder import PREFIX, WorkerFolder, sweep


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_machine_left_is_swept(temporary):
    left = temporary / f"{PREFIX}left"
    (left / "deep").mkdir(parents=True)
    (left / "deep" / "file").write_text("x")
    other = temporary / "of-somebody-else"
    other.mkdir()
    sweep()
    assert not left.exists()
    assert other.exists()


def test_a_folder_in_use_stays_until_it_is_removed():
    folder = WorkerFolder.make()
    sweep()
    assert folder.path.is_dir()
    folder.remove()
    assert not folder.path.exists()


def test_a_folder_stays_as_long_as_one_process_holds_it():
    folder = WorkerFolder.make()
    inherited = os.dup(folder.descriptor)
    os.close(folder.descriptor)
    sweep()
    assert folder.path.is_dir()
    os.close(inherited)
    sweep()
    assert not folder.path.exists()


def test_a_link_in_place_of_a_folder_is_left_alone(temporary):
    target = temporary / "target"
    target.mkdir()
    (temporary / f"{PREFIX}link").symlink_to(target)
    sweep()
    assert target.is_dir()
