"""Ossia from Python, as a notebook uses it."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ossia
from ossia.adapters import find_adapter, install, ossia_home
from ossia.attribution.run import attribute_run
from ossia.runner.store import RunStore
from ossia_dataset.builtin import builtin_folder

ROOT = Path(__file__).resolve().parents[2]
NOISY = "offline:noise=0.3,seed=5"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home of its own for runs, with the installed environments."""
    environments = ossia_home(os.environ)
    install(find_adapter("control", environments))
    folder = tmp_path_factory.mktemp("home")
    (folder / "envs").symlink_to(environments / "envs")
    return folder


@pytest.fixture(scope="module")
def run(home):
    seen = []
    found = ossia.compare(["control"], models=NOISY, limit=6, home=home, observe=seen.append)
    assert [event.done for event in seen] == [1, 2, 3, 4, 5, 6]
    return found


def test_a_run_gives_its_episodes_and_its_summary(run):
    assert [row.framework for row in run.episodes] == ["control"] * 6
    (line,) = run.summary.frameworks
    assert line.success.of == 6
    assert line.success.count == sum(row.verdict == "success" for row in run.episodes)
    assert run.tasks.keys() == {row.task for row in run.episodes}
    assert repr(run) == f"Run('{run.id}')"
    assert run.config.models == (NOISY,)
    first = run.episodes[0]
    assert run.trace(first.episode).episode.task == first.task
    assert run.grade(first.episode).verdict == first.verdict


