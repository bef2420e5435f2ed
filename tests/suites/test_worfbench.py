"""The suites of WorFBench in real frameworks, on golds in the published form."""

import json

import pytest

from ossia.runner.store import RunStore
from ossia.suites import find_suite
from ossia_dataset.builtin import builtin_folder
from ossia_dataset.tasks import read_tasks, write_tasks
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_servers.gateway.estimates import message_text
from tests.ossia.cli.conftest import (  # noqa: F401
    begin,
    command,
    environ,
    environments,
    home,
    ossia,
)

pytestmark = pytest.mark.framework

ALONE = ("control", "agentlite")
"""Who plays the planner alone: the others show no more than the check of prompts does."""


@pytest.fixture
def golds(tmp_path):
    """A file of three golds in the published form."""
    lines = []
    for number, (first, second) in enumerate((("Boil", "Pour"), ("Dig", "Plant"), ("Cut", "Sew"))):
        plan = f"Node:\n1: {first} it.\n2: {second} it.\nEdge: (START,1) (1,2) (2,END)"
        said = zip(("system", "user", "assistant"), ("Plan.", f"Task: {first}", plan), strict=True)
        lines.append(
            {
                "source": "wikihow",
                "conversations": [{"role": role, "content": text} for role, text in said],
                "target": "graph",
                "id": f"wikihow_{number}",
            }
        )
    path = tmp_path / "graph_eval.json"
    path.write_text(json.dumps(lines))
    return path


