"""`ossia runs`: lists, names, exports and deletes."""

import json
import re
import shutil
import sqlite3
import tarfile
from contextlib import closing

import pytest

from ossia.cli.runs import export_command
from ossia.errors import UserError
from ossia.runner.store import RunStore

from .conftest import done_by, environment_of

pytestmark = pytest.mark.framework("control")


def test_an_export_replaces_no_file_unasked(home, tmp_path, monkeypatch):
    monkeypatch.setenv("OSSIA_HOME", str(home))
    folder = home / "runs" / "one"
    folder.mkdir(parents=True)
    sqlite3.connect(folder / "run.sqlite").close()
    (tmp_path / "run.tar.gz").write_bytes(b"mine")
    with pytest.raises(UserError, match=r"run\.tar\.gz already exists; --force"):
        export_command("one", tmp_path / "run.tar.gz")
    assert (tmp_path / "run.tar.gz").read_bytes() == b"mine"
    export_command("one", tmp_path / "run.tar.gz", force=True)
    assert tarfile.is_tarfile(tmp_path / "run.tar.gz")
    assert (tmp_path / "run.tar.gz").stat().st_mode & 0o777 == 0o600, "prompts are in it"


@pytest.fixture(scope="module")
def played(command, environments, tmp_path_factory):
    """The folder of runs with a finished one."""
    home = tmp_path_factory.mktemp("played")
    (home / "envs").symlink_to(environments)
    done = done_by(command, ("run", "control", "--limit", "3"), environment_of(home), home)
    assert done.returncode == 0, done.stderr
    return home / "runs"


@pytest.fixture
def run_id(home, played):
    """A run of its own for each test: a copy."""
    shutil.copytree(played, home / "runs")
    (folder,) = (home / "runs").iterdir()
    return folder.name


@pytest.mark.parametrize("columns", ["80", "160"])
def test_a_folder_with_any_name_breaks_no_line(ossia, home, columns):
    odd = home / "runs" / "a\n\tb\x1b[31m\r\nc\u202e"
    odd.mkdir(parents=True)
    shown = r"a\u000a\u0009b\u001b[31m\u000d\u000ac\u202e"
    with closing(sqlite3.connect(odd / "run.sqlite")) as db:
        db.execute("CREATE TABLE scores (episode, verdict)")
        db.execute("INSERT INTO scores VALUES ('e', 'b\na\x1bd')")
        db.execute("CREATE TABLE meta (key, value)")
        db.commit()
    listed = ossia("runs", COLUMNS=columns).stdout
    assert [line for line in listed.splitlines() if shown in line]
    assert len(listed.splitlines()) == (2 if columns == "80" else 5)
    assert shown in refused(ossia("show", "--run", "nothing", "x"))
    assert shown in refused(ossia("runs", "delete", odd.name))
    deleted = ossia("runs", "delete", odd.name, "--yes")
    assert deleted.stdout == f"deleted {shown}\n"


def refused(done):
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_without_a_run_the_list_says_how_to_start_one(ossia):
    assert ossia("runs").stdout == "no runs yet; start one with: ossia compare\n"
    assert json.loads(ossia("runs", "--json").stdout) == []


def test_a_run_is_listed_named_and_found_by_its_name(ossia, home, run_id):
    (told,) = json.loads(ossia("runs", "--json").stdout)
    assert told["id"] == run_id
    assert (told["suite"], told["frameworks"], told["models"]) == (
        "assistant",
        ["control"],
        ["offline"],
    )
    assert (told["done"], told["planned"], told["invalid"]) == (3, 3, 0)
    assert told["bytes"] > 0
    assert told["success"] == 1.0
    listed = ossia("runs").stdout
    assert "3/3" in listed
    assert re.search(r"[1-9]\d*\.\d kB", listed)

    assert ossia("runs", "name", run_id, "first").returncode == 0
    assert "first" in ossia("runs").stdout
    assert ossia("report", "fir").returncode == 0
    again = ossia("run", "control", "--limit", "3")
    assert again.returncode == 0, again.stderr
    assert [path.name for path in (home / "runs").iterdir()] == [run_id], "still the same run"

    assert ossia("run", "control", "--limit", "3", "--fresh").returncode == 0
    assert {path.stat().st_mode & 0o777 for path in (home / "runs").iterdir()} == {0o700}
    assert json.loads(ossia("runs", "--json").stdout)[0]["name"] == "first"
    assert ossia("runs", "name", "first", run_id).returncode == 0
    assert json.loads(ossia("runs", "--json").stdout)[0]["name"] is None


