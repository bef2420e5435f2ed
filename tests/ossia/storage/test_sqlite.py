"""What is said of a run's file that cannot be opened."""

import shutil
import sqlite3
from collections import namedtuple

import pytest

from ossia.errors import UserError
from ossia.storage.sqlite import open_run_file

Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(("free", "said"), [(0, "disk is full"), (1 << 30, "disk I/O error")])
def test_of_a_full_disk_the_way_out_is_told(tmp_path, monkeypatch, free, said):
    open_run_file(tmp_path, write=True).close()

    def fail(*given, **options):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("ossia.storage.sqlite._prepare", fail)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1 << 30, 0, free))
    with pytest.raises(UserError, match=said) as caught:
        open_run_file(tmp_path, write=False)
    assert ("free some space" in str(caught.value)) == (free == 0)
