"""The file of the attributions is one, or new, or refused."""

import sqlite3
from contextlib import closing

import pytest

from ossia.attribution.store import AttributionStore
from ossia.errors import UserError
from ossia.storage.sqlite import ATTRIBUTION_FILE


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("version", [0, 1, 99])
def test_another_programs_tables_are_left_alone(tmp_path, version, write):
    path = tmp_path / ATTRIBUTION_FILE
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE sessions (mine TEXT)")
        database.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(UserError, match="tables of another program") as refused:
        AttributionStore(tmp_path, write=write)
    assert len(str(refused.value).splitlines()) == 1
    assert path.read_bytes() == before


def test_an_empty_file_becomes_one(tmp_path):
    (tmp_path / ATTRIBUTION_FILE).touch()
    with AttributionStore(tmp_path) as store:
        assert list(store.all()) == []
    with AttributionStore(tmp_path, write=False) as store:
        assert list(store.all()) == []
