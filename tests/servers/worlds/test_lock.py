"""A database is one server's, and no other program's is taken over."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from ossia_servers.worlds import DatabaseInUse, WorldStore, held_alone

HOLD = """
import sys, time
from pathlib import Path
from ossia_servers.worlds import held_alone
with held_alone(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_one_holds_a_database_until_it_ends(tmp_path):
    path = tmp_path / "w.sqlite"
    (tmp_path / "link.sqlite").symlink_to(path)
    with held_alone(path):
        for name in (path, tmp_path / "link.sqlite", tmp_path / "." / "w.sqlite"):
            with pytest.raises(DatabaseInUse, match="another server uses"), held_alone(name):
                pass
        with held_alone(tmp_path / "other.sqlite"):
            pass
    with held_alone(path):
        pass
    assert not path.exists()


def test_a_hold_ends_with_its_process_that_is_killed(tmp_path):
    path = tmp_path / "w.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline()
        with pytest.raises(DatabaseInUse), held_alone(path):
            pass
        holder.kill()
        holder.wait()
    with held_alone(path):
        pass


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_another_programs_database_is_left_alone(tmp_path, version):
    path = tmp_path / "w.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE books (title TEXT)")
        db.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"database of worlds|another version"):
        WorldStore([], path)
    assert path.read_bytes() == before
