"""A suite of another distribution: 100 lines, and no file of the product knows of it."""

import json
import os
import re
import tomllib

import pytest

from ossia.adapters import find_adapter, install, ossia_home

from ..ossia.cli.conftest import begin, command, done_by  # noqa: F401
from .conftest import ENTRY_POINTS, HERE

pytestmark = [pytest.mark.framework, pytest.mark.slow]

FRAMEWORKS = ("agent-framework", "control")


def with_installed(command, home, *folders):  # noqa: F811
    """Run commands with what these folders have installed; each gives code, output and errors."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    paths = (*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")]))
    environ = {**kept, "OSSIA_HOME": str(home), "PYTHONPATH": os.pathsep.join(paths)}

    def run(*arguments, **variables):
        done = done_by(command, arguments, environ | variables, home)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture(scope="module")
def ossia(command, distribution, tmp_path_factory):  # noqa: F811
    """Run a command to its end, with the suite installed."""
    environments = ossia_home(os.environ)
    for name in FRAMEWORKS:
        install(find_adapter(name, environments))
    folder = tmp_path_factory.mktemp("reversal")
    (folder / "envs").symlink_to(environments / "envs")
    return with_installed(command, folder, distribution)


@pytest.fixture
def with_broken(command, distribution, tmp_path):  # noqa: F811
    """Run commands with a second distribution installed, whose suites are these."""

    def ready(suites, name="broken"):
        info = tmp_path / f"{name}-0.1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
        (info / "entry_points.txt").write_text(f"[ossia.suites]\n{suites}")
        (tmp_path / "home").mkdir()
        return with_installed(command, tmp_path / "home", tmp_path, distribution)

    return ready


def test_it_is_as_small_as_the_docs_say():
    lines = (HERE / "reversal" / "reversal_suite" / "__init__.py").read_text().splitlines()
    assert len(lines) <= 110
    entry_points = tomllib.loads((HERE / "reversal" / "pyproject.toml").read_text())
    ((group, names),) = entry_points["project"]["entry-points"].items()
    ((name, value),) = names.items()
    assert f"[{group}]\n{name} = {value}\n" == ENTRY_POINTS


def test_it_runs_in_frameworks_and_is_compared(ossia):
    play = ("compare", "--suite", "reversal", "--model", "gold", "--json")
    code, out, err = ossia(*play, "-f", ",".join(FRAMEWORKS))
    assert code == 0, err
    found = json.loads(out)
    assert found["planned"] == found["finished"] == 4 * len(FRAMEWORKS)
    assert {line["framework"] for line in found["frameworks"]} == {*FRAMEWORKS}
    for line in found["frameworks"]:
        assert (line["success"]["count"], line["invalid"]) == (4, 0), line["framework"]
        assert 0 < line["metrics"]["brevity"]["mean"] < 1, "a metric of the suite's own"


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
    assert "brevity: 0." in out


def test_its_command_is_one_of_the_group(ossia):
    assert re.search(r"\n  reversal +Count the words of a run", ossia("score", "--help")[1])
    _, out, _ = ossia("runs", "list", "--json")
    run = next(each["id"] for each in json.loads(out) if each["models"] == ["sloppy"])
    told = "4 letters: 0 of 1 spelt backwards\n5 letters: 0 of 3 spelt backwards\n"
    assert ossia("score", "reversal", run) == (0, told, "")
    assert ossia("score", "reversal", "no-such-run")[0] == 2


def test_what_it_does_not_bring_is_told_in_one_line(ossia):
    code, out, err = ossia("attribute")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "does not define what its roles must do" in err
    code, out, err = ossia("dataset", "check", "--suite", "reversal")
    assert (code, out) == (2, "")
    assert err == "ossia: the suite 'reversal' has no check that proves its tasks\n"


def test_its_tasks_are_shown(ossia):
    code, out, err = ossia("dataset", "list", "--suite", "reversal")
    assert code == 0, err
    assert "reversal/test: 4 tasks" in out
    code, out, _ = ossia("dataset", "show", "flute", "--suite", "reversal")
    assert json.loads(out)["word"] == "flute"


BROKEN_SUITES = {
    "lost": ("no_such_module:suite", "cannot be imported (no_such_module:suite): No module named"),
    "nothing": ("reversal_suite:nothing", "cannot be imported (reversal_suite:nothing): module"),
    "members": ("reversal_suite:MEMBERS", "(reversal_suite:MEMBERS) does not provide this suite"),
}
"""The entry point of each, and what is told of it."""


def test_broken_suites_cost_only_themselves(with_broken):
    entries = {name: value for name, (value, _) in BROKEN_SUITES.items()}
    entries["assistant"] = "no_such_module:suite"
    run = with_broken("".join(f"{name} = {value}\n" for name, value in entries.items()))
    code, every, err = run("dataset", "list")
    assert code == 0, err
    assert "workbench" in every and "reversal" in every
    for name, (_, told) in BROKEN_SUITES.items():
        code, _, err = run("compare", "--suite", name)
        assert told in err and told in every
        assert (code, err.count("\n")) == (2, 1)
    assert run("dataset", "list", "--suite", "assistant")[0] == 0, "it is Ossia's own"


BROKEN_COMMANDS = """
from reversal_suite import suite as reversal
from dataclasses import replace
from ossia.suite import Importer

