"""The store of a run, where its folder is not as it should be."""

import os

import pytest

from ossia.errors import UserError
from ossia.runner.store import RunStore


def test_a_torn_file_is_refused(tmp_path):
    with RunStore(tmp_path, write=True) as store:
        store.set_meta("config", "x" * 50_000)
    path = tmp_path / "run.sqlite"
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(UserError, match=r"cannot be read .*; remove"):
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
