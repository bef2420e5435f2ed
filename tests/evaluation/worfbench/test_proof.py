"""Proof of built-in plans: what is sound passes, and each kind of fault is found."""

from dataclasses import replace

import pytest

from ossia_dataset.worfbench.tasks import PlanKind
from ossia_dataset.worfbench.written import SETS, WRITTEN, drawn, written_tasks
from ossia_evaluation.worfbench.proof import check_written, computed_problems, graph_problems

COURIER, COMPARE = (
    next(one for one in drawn("test", PlanKind.PROBLEM_SOLVING) if word in one.request)
    for word in ("courier", "Lierne")
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("name", SETS)
def test_every_gold_plan_is_sound(name, kind):
    found = {task.id: list(graph_problems(task)) for task in written_tasks(name, kind)}
    assert {task: told for task, told in found.items() if told} == {}


def test_every_problem_of_the_test_set_is_computed_in_each_order():
    problems = drawn("test", PlanKind.PROBLEM_SOLVING)
    found = {one.request: list(computed_problems(one)) for one in problems}
    assert len(found) >= 50 and {one: told for one, told in found.items() if told} == {}


def changed(template, name, **to):
    steps = tuple(replace(one, **to) if one.name == name else one for one in template.steps)
    return replace(template, steps=steps)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (changed(COURIER, "c", sql="select courier from b limit 2"), "else than the answer"),
        (changed(COURIER, "b", sql="select * from nothing"), "cannot be carried out"),
        (changed(COMPARE, "f", needs=("d",)), "computes something else"),
        (changed(COMPARE, "d", needs=("a", "b", "c")), "computes as well"),
    ],
)
def test_a_changed_plan_is_not_proven(made, told):
    assert any(told in problem for problem in computed_problems(made))


def test_a_faulty_gold_plan_is_told():
    task = written_tasks("test", PlanKind.OPEN_GROUNDED)[0]
    first = task.workflow.split("\n")[1].partition(": ")[2]
    for old, new, told in (
        (first, "Fly to the moon.", "lists no action for the step 'Fly to the moon.'"),
        ("(2,3)", "(3,2)", "listed against the quality rule"),
        (" (5,END)", "", "a dead end"),
    ):
        bad = task.model_copy(update={"workflow": task.workflow.replace(old, new)})
        assert any(told in problem for problem in graph_problems(bad)), told


def test_a_check_tells_each_fault_and_counts_the_tasks():
    tasks = written_tasks("test", PlanKind.OPEN_GROUNDED)[:3]
    bad = tasks[1].model_copy(update={"workflow": tasks[0].workflow})
    *faults, count = check_written("some.jsonl", [tasks[0], bad, tasks[2]])
    assert all(not line.sound and bad.id in line.text for line in faults) and len(faults) >= 3
    assert (count.sound, count.text) == (
        True,
        f"worfbench/some.jsonl: 3 tasks looked at, {len(faults)} problems",
    )
