"""`ossia adapter`, as a user starts it."""

import io
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from rich.console import Console

from ossia.cli import adapter, adapter_check
from ossia.errors import UserError

from ...adapters.support.index import skip_or_fail

pytestmark = pytest.mark.framework("control")


@pytest.fixture
def home(tmp_path):
    """A home with environments of its own: these tests make and remove some."""
    return tmp_path / "home"


@pytest.fixture
def environ(environ):
    """As for other commands, with the tester's way to an index."""
    ways = ("UV_", "SSL_CERT_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
    kept = {name: value for name, value in os.environ.items() if name.upper().startswith(ways)}
    return {**environ, **kept}


def test_adapters_by_name_and_all_of_them_exclude_each_other():
    with pytest.raises(UserError, match=r"--all installs every adapter: .* --all or control"):
        adapter.install_command(["control"], every=True)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A copy of the first test's new adapter and of its home, for the others."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The one folder of all tests here: environments know where their projects are."""
    return tmp_path_factory.mktemp("place")


@pytest.fixture
def tmp_path(place):
    """That folder, empty."""
    shutil.rmtree(place)
    place.mkdir()
    return place


@pytest.fixture
def made(ossia, home, tmp_path, kept):
    """A new adapter's folder, installed."""
    project = tmp_path / "mine"
    if any(kept.iterdir()):
        shutil.copytree(kept / "mine", project)
        shutil.copytree(kept / "home", home, symlinks=True)
        return project
    done = ossia("adapter", "new", "mine")
    assert done.returncode == 0, done.stderr
    if "requirements.lock could not be created" in done.stderr:
        skip_or_fail(done.stderr)
    installed = ossia("adapter", "install", "./mine")
    assert installed.returncode == 0, installed.stderr
    shutil.copytree(home, kept / "home", symlinks=True)
    shutil.copytree(project, kept / "mine")
    return project


def test_a_new_adapter_installs_checks_and_compares_at_once(ossia, environ, made):
    check = [sys.executable, "-m", "ossia", "adapter", "check", "./mine", "--seed", "tests"]
    with subprocess.Popen(
        check, cwd=made.parent, env=environ, stdout=subprocess.PIPE, text=True
    ) as checking:
        first = checking.stdout.readline()
        assert checking.poll() is None, "it is still at the next checks"
        shown = first + checking.stdout.read()
    lines = shown.splitlines()
    assert checking.returncode == 0, shown
    assert [line.split()[:2] for line in lines[:2]] == [["ok", "every-role"], ["ok", "framework"]]
    assert re.match(
        r"mine \(ossia-adapter-mine 0\.1\.0, source [0-9a-f]{16}\): 27 of 27 checks passed in ",
        lines[-1],
    )
    compared = ossia("compare", "-f", "./mine", "--limit", "4", "--json")
    assert compared.returncode == 0, compared.stderr
    (line,) = json.loads(compared.stdout)["frameworks"]
    assert (line["framework"], line["invalid"]) == ("mine", 0)
    assert line["success"]["of"] == 4
    assert line["calls"] > 4

    one = ("--only", "prompts", "--only", "every-role")
    report = json.loads(ossia("adapter", "check", "./mine", "--json", *one).stdout)
    assert [result["name"] for result in report["results"]] == ["every-role", "prompts"]
    refused = ossia("adapter", "check", "./mine", "--only", "luck")
    assert refused.returncode == 2
    assert "there is no check 'luck'; there are every-role, " in refused.stderr
    (made / "ossia_adapter_mine" / "adapter.py").write_text("ADAPTER = None\n")
    ossia("adapter", "install", "./mine")
    failing = ossia("adapter", "check", "./mine", "--seed", "tests")
    assert failing.returncode == 1
    assert failing.stdout.splitlines()[0].startswith("FAILED every-role")
    last = failing.stdout.splitlines()[-1]
    assert len(failing.stdout.splitlines()) == 2
    assert " 0 of 27 checks passed" in last
    assert last.endswith("; the other 26 were not made, since no worker starts")


def test_an_edit_of_an_editable_adapter_needs_no_new_environment(ossia, made, home):
    installed = ossia("adapter", "install", "--editable", "./mine")
    assert installed.returncode == 0, installed.stderr
    (environment,) = (home / "envs").glob("mine-*")
    source = made / "ossia_adapter_mine" / "adapter.py"
    text = source.read_text()
    assert text.count('"temperature": 0,') == 1
    source.write_text(text.replace('"temperature": 0,', '"temperature": 1,'))
    one = ("adapter", "check", "./mine", "--only", "parameters", "--trace")
    failing = ossia(*one)
    assert "temperature is 1" in failing.stdout
    assert ", editable): 0 of 1 checks passed" in failing.stdout
    source.write_text(text)
    assert ossia(*one).returncode == 0
    assert list((home / "envs").glob("mine-*")) == [environment]
    compared = ossia("compare", "-f", "./mine", "--limit", "2")
    assert "ossia-adapter-mine 0.1.0 (editable, source " in " ".join(compared.stdout.split())
    assert "installed, editable" in ossia("adapter", "list").stdout
    assert ossia("adapter", "install", "./mine").returncode == 0
    assert not environment.exists()


def test_a_framework_that_is_only_named_is_found_out(ossia, tmp_path):
    done = ossia("adapter", "new", "mine", "--distribution", "idna==3.10")
    assert done.returncode == 0, done.stderr
    if "requirements.lock could not be created" in done.stderr:
        skip_or_fail(done.stderr)
    assert ossia("adapter", "install", "./mine").returncode == 0
    # requests imports idna, so that it is loaded: the template must still not pass for it.
    shown = ossia("adapter", "check", "./mine", "--only", "framework")
    assert shown.stdout.startswith(("note", "FAILED"))


def test_no_word_is_cut_on_a_narrow_terminal():
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=80)
    words = [f"{'word' * (1 + n % 5)}-{n}" for n in range(60)]
    adapter_check._tell(console, "FAILED every-role  ", " ".join([*words, "[/red]", "x" * 90]))
    lines = out.getvalue().splitlines()
    assert " ".join(lines).split() == ["FAILED", "every-role", *words, "[/red]", "x" * 90]
    assert all(len(line) <= 80 or "x" * 90 in line for line in lines)


