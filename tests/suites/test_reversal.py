"""A suite of another distribution: 100 lines, and no file of the product knows of it."""

import json
import os
import subprocess
import sys
import tomllib

import pytest

from ossia.adapters import find_adapter, find_adapters, install, ossia_home

from .conftest import ENTRY_POINTS, HERE

pytestmark = [pytest.mark.framework, pytest.mark.slow]


@pytest.fixture(scope="module")
def ossia(distribution, tmp_path_factory):
    """Run a command to its end, with the suite installed."""
    environments = ossia_home(os.environ)
    for info in find_adapters(environments):
        install(find_adapter(info.name, environments))
    folder = tmp_path_factory.mktemp("reversal")
    (folder / "envs").symlink_to(environments / "envs")
    paths = (str(distribution), *filter(None, [os.environ.get("PYTHONPATH")]))
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environ = {**kept, "OSSIA_HOME": str(folder), "PYTHONPATH": os.pathsep.join(paths)}

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "ossia", *arguments],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            timeout=170,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_it_is_as_small_as_the_docs_say():
    lines = (HERE / "reversal" / "reversal_suite.py").read_text().splitlines()
    assert len(lines) <= 110
    entry_points = tomllib.loads((HERE / "reversal" / "pyproject.toml").read_text())
    ((group, names),) = entry_points["project"]["entry-points"].items()
    ((name, value),) = names.items()
    assert f"[{group}]\n{name} = {value}\n" == ENTRY_POINTS


def test_it_runs_in_every_framework_and_is_compared(ossia):
    code, out, err = ossia("compare", "--suite", "reversal", "--model", "gold", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["planned"] == found["finished"] == 20
    assert {line["framework"] for line in found["frameworks"]} == {
        *("agentlite", "autogen", "camel", "control", "langgraph")
    }
    for line in found["frameworks"]:
        assert (line["success"]["count"], line["invalid"]) == (4, 0), line["framework"]


def test_its_failures_are_told_by_its_own_words(ossia):
    code, out, err = ossia(
        *("compare", "--suite", "reversal", "--model", "sloppy", "-f", "control", "--json")
    )
    assert code == 0, err
    (line,) = json.loads(out)["frameworks"]
    assert line["success"]["count"] == 0
    code, out, _ = ossia("show", "control.drum.1")
    assert code == 0
    assert "verdict: failure: the word is spelt otherwise" in out
    assert "speller" in out


def test_what_it_does_not_bring_is_told_in_one_line(ossia):
    code, out, err = ossia("attribute")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "says nothing of what its roles owe" in err


def test_its_tasks_are_shown(ossia):
    code, out, err = ossia("dataset", "list", "--suite", "reversal")
    assert code == 0, err
    assert "reversal/test: 4 tasks" in out
    code, out, _ = ossia("dataset", "show", "flute", "--suite", "reversal")
    assert json.loads(out)["word"] == "flute"
