"""Who broke a plan that is carried out, on built-in tasks: what changes no outcome is no fault."""

import re

import pytest

from ossia.suites.worfbench import plan_executor
from ossia_dataset.builtin import builtin_folder
from ossia_dataset.tasks import read_tasks
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.attribution import Status
from ossia_evaluation.worfbench.attribution import faults
from ossia_evaluation.worfbench.attribution.carried import CarriedGold
from ossia_evaluation.worfbench.attribution.drafts import Kind
from ossia_evaluation.worfbench.attribution.faults import faults_of, repairs_of
from ossia_evaluation.worfbench.execution.executor import gold_plan
from ossia_evaluation.worfbench.execution.proof import wrong_plans
from ossia_workflows.graph import Call, write_call, write_json
from ossia_workflows.worfbench import TeamKind
from tests.evaluation.worfbench import lights
from tests.evaluation.worfbench.attribution.played import Kitchen, Lines, attributed, families

pytestmark = pytest.mark.slow

TASKS = {
    task.id: task
    for kind in ("function-calls", "embodied")
    for task in read_tasks(builtin_folder("worfbench") / "test" / f"{kind}.jsonl", PlanTask)
}
LEAD = TASKS["function-calls-001"]
"""Greet a colleague of a lead, and two steps with another one: 1 > 2 > 3, 4 > 5, 4 > 6."""
EXECUTOR = plan_executor()
LOOK = '7: company_directory.find_email_address(name="novak")\nEdge: (START,7) (7,END)'
MAIL = '7: email.send_email(recipient="$1.0", subject="Hi", body="Hi")\nEdge: (1,7) (7,END)'
SEND = '6: email.send_email(recipient="$4.0", subject="Contract talk"'
HARMLESS = LEAD.workflow.replace("Edge:", LOOK)
HARMFUL = LEAD.workflow.replace("Edge:", MAIL)
LINEAR = (
    LEAD.workflow.partition("Edge")[0] + "Edge: (START,1) (1,2) (2,3) (3,4) (4,5) (5,6) (6,END)"
)
WRONG = LEAD.workflow.replace('name="bernard"', 'name="zyzzyva"')
LOOSE = LEAD.workflow.replace("(1,2) (2,3)", "(1,2) (1,3)")
OTHER_TOOL = LEAD.workflow.replace("2: customer_relationship_manager", "2: customers")


def nodes(plan):
    return plan.partition("\nEdge")[0]


def written(graph):
    """A plan with the numbers that it has."""
    said = [f"{n.id}: {write_call(Call(n.tool, n.arguments))}" for n in graph.nodes]
    edges = " ".join(f"({edge.source},{edge.target})" for edge in graph.edges)
    return "\n".join(["Node:", *said, f"Edge: {edges}"])


def planned(plan, task=LEAD):
    return attributed(Lines(planner=plan), Kitchen(task, kind=TeamKind.PLANNER))


def team(decomposer, linker, critic=None, kitchen=None):
    lines = Lines(decomposer=decomposer, linker=linker, critic=critic or linker)
    return attributed(lines, kitchen or Kitchen(LEAD))