def read(path, out, *, notes):
    print(f"read {path} for {out}, notes: {notes}")

def suite(name):
    formats = {
        "words": Importer("a list of words", "broken_commands:read"),
        "auto-slurp": Importer("something else", "broken_commands:read"),
        "nothing": Importer("a lost thing", "no_such_module:read"),
    }
    return replace(reversal(name), importers=formats, commands={
        "score gone": "no_such_module:command",
        "score crash": "broken_commands:crash",
        "score odd": "broken_commands:odd",
        "score raising": "broken_commands:raising",
        "score reversal": "broken_commands:suite",
        "score who-and-when": "broken_commands:suite",
        "dataset list": "broken_commands:suite",
        "score workbench-log": "broken_commands:suite",
    })

def raising() -> None:
    '''Raises.'''
    raise RuntimeError("broken in" + chr(10) + "two" + chr(27))

def odd(given: int | str) -> None:
    '''Cannot be made a command.'''

def __getattr__(name):
    raise KeyError(name)
"""


def test_broken_commands_cost_only_themselves(with_broken, tmp_path):
    (tmp_path / "broken_commands.py").write_text(BROKEN_COMMANDS)
    run = with_broken("wobbly = broken_commands:suite\nlost = broken_commands:MEMBERS\n")
    code, out, _ = run("score", "--help")
    page = " ".join(out.split())
    assert code == 0
    assert "workbench-log Replay recorded actions" in page
    assert "reversal Count the words" in page
    assert "who-and-when Score predictions" in page
    assert (
        "the suite 'wobbly' of broken 0.1 cannot provide the command 'score reversal':"
        " the suite 'reversal' of ossia-suite-reversal 0.1 already does"
    ) in page
    assert "the suite 'wobbly' of broken 0.1 cannot provide the command 'score workbench-" in page
    assert "no suite can provide the command 'score who-and-when': it is built into Ossia" in page
    assert "the suite 'lost' cannot be imported (broken_commands:MEMBERS): KeyError(" in page
    for name, why in (("gone", "No module named"), ("crash", "KeyError"), ("odd", "Union types")):
        code, out, err = run("score", name, "some", "--thing")
        assert (code, out) == (2, ""), err
        assert err.startswith(f"ossia: the command 'score {name}' cannot be imported ("), err
        assert why in err and err.count("\n") == 1
    code, out, err = run("score", "raising")
    told = "the command 'score raising' of the suite 'wobbly' failed: RuntimeError: broken in"
    assert (code, out) == (2, "")
    assert err.startswith(f"ossia: {told} two\\u001b (broken_commands.py:") and err.count("\n") == 1
    traced = run("score", "raising", OSSIA_LOG="debug")[2]
    assert "Traceback" in traced and "two\\u001b" in traced and "\x1b" not in traced
    assert run("score", "raising", OSSIA_LOG="loud")[2].startswith(
        "ossia: OSSIA_LOG is not a level"
    )
    claims = (
        "the suite 'wobbly' of broken 0.1 cannot provide the command 'score reversal': the suite"
    )
    assert run("score", "reversal", "no-run")[2].startswith(claims)
    code, _, err = run("dataset", "import", "auto-slurp", "here")
    assert "the suite 'wobbly' of broken 0.1 cannot provide the importer 'auto-slurp':" in err
    code, out, _ = run("dataset", "list")
    assert code == 0
    assert "  words         a list of words" in out
    assert "  auto-slurp    a CSV file of Auto-SLURP" in out
    assert run("dataset", "import", "words", "here")[:2] == (
        0,
        "read here for None, notes: False\n",
    )
    code, _, err = run("dataset", "import", "nothing", "here")
    assert code == 2
    assert err.startswith("ossia: the importer 'nothing' cannot be imported (no_such_module:read)")
    assert "Did you mean 'reversal'?" in run("score", "reversl")[2]


@pytest.mark.parametrize(
    ("name", "first"), [("another", "another 0.1"), ("zebra", "ossia-suite-reversal 0.1")]
)
def test_of_two_distributions_with_one_suite_the_first_by_name_is_used(
    with_broken, tmp_path, name, first
):
    suites = "reversal = broken_commands:suite\nassistant = broken_commands:suite\n"
    (tmp_path / "broken_commands.py").write_text(BROKEN_COMMANDS)
    run = with_broken(suites, name)
    both = " and ".join(sorted((f"{name} 0.1", "ossia-suite-reversal 0.1")))
    code, _, err = run("dataset", "show", "flute", "--suite", "reversal")
    assert (code, err) == (0, f"{both} provide a suite 'reversal': the one from {first} is used\n")
    code, out, _ = run("dataset", "import", "words", "here")
    assert (code, out[:9]) == ((0, "read here") if first == "another 0.1" else (2, ""))
    err = run("dataset", "show", "alarm-001")[2]
    assert re.fullmatch(
        rf"ossia \S+ and {name} 0.1 provide a suite 'assistant': the one from .*\n", err
    )