def test_a_new_adapter_is_typed_locked_and_listed(ossia, made, home, tmp_path):
    checked = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--config-file", made / "pyproject.toml"),
            *("--cache-dir", tmp_path / "cache", "--python-executable"),
            *(tmp_path / "home" / "envs").glob("mine-*/bin/python"),
            made / "ossia_adapter_mine",
        ],
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    lock = made / "requirements.lock"
    before = lock.read_text()
    lock.unlink()
    refused = ossia("adapter", "install", "./mine")
    assert refused.returncode == 2
    assert "ossia adapter lock" in refused.stderr
    again = ossia("adapter", "lock", "./mine")
    assert (again.returncode, again.stdout) == (0, "")
    assert lock.read_text() == before

    (line,) = [each for each in ossia("adapter", "list").stdout.splitlines() if "mine" in each]
    wanted = ["ossia-adapter-mine", "0.1.0", "installed", "-", str(made)]
    assert line.split()[1:6] == wanted, "nothing is said of its upkeep"
    (made / "ossia_adapter_mine" / "__init__.py").write_text("# changed\n")
    listed = ossia("adapter", "list").stdout
    rows = {line.split()[0]: line.split() for line in listed.splitlines()}
    assert rows["autogen"][1:5] == ["autogen-agentchat", "0.7.5", "not", "installed"]
    (folder,) = (home / "envs").glob("mine-*")
    assert f"stale: {folder} (removed by `ossia adapter install {made}`)" in listed
    ossia("adapter", "install", "./mine")
    assert not folder.exists()
    assert "stale" not in ossia("adapter", "list").stdout


def test_a_broken_plug_in_is_listed_and_blocks_nothing(ossia, tmp_path):
    site = tmp_path / "site"
    info = site / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ossia.adapters]\nbroken = nowhere\n")
    listed = ossia("adapter", "list", PYTHONPATH=str(site))
    assert listed.returncode == 0
    (line,) = [line for line in listed.stdout.splitlines() if line.startswith("broken")]
    assert "the plug-in names no package: nowhere" in line
    assert "control" in listed.stdout
    refused = ossia("adapter", "install", "broken", PYTHONPATH=str(site))
    assert refused.returncode == 2
    assert "the adapter broken cannot be used" in refused.stderr
    other = ossia("compare", "-f", "control", PYTHONPATH=str(site))
    assert "run `ossia adapter install control` first" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("Mine",), "is not a valid adapter name"),
        (("control",), "the adapter control already exists"),
        (("mine", "--distribution", "x>=3"), "is not a distribution"),
        (("mine", "--distribution", "idna"), "idna names no version"),
        (("mine", "--out", "taken"), "already exists"),
        (("mine", "--out", "no/such"), "there is no folder"),
    ],
)
def test_what_cannot_be_made_is_one_line_and_leaves_nothing(ossia, tmp_path, arguments, sentence):
    (tmp_path / "taken").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = ossia("adapter", "new", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before
