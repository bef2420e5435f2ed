"""A damaged record costs itself: every command goes on without it, and none says to delete."""

import sqlite3
import zlib
from contextlib import closing

import pytest

pytestmark = pytest.mark.framework("control")

DAMAGES = {
    "trace": ("UPDATE episodes SET trace = ? WHERE id = ?", zlib.compress(b"{}")),
    "score": ("UPDATE scores SET score = ? WHERE episode = ?", "x"),
    "verdict": ("UPDATE scores SET verdict = ? WHERE episode = ?", "x"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_one_damaged_record_blocks_no_command(ossia, home, kind):
    assert ossia("run", "control", "--limit=3").returncode == 0
    (path,) = home.glob("runs/*/run.sqlite")
    statement, value = DAMAGES[kind]
    with closing(sqlite3.connect(path)) as database:
        (episode,) = database.execute("SELECT MIN(id) FROM episodes").fetchone()
        database.execute(statement, (value, episode))
        database.commit()
    for words in (("report",), ("runs",), ("export", "who-and-when"), ("resume",), ("rescore",)):
        done = ossia(*words)
        assert done.returncode == 0, (words, done.stderr)
        assert "remove" not in done.stderr, words
