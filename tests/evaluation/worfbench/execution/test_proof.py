"""The proof of executable tasks: golds that do what they should, and wrong plans that do not."""

import pytest

from ossia.suites.worfbench import plan_executor
from ossia_dataset.worfbench.tasks import Environment, executable_prompt
from ossia_evaluation.worfbench.execution.executor import gold_plan
from ossia_evaluation.worfbench.execution.proof import PlanProver, check_executable, wrong_plans
from tests.evaluation.worfbench.lights import OFF, ON, TASK, light, plan

EXECUTOR = plan_executor()
TOLD = TASK.model_copy(
    update={"utterance": executable_prompt("Kitchen lights off, then on.", TASK.actions, TASK.now)}
)


def prove(**values):
    return PlanProver(EXECUTOR).prove(TOLD.model_copy(update=values))


def test_a_sound_task_is_proven_against_every_wrong_plan():
    proof = prove()

    assert proof.proven and proof.problems == ()
    assert [name for name, _ in wrong_plans(gold_plan(TASK))] == [
        "step 1 is left out",
        "step 2 is left out",
        "the edge (1,2) is left out",
        "house_place of step 1 is 'zyzzyva'",
        "house_place of step 2 is 'zyzzyva'",
        "device_type of step 2 is 'zyzzyva'",
        "change_to of step 2 is 'zyzzyva'",
        "it is reversed",
    ]
    assert proof.mutants == 8


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"workflow": plan(OFF, ON)}, "are not safe in any order"),
        ({"workflow": plan(OFF, ON, ON, edges=[(1, 2), (2, 3)])}, "step 2 is left out"),
        ({"workflow": f"Node:\n1: {OFF}\n2: {ON}\nEdge: (START,1) (1,2)"}, "dead end"),
        ({"workflow": "none"}, "cannot be read"),
        ({"environment": Environment(servers="assistant")}, "there is nothing to reach"),
        ({"utterance": "Do it."}, "does not tell of the action"),
        ({"utterance": f"{TOLD.utterance} {TASK.workflow}"}, "holds the gold plan"),
        (
            {"environment": Environment(servers="assistant", changes=(light("light-77", on=1),))},
            "has no row",
        ),
    ],
)
def test_what_is_wrong_with_a_task_is_told(values, told):
    proof = prove(**values)

    assert not proof.proven
    assert any(told in line for line in (*proof.problems, *proof.surviving)), proof


def test_a_set_is_told_in_lines_and_two_tasks_alike_are_not_sound():
    lines = list(check_executable("own", [TOLD, TOLD.model_copy(update={"id": "again"})], EXECUTOR))

    assert [line.sound for line in lines] == [False, True]
    assert lines[0].text.startswith("2 tasks ask the same: ")
    assert lines[1].text == (
        "own: 2 of 2 executable tasks proven (2 tasks); 16 of 16 wrong plans fail;"
        " 2 chains; steps a plan: 2: 2"
    )


def test_tasks_without_a_world_are_not_asked_for():
    other = TASK.model_copy(update={"environment": None})
    (line,) = check_executable("own", [other], EXECUTOR)

    assert line.sound and line.text.startswith("own: 0 of 0 executable tasks proven (1 tasks)")
