"""`--workflow`: a workflow of each task reaches the leader of its team, and nobody else."""

import json
import re
from itertools import groupby
from typing import get_args

import pytest

import ossia as ossia_api
from ossia.cli.options import WorkflowForm
from ossia.knowledge import _WRITERS, GRAPH

TOLD = "This is a workflow of the task"
OFFICE = {
    "test-mu-everything-0": "call calendar.create_event()",
    "test-ca-cancel-all-6": "call calendar.delete_event()",
}
FEW = ("control", "langgraph")
"""A workflow stands in a prompt, which arrives in every framework: see the check `prompts`."""
CASES = {
    "assistant-compound": (
        FEW,
        "manager",
        {"compound-084": "on the condition 'if there is'", "compound-003": "cooking_recipe("},
    ),
    "workbench": (FEW, "manager", OFFICE),
    "workbench-react": (FEW, "agent", OFFICE),
}
"""By suite, adapters, who leads, and by task the words that its workflow alone has."""


def test_every_form_that_is_offered_can_be_written():
    assert set(get_args(get_args(WorkflowForm)[0])) == {*_WRITERS, GRAPH}


def played(ossia, home, *options):
    """Return the comparison of a run, and what was asked: episode, role and messages as text."""
    done = ossia("compare", "--model", "gold", *options, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    run = ossia_api.load(found["run"], home=home)
    asked = [
        (row, each.role, json.dumps(each.request["messages"], ensure_ascii=False))
        for row in run.episodes
        for each in run.trace(row.episode).gateway.exchanges
    ]
    assert asked
    return found, asked


@pytest.mark.framework
@pytest.mark.parametrize("suite", CASES)
def test_gold_reaches_the_leader_and_changes_no_outcome(ossia, home, suite):
    adapters, leader, words = CASES[suite]
    chosen = ("--suite", suite, *(option for task in words for option in ("--task", task)))
    found, asked = played(ossia, home, *chosen, "--workflow", "gold", "-f", ",".join(adapters))
    led = {(row.framework, row.task) for row, role, _ in asked if role == leader}
    assert len(led) == len(adapters) * len(words)
    for row, role, text in asked:
        assert (TOLD in text) is (role == leader), (row.episode, role)
        known = {task for task, its in words.items() if TOLD in text and its in text}
        assert known == ({row.task} if role == leader else set()), row.episode
    assert "shown to its team on purpose, as text" in found["facts"]["knowledge"]

    # Without one, gold succeeds in `test_gold_player.py`, `test_office.py` and checks of adapters.
    alone = ("--workflow", "none", "-f", "control", "--with", found["run"])
    plain, asked = played(ossia, home, *chosen, *alone)
    assert not any(TOLD in text for *_, text in asked)
    assert "knowledge" not in plain["facts"]
    assert f"{found['run']} (knowledge: the gold workflow" in plain["facts"]["beside"]
    lines = [(line["success"]["count"], line["invalid"]) for line in plain["frameworks"]]
    assert lines == [(len(words), 0)] * (1 + len(adapters))


@pytest.mark.framework("control")
@pytest.mark.parametrize("form", ["code", "mermaid"])
def test_a_workflow_is_written_in_the_form_that_is_asked_for(ossia, home, form):
    chosen = ("--suite", "workbench", "--task", "test-mu-everything-0", "-f", "control")
    _, asked = played(ossia, home, *chosen, "--workflow", "gold", "--workflow-form", form)
    first = {"code": "plan = Workflow()", "mermaid": "flowchart TD"}[form]
    assert all(first in text for _, role, text in asked if role == "manager")


GRAPHS = {
    "assistant-compound": ("langgraph", {"compound-043": "23", "compound-084": ""}),
    "workbench": ("langgraph:tools", {"test-an-risers-0": "12"}),
    "workbench-react": ("langgraph", {"test-an-risers-0": "12"}),
}
"""By suite, a variant, and by task the steps of its gold workflow that nothing binds."""

STEP = re.compile(r"Step (\w+) of a workflow")


@pytest.mark.framework("control", "langgraph")
@pytest.mark.parametrize("suite", GRAPHS)
def test_a_framework_that_can_runs_the_steps_and_others_are_told_them(ossia, home, suite):
    variant, tasks = GRAPHS[suite]
    chosen = ("--suite", suite, *(option for task in tasks for option in ("--task", task)))
    graph = ("--workflow", "gold", "--workflow-form", "graph", "-f", f"control,{variant}")
    found, asked = played(ossia, home, *chosen, *graph)
    lines = [(line["success"]["count"], line["invalid"]) for line in found["frameworks"]]
    assert lines == [(len(tasks), 0)] * 2
    assert "run as a graph by frameworks that can" in found["facts"]["knowledge"]
    told = {row.framework for row, _, text in asked if TOLD in text}
    assert told == {"control"}
    steps = {row.framework for row, _, text in asked if "of a workflow, and nothing else" in text}
    assert steps == {variant}
    for task, free in tasks.items():
        called = [
            at[0] for row, _, text in asked if (at := STEP.findall(text)) and row.task == task
        ]
        # Where one step's calls were all made before another's, they were not done at once.
        parted = "".join(name for name, _ in groupby(called) if name in free)
        assert len(parted) > len(free) or not free, called
        assert called, task
    done = ossia("attribute", found["run"])
    assert done.returncode == 2
    assert "ran steps of a workflow in parallel" in done.stderr


@pytest.mark.framework("control")
def test_plans_that_a_model_wrote_are_given(ossia, home, tmp_path):
    tasks = tmp_path / "plans.jsonl"
    done = ossia("dataset", "plans", "assistant-compound", "--out", tasks)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("90 tasks, hash ")
    lines = [json.loads(line) for line in tasks.read_text().splitlines()]
    asking = {line["id"]: line["utterance"] for line in lines}
    assert "recommendation_events" in asking["compound-084"].partition("The tools:")[2]

    planned = ("--suite", "worfbench", "--tasks", tasks, "-f", "control", "--task", "compound-084")
    plans, _ = played(ossia, home, *planned)
    chosen = ("--suite", "assistant-compound", "-f", "control")
    chosen += ("--task", "compound-084", "--task", "compound-003")
    given = ("--workflow", f"generated:{plans['run']}")
    found, asked = played(ossia, home, *chosen, *given)
    assert f"1 of 2 tasks, from {plans['run']}, as text" in found["facts"]["knowledge"]
    assert {row.task for row, _, text in asked if TOLD in text} == {"compound-084"}
    for folder in (home / "runs").glob("worfbench-*"):
        ossia("runs", "delete", folder.name, "--yes")
    assert ossia("resume", found["run"]).returncode == 0, "what was given is kept with the run"


@pytest.mark.framework("control")
def test_what_cannot_be_given_is_told_in_one_line_before_anything_runs(ossia, home):
    small = ("--suite", "assistant-compound", "-f", "control", "--task", "compound-003")
    several = ("--model", "gold", "--model", "offline")
    one = json.loads(ossia("compare", *small, "--model", "gold", "--json").stdout)["run"]
    two = json.loads(ossia("compare", *small, *several, "--json").stdout)["run"]
    for options, told in (
        ((*small, "--workflow", "silver"), "--workflow must be none, gold or generated:RUN"),
        ((*small, "--workflow", "generated:"), "several runs begin with ''"),
        ((*small, "--workflow", "generated:nowhere"), "no run is called 'nowhere'"),
        ((*small, "--workflow", f"generated:{one}"), "has no plan of these tasks"),
        ((*small, "--workflow", f"generated:{two}"), "has several answers to a task"),
        (("--suite", "assistant", "--workflow", "gold"), "'assistant' have no gold workflow"),
    ):
        done = ossia("compare", *options, "--model", "gold")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert told in done.stderr
    assert len(list((home / "runs").iterdir())) == 2