@pytest.mark.parametrize("suite", ["worfbench", "worfbench-team"])
def test_published_golds_are_played(ossia, golds, suite):  # noqa: F811
    run = ("compare", "--suite", suite, "--tasks", golds, "-f", "control", "--model", "gold")
    done = ossia(*run, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (line,) = found["frameworks"]
    assert (line["success"]["count"], line["invalid"]) == (3, 0)
    assert line["metrics"]["graph_f1"]["mean"] == 1
    assert (found["group"], found["groups"]) == ("origin", ["wikihow"])


def test_the_floors_fail_and_no_command_is_named_that_would_be_refused(ossia, golds):  # noqa: F811
    done = ossia(
        *("compare", "--suite", "worfbench", "--tasks", golds, "-f", "control"),
        *("--model", "reversed", "--model", "nonsense"),
    )
    assert done.returncode == 0, done.stderr
    assert "0 of 3" in done.stdout and "plan F1" in done.stdout
    assert "ossia attribute" in done.stdout


def test_failures_are_attributed_to_who_broke_the_plan(ossia, golds):  # noqa: F811
    run = ("compare", "--suite", "worfbench-team", "--tasks", golds, "-f", "control")
    assert ossia(*run, "--model", "reversed").returncode == 0
    done = ossia("attribute", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["attributions"]
    # All nodes are there, so the decomposer did nothing wrong; the critic passed the edges on.
    assert [item["families"] for item in found] == [[["linker#1"]]] * 3
    assert {item["recovery"] for item in found} == {
        "the critic passed on 1 fault of the plan that it was given"
    }
    blamed = ossia("blame", "control.wikihow_0.1")
    assert blamed.returncode == 0, blamed.stderr
    told = " ".join(blamed.stdout.split())
    assert "*linker* put 'Pour it.' before 'Boil it.' (plan F1 0.00)" in told


def test_a_planner_alone_is_to_blame_for_its_plan(ossia, golds):  # noqa: F811
    run = ("compare", "--suite", "worfbench", "--tasks", golds, "-f", "control")
    assert ossia(*run, "--model", "nonsense").returncode == 0
    found = json.loads(ossia("attribute", "--json").stdout)["attributions"]
    assert [item["families"] for item in found] == [[["planner#1"]]] * 3
    assert "left out 'Boil it.'" in found[0]["evidence"]


def test_what_is_missing_is_told_in_one_line(ossia, tmp_path):  # noqa: F811
    bad = tmp_path / "bad.json"
    bad.write_text("[{}]")
    for arguments, told in (
        (("--tasks", tmp_path / "nowhere"), "no such file or folder"),
        (("--tasks", bad), "bad.json"),
    ):
        done = ossia("compare", "--suite", "worfbench", "--model", "gold", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert told in done.stderr


def test_golds_are_imported_as_tasks_that_run(ossia, golds, tmp_path):  # noqa: F811
    out = tmp_path / "golds.jsonl"
    done = ossia("dataset", "import", "worfbench", golds, "--out", out, "--notes")
    assert done.returncode == 0, done.stderr
    assert "3 tasks imported, 0 of them held out; flagged: none; hash " in done.stdout
    run = ("compare", "--suite", "worfbench", "-f", "control", "--model", "gold", "--json")
    direct, imported = (json.loads(ossia(*run, "--tasks", path).stdout) for path in (golds, out))
    assert (
        imported["facts"]["tasks"].partition("hash")[2]
        == (direct["facts"]["tasks"].partition("hash")[2])
    )
    assert imported["frameworks"][0]["success"]["count"] == 3


@pytest.mark.parametrize(
    ("suite", "frameworks"), [("worfbench", ALONE), ("worfbench-team", ("control", "autogen"))]
)
def test_frameworks_carry_the_built_in_plans_through(ossia, home, suite, frameworks):  # noqa: F811
    models = ("--model", "gold", "--model", "offline")
    done = ossia(
        "compare", "--suite", suite, "--limit", "3", *models, "-f", ",".join(frameworks), "--json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["group"] == "kind" and len(found["groups"]) > 1
    assert [line["invalid"] for line in found["frameworks"]] == [0] * 2 * len(frameworks)
    gold, offline = (
        [line for line in found["frameworks"] if line["model"] == model] for model in models[1::2]
    )
    assert [line["success"]["count"] for line in gold] == [3] * len(frameworks)
    assert {line["metrics"]["graph_f1"]["mean"] for line in gold} == {1}
    (plan_f1,) = {line["metrics"]["plan_f1"]["mean"] for line in offline}
    assert 0 < plan_f1 < 1
    assert found["facts"]["floors of plan F1"].startswith("one nonsense node 0.000 / linearised")
    if suite == "worfbench":
        worked_examples_are_passed_on_unchanged(home / "runs" / found["run"])


def worked_examples_are_passed_on_unchanged(folder):
    suite = find_suite("worfbench")
    tasks = {task.id: task for task in suite.tasks("test")}
    with RunStore(folder) as store:
        traces = list(store.traces())
    assert len(traces) == 6 * len(ALONE)
    for trace in traces:
        task = tasks[trace.episode.task]
        prompt = suite.team(task, ()).role("planner").prompt
        assert prompt.count("\nEdge: ") == 3
        (asked,) = (exchange.request for exchange in trace.gateway.exchanges)
        assert any(prompt in message_text(one) for one in asked["messages"]), trace.episode


def test_the_planner_takes_no_options(ossia):  # noqa: F811
    done = ossia("compare", "--suite", "worfbench", "--model", "offline:noise=0.1")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the offline planner has no options" in done.stderr


def test_plans_with_a_world_are_carried_out_and_told_beside_the_measures(ossia, tmp_path):  # noqa: F811
    tasks = read_tasks(builtin_folder("worfbench") / "test" / "embodied.jsonl", PlanTask)[:3]
    write_tasks(tmp_path / "own.jsonl", tasks)
    done = ossia(
        *("compare", "--suite", "worfbench-team", "--tasks", tmp_path / "own.jsonl"),
        *("-f", "control", "--model", "gold", "--model", "reversed", "--json"),
    )
    assert done.returncode == 0, done.stderr
    gold, turned = json.loads(done.stdout)["frameworks"]
    assert (gold["success"]["count"], turned["success"]["count"]) == (3, 0)
    assert gold["metrics"]["goal_share"]["mean"] == gold["metrics"]["makespan_ratio"]["mean"] == 1
    assert turned["metrics"]["orders_reached"]["mean"] == 0


@pytest.mark.parametrize(
    ("suite", "role"), [("worfbench", "planner"), ("worfbench-team", "linker")]
)
def test_who_broke_a_plan_with_a_world_is_told_by_carrying_it_out(ossia, tmp_path, suite, role):  # noqa: F811
    tasks = read_tasks(builtin_folder("worfbench") / "test" / "embodied.jsonl", PlanTask)[7:8]
    write_tasks(tmp_path / "own.jsonl", tasks)
    run = ("compare", "--suite", suite, "--tasks", tmp_path / "own.jsonl", "-f", "control")
    assert ossia(*run, "--model", "linear", "--model", "reversed").returncode == 0
    done = ossia("attribute", "--json")
    assert done.returncode == 0, done.stderr
    # The linear plan reaches its goal, so only the reversed one is a failure.
    (found,) = json.loads(done.stdout)["attributions"]
    assert found["families"] == [[f"{role}#1"]]
    assert "(orders that reach the goal 0.00)" in found["causes"][0]["fault"]
    assert found["evidence"].endswith("the plan reaches its goal in every order.")


def test_executable_tasks_are_proven_by_a_command(ossia, tmp_path):  # noqa: F811
    folder = builtin_folder("worfbench") / "test"
    task = read_tasks(folder / "embodied.jsonl", PlanTask)[0]
    write_tasks(tmp_path / "own.jsonl", [task])
    done = ossia("dataset", "check", tmp_path / "own.jsonl", "--suite", "worfbench")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 executable tasks proven" in done.stdout
    bare = task.model_copy(
        update={"environment": task.environment.model_copy(update={"changes": ()})}
    )
    write_tasks(tmp_path / "own.jsonl", [bare])
    assert ossia("dataset", "check", tmp_path / "own.jsonl", "--suite", "worfbench").returncode == 1
    lost = ossia("dataset", "check", "nowhere", "--suite", "worfbench")
    assert (lost.returncode, lost.stderr.count("\n")) == (2, 1)
