"""The executable tasks: how they are made of templates, and what the built-in ones are."""

from collections import Counter
from itertools import pairwise

import pytest

from ossia.suites.worfbench import plan_executor
from ossia_dataset.builtin import builtin_folder
from ossia_dataset.tasks import TaskError, read_tasks
from ossia_dataset.worfbench.drafts import Start, Template, load_actions, load_templates
from ossia_dataset.worfbench.tasks import PlanKind, PlanTask
from ossia_evaluation.worfbench.execution import making
from ossia_evaluation.worfbench.execution.executor import gold_plan
from ossia_evaluation.worfbench.execution.making import SETS, TaskMaker
from ossia_evaluation.worfbench.execution.proof import PlanProver
from ossia_workflows.graph import critical_path, read_call

EXECUTOR = plan_executor()
BUILTIN = [(name, kind, count) for name, kinds in SETS.items() for kind, count in kinds.items()]


def builtin(name, kind):
    return read_tasks(builtin_folder("worfbench") / name / f"{kind}.jsonl", PlanTask)


def test_the_same_seed_makes_the_same_tasks_and_another_one_others():
    made = TaskMaker(EXECUTOR).make("test", PlanKind.EMBODIED, 3, seed=5)

    assert made == TaskMaker(EXECUTOR).make("test", PlanKind.EMBODIED, 3, seed=5)
    assert made.tasks != TaskMaker(EXECUTOR).make("test", PlanKind.EMBODIED, 3, seed=6).tasks
    assert [task.id for task in made.tasks] == [f"embodied-00{at}" for at in (1, 2, 3)]
    assert all(PlanProver(EXECUTOR).prove(task).proven for task in made.tasks)


def test_what_is_not_proven_is_left_out_and_too_few_are_told(monkeypatch):
    loose = Template(
        name="loose",
        kind="embodied",
        servers="assistant",
        asks=("Lights off in the kitchen, then on.",),
        steps=(
            'iot.iot_hue_lightoff(house_place="kitchen")',
            'iot.iot_hue_lighton(house_place="kitchen")',
        ),
    )
    start = Start(seeds=("home",), now="2026-03-13T10:00:00")
    monkeypatch.setattr(making, "load_templates", lambda name: ((loose,), {"assistant": start}))

    with pytest.raises(TaskError, match="give 0 tasks of the kind embodied, not 1"):
        TaskMaker(EXECUTOR).make("test", PlanKind.EMBODIED, 1, seed=1)


def test_test_and_training_share_no_template_no_wording_and_no_start():
    (test, starts), (train, others) = load_templates("test"), load_templates("train")

    assert not {each.name for each in test} & {each.name for each in train}
    assert not {ask for each in test for ask in each.asks} & {
        ask for each in train for ask in each.asks
    }
    for servers, start in starts.items():
        other = others[servers]
        assert start.now != other.now or not {*start.seeds} & {*other.seeds}
    for template in (*test, *train):
        for step in template.steps:
            call = read_call(step)
            known = load_actions()[template.servers][call.tool]
            assert {*call.arguments} <= {*known.parameters}, (template.name, step)


@pytest.mark.parametrize(("name", "kind", "count"), BUILTIN)
def test_the_built_in_tasks_are_unlike_each_other_and_hold_no_gold(name, kind, count):
    tasks = builtin(name, kind)

    assert len(tasks) == count
    assert len({task.utterance for task in tasks}) == count
    assert len({(task.seed, task.workflow) for task in tasks}) == count
    for task in tasks:
        assert (task.suite, task.origin, task.kind) == ("worfbench", kind, kind)
        steps = gold_plan(task).nodes
        assert 2 <= len(steps) <= 12
        for step in steps:
            assert step.tool is not None and step.task not in task.utterance
        called = {step.tool for step in steps}
        assert called < {action.name for action in task.actions}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind", "count"), BUILTIN)
def test_built_in_golds_are_chains_and_graphs_and_some_are_proven_here(name, kind, count):
    tasks = builtin(name, kind)
    golds = [gold_plan(task) for task in tasks]
    chains = sum(critical_path(gold).length == len(gold.nodes) for gold in golds) / count
    sizes = Counter(len(gold.nodes) for gold in golds)

    assert 0.2 < chains < 0.8
    assert len(sizes) >= 6 and sizes[2] < count / 2
    for task in tasks[:: count // 3]:
        proof = PlanProver(EXECUTOR).prove(task)
        assert proof.proven, proof
    assert all(one.id < other.id for one, other in pairwise(tasks))
