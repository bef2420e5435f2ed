"""A run whose episodes a PostgreSQL database keeps."""

import os

import pytest

import ossia
from ossia.adapters import find_adapter, install, ossia_home
from ossia.errors import UserError
from ossia.storage.database import StoreError


@pytest.fixture
def home(tmp_path):
    """A home of its own for runs, with the installed environments."""
    environments = ossia_home(os.environ)
    install(find_adapter("control", environments))
    (tmp_path / "envs").symlink_to(environments / "envs")
    return tmp_path


def test_a_run_goes_on_after_its_server_was_restarted(postgres, address, home, monkeypatch):
    monkeypatch.setenv("OSSIA_STORE", address)
    told = []

    def restart(finished):
        told.append(finished.trace.episode.id)
        postgres.restart()

    with pytest.raises(StoreError, match="run the same command again to resume") as lost:
        ossia.compare(["control"], limit=4, jobs=1, observe=restart, home=home)
    assert len(str(lost.value).splitlines()) == 1
    assert len(told) == 1
    again = ossia.compare(
        ["control"], limit=4, observe=lambda done: told.append(done.trace.episode.id), home=home
    )
    assert sorted(told) == sorted(row.episode for row in again.episodes)
    assert len(set(told)) == len(told) == 4
    assert ossia.load(home=home).id == again.id
    assert not (home / "runs").exists()


def test_the_store_of_the_environment_is_read_as_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setenv("OSSIA_STORE", "mysql://somewhere")
    for read in (ossia.load, lambda **given: ossia.compare(["control"], **given)):
        with pytest.raises(UserError, match="store takes postgresql://"):
            read(home=tmp_path)
    with pytest.raises(UserError, match="runs has no runs yet"):
        ossia.load(home=tmp_path, store="")