IMPATIENT = """
import os
import signal

import ossia
from pathlib import Path

def stop(event):
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)
    print("finished")

try:
    ossia.compare(["control"], limit=20, jobs=1, observe=stop, home=os.environ["OSSIA_HOME"])
except KeyboardInterrupt:
    print("stopped", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


def test_two_ctrl_c_end_a_run_in_order_and_leave_ctrl_c_as_it_was(home):
    # A shell lets background jobs ignore it.
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT],
        env=os.environ | {"OSSIA_HOME": str(home)},
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (done.stdout, done.stderr) == ("finished\nstopped True\n", "")


def test_the_offline_model_needs_none_of_our_words(home):
    # A task that needs the user's home, which only the prompt of `location` tells.
    run = ossia.compare(["control"], only=["weather-009"], prompts="chatty", home=home)
    (row,) = run.episodes
    asked = run.trace(row.episode).gateway.exchanges
    assert any("one who keeps our little team moving" in str(each.request) for each in asked)
    assert (row.verdict, run.summary.facts["prompts"]) == ("success", "chatty")


def test_the_same_arguments_resume_and_a_stored_run_is_loaded(run, home):
    seen = []
    again = ossia.compare(["control"], models=NOISY, limit=6, home=home, observe=seen.append)
    assert (again.id, seen) == (run.id, [])
    for found in (ossia.load(home=home), ossia.load(run.id, home=home), ossia.load(run.folder)):
        assert found.summary == run.summary


def test_attributions_are_there_once_they_are_made(run, home):
    assert run.attributions == ()
    with RunStore(run.folder) as store:
        asyncio.run(attribute_run(store, run.tasks, home, lambda told: None))
    found = ossia.load(run.folder).attributions
    failed = {row.episode for row in run.episodes if row.verdict == "failure"}
    assert failed, "this noise makes some task fail"
    assert {one.episode for one in found} == failed
    frame = ossia.load(run.folder).attributions_frame()
    assert set(frame["episode"]) == failed


def test_frames_have_a_line_for_each_episode(run):
    frame = run.episodes_frame()
    assert len(frame) == 6
    assert list(frame["verdict"]) == [row.verdict.value for row in run.episodes]
    assert frame["wall_s"].min() > 0


def test_it_also_runs_inside_a_running_loop(home):
    async def cell():
        return ossia.compare(["control"], only=["alarm-001"], home=home)

    assert asyncio.run(cell()).summary.finished == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"suite": "chess"}, "no suite is called 'chess'"),
        ({"tasks": "nowhere"}, "no task set or file is called"),
        ({"only": ["alarm-x"]}, "the task set has no task 'alarm-x'"),
        ({"models": "ofline"}, "ofline"),
        ({"tasks": Path("nope.jsonl")}, "no task set or file is called"),
        ({"tasks": 5}, "tasks is neither a string nor a path: 5"),
        ({"models": []}, "models must name at least one model"),
        ({"models": 5}, "models is neither a string nor several: 5"),
        ({"models": [None]}, "models is neither a string nor a path: None"),
        ({"only": "alarm-x"}, "the task set has no task 'alarm-x'"),
        ({"domains": "alarms"}, "the task set has no domain 'alarms'"),
        ({"limit": 0}, "limit is less than 1: 0"),
        ({"limit": -2}, "limit is less than 1: -2"),
        ({"limit": "3"}, "limit is not a whole number: '3'"),
        ({"limit": True}, "limit is not a whole number: True"),
        ({"repeats": 0}, "repeats is less than 1: 0"),
        ({"jobs": 0}, "jobs is less than 1: 0"),
        ({"seed": 1.5}, "seed is not a whole number: 1.5"),
        ({"max_cost": -1}, "max_cost is not an amount in US dollars: -1"),
        ({"max_cost": float("nan")}, "max_cost is not an amount in US dollars: nan"),
        ({"workflow": "gold"}, "the tasks of the suite 'assistant' have no gold workflow"),
        ({"workflow": "gold", "workflow_form": "svg"}, "code, mermaid, graph, not 'svg'"),
        ({"workflow": None}, "workflow is neither a string nor a path: None"),
        ({"home": 5}, "home is neither a string nor a path: 5"),
    ],
)
def test_what_is_not_there_is_told(home, wrong, told):
    with pytest.raises(ossia.UserError, match=told):
        ossia.compare(["control"], **{"home": home, **wrong})


def test_a_run_that_is_not_there_is_told(home):
    with pytest.raises(ossia.UserError, match="run"):
        ossia.load("no-such-run", home=home)
    with pytest.raises(ossia.UserError, match="run is neither a string nor a path: 5"):
        ossia.load(5, home=home)


def test_a_task_set_that_is_gone_is_an_error_of_the_user(home, tmp_path):
    own = tmp_path / "own.jsonl"
    shutil.copy(builtin_folder("assistant") / "test" / "alarm.jsonl", own)
    made = ossia.compare("control", tasks=own, limit=1, home=home)
    own.unlink()
    stored = ossia.load(made.folder)
    for part in ("tasks", "episodes", "summary", "attributions"):
        with pytest.raises(ossia.UserError, match="no task set or file is called"):
            getattr(stored, part)


def test_a_folder_of_runs_that_is_none_is_an_error_of_the_user(tmp_path):
    (tmp_path / "runs").write_text("")
    for place in (tmp_path, tmp_path / "runs"):
        with pytest.raises(ossia.UserError):
            ossia.compare("control", limit=1, home=place)
    with pytest.raises(ossia.UserError, match=r"budget is not an ossia\.Budget: 3"):
        ossia.compare("control", budget=3, home=tmp_path)


def test_one_text_is_one_framework_and_one_task(home):
    found = ossia.compare("control", only="alarm-001", home=str(home))
    assert [row.framework for row in found.episodes] == ["control"]
    assert set(found.tasks) == {"alarm-001"}


def test_an_adapter_that_is_not_there_is_an_error_of_the_user(home):
    with pytest.raises(ossia.UserError, match="there is no adapter 'nope'") as told:
        ossia.compare(["nope"], home=home)
    assert isinstance(told.value, ossia.AdapterError)


def test_what_the_help_names_is_exported():
    raised = re.findall(r"^\s+([A-Z]\w+): ", ossia.compare.__doc__.partition("Raises:")[2], re.M)
    assert set(raised) == {
        *("UserError", "AdapterError", "RunStopped", "AllInvalid", "WorkerStartError")
    }
    for name in ("Budget", "Observer", *raised):
        assert name in ossia.__all__
        assert getattr(ossia, name) is not None
    assert ossia.Budget(calls=1, tokens=2, seconds=3).calls == 1


def test_importing_it_loads_nothing_of_weight():
    code = "import ossia, sys; print(*(m for m in sys.modules if m.startswith('ossia')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ossia"]
    with pytest.raises(AttributeError, match="no attribute 'compares'"):
        _ = ossia.compares


def test_pandas_is_an_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["optional-dependencies"]["frames"] == ["pandas>=2"]
    assert not any("pandas" in needed for needed in project["dependencies"])


def test_the_examples_of_the_documentation_run(home, monkeypatch, capsys):
    monkeypatch.setenv("OSSIA_HOME", str(home))
    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    told = capsys.readouterr().out
    assert "control router succeeds in " in told
    assert names["failed"], "the example has failures to show"
    assert list(names["frame"]["framework"]) == ["control"] * 10