@pytest.mark.parametrize("task", list(TASKS.values())[::25], ids=lambda task: task.id)
def test_a_planted_fault_is_what_has_to_be_put_right(task):
    graph, gold = gold_plan(task), CarriedGold(task, EXECUTOR)
    assert gold.read(written(graph)) == gold.draft and gold.reaches(gold.draft)
    kinds = {"step": Kind.MISSING_NODE, "the": Kind.MISSING_EDGE, "it": None}
    for name, wrong in wrong_plans(graph):
        draft = gold.read(written(wrong))
        found = repairs_of(draft, gold)
        assert found.families and not found.cut
        kind = kinds.get(name.split()[0], Kind.WRONG_ARGUMENT)
        if kind is not None:
            (family,) = found.families
            # What named a step that is left out has lost it.
            assert family[0].kind is kind
            assert {fault.kind for fault in family[1:]} <= {Kind.WRONG_ARGUMENT}
            assert len(family) == 1 or kind is Kind.MISSING_NODE


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        (
            WRONG,
            "called company_directory.find_email_address with name='zyzzyva' for name='bernard'",
        ),
        (LEAD.workflow.replace(', subject="Lead"', ""), "send_email without subject='Lead'"),
        (LEAD.workflow.replace('"30"', "15"), "create_event with duration=15 for duration='30'"),
        (LEAD.workflow.replace('"30"', '"30", day="x"'), "create_event with day='x' (orders"),
        (LOOSE, "did not make 'email.send_email(recipient="),
        (HARMFUL, "added 'email.send_email(recipient="),
        (
            OTHER_TOOL,
            "called customers.add_customer for customer_relationship_manager.",
        ),
        (nodes(LEAD.workflow), "wrote no edges"),
        (LEAD.workflow.replace("(START,1)", "(START,99)"), "wrote no edges that can be read"),
        (LEAD.workflow.replace("(3,END)", "(3,1) (3,END)"), "before 'company_directory"),
        (LEAD.workflow.replace("(3,END)", "(3,3) (3,END)"), "made 'email.send_email"),
    ],
)
def test_each_fault_of_a_planner_is_told(plan, fault):
    found = planned(plan)
    assert (found.status, families(found)) == (Status.ATTRIBUTED, {frozenset({"planner#1"})})
    assert fault in found.causes[0].fault
    assert found.evidence.endswith("the plan reaches its goal in every order.")


QUOTED = re.sub(r"\((\w+),(\w+)\)", r'("\1","\2")', LEAD.workflow)


@pytest.mark.parametrize("plan", [HARMLESS, LINEAR, QUOTED, write_json(gold_plan(LEAD))])
def test_a_plan_that_reaches_its_goal_has_no_fault_however_it_differs(plan):
    assert planned(plan) is None
    gold = CarriedGold(LEAD, EXECUTOR)
    draft = gold.read(plan)
    assert gold.reaches(draft) and repairs_of(draft, gold).families == ()


def test_what_changes_no_outcome_is_no_cause_beside_what_does():
    plan = WRONG.replace("Edge:", LOOK).replace("(6,END)", "(5,6) (6,END)")
    (cause,) = planned(plan).causes
    assert cause.fault == (
        "called company_directory.find_email_address with name='zyzzyva' for name='bernard'"
        " (orders that reach the goal 0.00)"
    )


def test_faults_that_have_to_be_put_right_together_are_told_together():
    plan = WRONG.replace(SEND, SEND.replace("Contract talk", "No talk"))
    (cause,) = planned(plan).causes
    assert "subject='No talk' for subject='Contract talk' (orders" in cause.fault
    assert "for name='bernard', called" in cause.fault and cause.remedy == "with both put right"


def test_steps_are_known_by_what_they_call_whatever_their_numbers():
    lines = dict(line.split(": ", 1) for line in nodes(LEAD.workflow).splitlines()[1:])
    other = {"1": "4", "2": "3", "3": "5", "4": "1", "5": "2", "6": "9"}
    said = [
        f"{other[at]}: Then {text}".replace("$1", "$d").replace("$2", "$3")
        for at, text in sorted(lines.items(), reverse=True)
    ]
    steps = "\n".join(said).replace("$4", "$1").replace("$d", "$4").replace('"30"', "30")
    edges = "(START,4) (START,1) (4,3) (3,5) (1,9) (1,2) (5,END) (9,END) (2,END)"
    plan = f"Node:\n{steps}\nEdge: {edges}"
    gold = CarriedGold(LEAD, EXECUTOR)
    draft = gold.read(plan)
    # A number for a text is another argument, and does the same.
    assert [fault.kind for fault in faults_of(draft, gold)] == [Kind.WRONG_ARGUMENT]
    assert gold.read(gold.text(draft)) == draft and gold.reaches(draft)
    assert planned(plan) is None