def test_names_that_are_none_or_taken_are_refused(ossia, run_id):
    for name in ("", "../up", "a b", "x" * 65, "-a", "\x1b[31m"):
        assert refused(ossia("runs", "name", run_id, "--", name))
    assert ossia("run", "control", "--limit", "2").returncode == 0
    assert ossia("runs", "name", run_id, "first").returncode == 0
    other = next(
        run["id"] for run in json.loads(ossia("runs", "--json").stdout) if run["id"] != run_id
    )
    assert "another run is called 'first'" in refused(ossia("runs", "name", other, "first"))
    assert "is the id of another run" in refused(ossia("runs", "name", other, run_id))
    assert "no run is called 'nothing'" in refused(ossia("runs", "delete", "nothing", "--yes"))


def test_an_exported_run_is_a_run_elsewhere(ossia, home, run_id, tmp_path):
    archive = tmp_path / "run.tar.gz"
    done = ossia("runs", "export", run_id, archive)
    assert done.returncode == 0, done.stderr
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "runs").mkdir(parents=True)
    with tarfile.open(archive) as opened:
        opened.extractall(elsewhere / "runs", filter="data")
    with (
        RunStore(home / "runs" / run_id) as here,
        RunStore(elsewhere / "runs" / run_id) as there,
    ):
        assert there.config() == here.config()
        assert list(there.traces()) == list(here.traces())
    assert refused(ossia("runs", "export", run_id, tmp_path / "no" / "run.tar.gz"))
    assert refused(ossia("runs", "export", run_id, tmp_path))


def test_a_run_is_deleted_only_when_nobody_uses_it(ossia, home, run_id):
    folder = home / "runs" / run_id
    assert "--yes" in refused(ossia("runs", "delete", run_id))
    for write in (False, True):
        with RunStore(folder, write=write):
            assert "another process uses" in refused(ossia("runs", "delete", run_id, "--yes"))
            assert folder.is_dir()
    with RunStore(folder):
        assert "another process uses" in refused(ossia("run", "control", "--limit=3", "--fresh"))
    assert ossia("runs", "delete", run_id, "--yes").returncode == 0
    assert not folder.exists()


@pytest.mark.parametrize(("answer", "kept"), [("n", True), ("", True), ("y", False)])
def test_on_a_terminal_a_deletion_is_asked_for(home, answered, run_id, answer, kept):
    done = answered(answer, "runs", "delete", run_id)
    assert done.returncode == 0, done.stderr
    assert "Delete" in done.stdout + done.stderr
    assert (home / "runs" / run_id).exists() is kept


def test_a_damaged_run_is_listed_and_can_be_deleted(ossia, home, run_id):
    folder = home / "runs" / run_id
    broken = folder.with_name("broken")
    broken.mkdir()
    (broken / "run.sqlite").write_bytes(b"no database" * 99)
    empty = folder.with_name("empty")
    empty.mkdir()
    sqlite3.connect(empty / "run.sqlite").close()
    shutil.copytree(folder, folder.with_name("later"))
    with sqlite3.connect(folder.with_name("later") / "run.sqlite") as database:
        database.execute("PRAGMA user_version = 99")
    told = {run["id"]: run for run in json.loads(ossia("runs", "--json").stdout)}
    assert set(told) == {"broken", "empty", "later", run_id}
    assert told["later"]["problem"] == "it was written by another version of Ossia"
    assert "not a database" in told["broken"]["problem"]
    done = ossia("runs")
    assert done.returncode == 0
    assert "unreadable" in done.stdout
    assert ossia("runs", "delete", "broken", "--yes").returncode == 0
    assert not broken.exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_runs_frameworks_and_suites(ossia, home, run_id, shell):
    shutil.copytree(home / "runs" / run_id, home / "runs" / "assi\x1b[31m")

    def completed(*words):
        line = " ".join(("ossia", *words))
        variables = {
            "_OSSIA_COMPLETE": f"complete_{shell}",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words)),
            "_TYPER_COMPLETE_ARGS": line,
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }
        done = ossia(**variables)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "report" in completed("rep")
    assert run_id in completed("report", "assi")
    assert "\x1b" not in completed("report", "assi"), "it would steer the terminal"
    assert run_id in completed("show", "--run", "assi")
    assert "assistant-compound" in completed("compare", "--suite", "assistant-")
    assert "control" in completed("compare", "-f", "con")
    assert "control" in completed("run", "con")
    assert "quick,agentchaos" in completed("compare", "--stress", "quick,agent")