@pytest.mark.parametrize("role", ["decomposer", "linker", "critic"])
def test_a_fault_is_of_the_role_where_it_entered(role):
    entered = ("decomposer", "linker", "critic").index(role)
    plans = [nodes(HARMLESS), HARMLESS, HARMLESS]
    wrong = WRONG.replace("Edge:", LOOK)
    plans[entered:] = [nodes(wrong), wrong, wrong][entered:]
    found = team(*plans)
    assert families(found) == {frozenset({f"{role}#1"})}
    assert [one.role for one in found.deviations] in ([], [role])
    passed = "missed recovery: the critic passed on 1 fault of the plan that it was given"
    assert found.recovery_text == (None if role == "critic" else passed)


def test_a_linker_is_at_fault_for_the_edges_of_steps_that_do_the_same_otherwise():
    other = nodes(LEAD.workflow).replace('name="bernard"', 'name="hugo"')
    loose = other + "\nEdge: (START,1) (START,2) (2,3) (4,5) (4,6) (3,END) (5,END) (6,END)"
    assert families(team(other, loose)) == {frozenset({"linker#1"})}
    # Off, on, and both again: the linker has the lights switched off last.
    twice = lights.plan(
        lights.OFF, lights.ON, lights.OFF, lights.ON, edges=[(1, 2), (2, 4), (4, 3)]
    )
    found = team(nodes(twice), twice, kitchen=Kitchen(lights.TASK))
    assert families(found) == {frozenset({"linker#1"})}
    assert "ordered the given steps so that they fail" in found.causes[0].fault


def test_faults_of_two_roles_are_one_family_and_mended_ones_stay_mended():
    broken = WRONG.replace("(1,2) (2,3)", "(1,2) (1,3)")
    assert families(team(nodes(WRONG), broken)) == {frozenset({"decomposer#1", "linker#1"})}
    miss = team(nodes(WRONG), WRONG, LINEAR)
    assert [one.role for one in miss.deviations] == ["decomposer"]


def test_a_framework_that_gives_the_user_another_plan_is_told_only_where_that_fails():
    assert team(nodes(LINEAR), LINEAR, kitchen=Kitchen(LEAD, answer=HARMLESS)) is None
    found = team(nodes(LINEAR), LINEAR, kitchen=Kitchen(LEAD, answer=WRONG))
    assert [one.situation for one in found.deviations] == ["framework@critic>user"]


def test_too_many_faults_are_cut_and_it_says_so(monkeypatch):
    lines = [
        f'{at}: email.send_email(recipient="a@b.test", subject="n {at}", body="x")'
        for at in range(1, 11)
    ]
    ends = " ".join(f"(START,{at}) ({at},END)" for at in range(1, 11))
    plan = "\n".join(["Node:", *lines, f"Edge: {ends}"])
    monkeypatch.setattr(faults, "MOST_TRIED", 20)
    (cause,) = planned(plan).causes
    assert "not all sets of faults were tried" in cause.fault and len(cause.fault) < 2000


@pytest.mark.parametrize(
    "plan",
    [
        "Node:\n" + "\n".join(f"{n}: step {n}" for n in range(300)) + "\nEdge: (1,2)",
        LEAD.workflow.replace('"$1.0"', '"$none_1.0 $99 $$ $2.0"'),
        LEAD.workflow.replace("2: ", "1: "),
        LEAD.workflow.replace('name="bernard"', 'name="\\ud800 [bold] $1"'),
        LEAD.workflow.replace('subject="Lead"', 'subject="\\ud800"'),
        '{"version": 1, "nodes": [], "edges": []}',
        '{"version": 1, "nodes": [{"id": "a", "task": "t", "tool": "x/y"}], "edges": []}',
        "I am sorry.",
    ],
)
def test_hostile_plans_are_attributed_to_who_wrote_them(plan):
    found = planned(plan)
    assert families(found) == {frozenset({"planner#1"})}
    found.model_dump_json()
    assert families(team(nodes(LEAD.workflow), plan)) == {frozenset({"linker#1"})}
