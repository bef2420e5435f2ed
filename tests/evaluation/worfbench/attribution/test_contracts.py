"""Who broke a plan, in a team that is played in this process; replays are real runs of it."""

import json
import time

import pytest

from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.attribution import Status
from ossia_workflows.worfbench import TeamKind
from tests.evaluation.worfbench.attribution.played import Kitchen, Lines, attributed, families

GOLD = """Node:
1: Boil two litres of water.
2: Chop the red onions.
3: Fry everything in butter.
4: Serve it on plates.
Edge: (START,1) (START,2) (1,3) (2,3) (3,4) (4,END)"""
NODES = GOLD.partition("\nEdge")[0]
TASK = PlanTask(id="stew", suite="s", utterance='Cook a "stew".', origin="o", workflow=GOLD)
PROSE = "I am sorry."


def team(decomposer=NODES, linker=GOLD, critic=None, manager=(), kitchen=None):
    lines = Lines(manager, decomposer=decomposer, linker=linker, critic=critic or linker)
    return attributed(lines, kitchen or Kitchen(TASK))


NO_ONIONS = """Node:
1: Boil two litres of water.
2: Fry everything in butter.
3: Serve it on plates."""
NO_ONIONS_LINKED = f"{NO_ONIONS}\nEdge: (START,1) (1,2) (2,3) (3,END)"
WINE = GOLD.replace("Edge:", "5: qzx vlt wrn\nEdge: (1,5) (5,END)")
OTHER = GOLD.replace("Chop the red onions.", "Chop the red bell pepper rings.")


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        (NO_ONIONS_LINKED, "left out 'Chop the red onions.'"),
        (WINE, "added 'qzx vlt wrn'"),
        (OTHER, "wrote 'Chop the red bell pepper rings.' for 'Chop the red onions.'"),
        (
            GOLD.replace(" (1,3)", ""),
            "did not make 'Fry everything in butter.' wait for 'Boil two litres of water.'",
        ),
        (
            GOLD.replace("(1,3)", "(1,2) (1,3)"),
            "made 'Chop the red onions.' wait for 'Boil two litres of water.'",
        ),
        (GOLD.replace("(3,4)", "(4,3)"), "put 'Serve it on plates.' before 'Fry everything"),
        (NODES, "wrote no edges"),
        (PROSE, "wrote nothing that can be read as a plan"),
        ("", "wrote nothing that can be read as a plan"),
    ],
)
def test_each_fault_of_a_planner_is_told(plan, fault):
    found = attributed(Lines(planner=plan), Kitchen(TASK, kind=TeamKind.PLANNER))
    assert (found.status, families(found)) == (Status.ATTRIBUTED, {frozenset({"planner#1"})})
    assert fault in found.causes[0].fault
    assert (found.domain, found.rules) == ("o", ())
    assert found.evidence.endswith("the plan has the gold nodes and order.")


def test_each_fault_has_the_score_that_its_repair_alone_brings():
    plan = NO_ONIONS_LINKED.replace("(1,2)", "")
    found = attributed(Lines(planner=plan), Kitchen(TASK, kind=TeamKind.PLANNER))
    (cause,) = found.causes
    # Six of seven nodes and half of the order; the node alone brings more than the edge alone.
    assert "left out 'Chop the red onions.' (0." in cause.fault
    assert "(plan F1 0.43; behind each fault: with it alone put right)" in cause.fault


@pytest.mark.parametrize("role", ["decomposer", "linker", "critic"])
def test_a_fault_is_of_the_role_where_it_entered(role):
    entered = ("decomposer", "linker", "critic").index(role)
    plans = [NODES, GOLD, GOLD]
    plans[entered:] = [NO_ONIONS, NO_ONIONS_LINKED, NO_ONIONS_LINKED][entered:]
    found = team(*plans)
    assert families(found) == {frozenset({f"{role}#1"})}
    passed = "missed recovery: the critic passed on 1 fault of the plan that it was given"
    assert found.recovery_text == (None if role == "critic" else passed)


def test_what_the_critic_put_right_is_a_near_miss_and_stays_right():
    miss = team(NO_ONIONS, NO_ONIONS_LINKED, GOLD)
    assert [(one.role, one.fault) for one in miss.deviations] == [
        ("decomposer", "left out 'Chop the red onions.'")
    ]
    # It puts the node back, and breaks an edge: repaired, it still puts the node back.
    found = team(NO_ONIONS, NO_ONIONS_LINKED, GOLD.replace("(3,4)", "(4,3)"))
    assert families(found) == {frozenset({"critic#1"})}


def test_a_critic_without_edges_does_not_excuse_the_linker():
    found = team(NODES, GOLD.replace("(1,3)", "(1,2) (1,3)"), NODES)
    assert families(found) == {frozenset({"linker#1", "critic#1"})}


def test_prose_from_everybody_is_repaired_all_the_same():
    found = team(PROSE, PROSE, "")
    assert found.status is Status.ATTRIBUTED
    # Whoever knows the task could have written the plan without its nodes.
    assert families(found) == {frozenset({"linker#1"})}


def test_faults_of_two_roles_are_one_family():
    linked = NO_ONIONS_LINKED.replace("(2,3)", "(3,2)")
    found = team(NO_ONIONS, linked)
    assert families(found) == {frozenset({"decomposer#1", "linker#1"})}
    assert {cause.responsibility for cause in found.causes} == {0.5}
    assert "only with both repaired the plan has the gold nodes and order" in found.evidence


def test_a_manager_that_asks_in_the_wrong_order_or_not_at_all():
    skipped = team(critic=NODES, manager=("decomposer", "critic"))
    assert families(skipped) == {frozenset({"manager@decomposer"})}
    assert skipped.causes[0].fault == "called critic, expected linker"
    # The linker, which nobody had asked, is assumed to answer rightly; the critic is not blamed.
    assert "linker" in skipped.assumed
    lines = Lines(("linker", "decomposer"), decomposer=NODES, linker=GOLD, critic=GOLD)
    turned = attributed(lines, Kitchen(TASK))
    assert families(turned) == {frozenset({"manager@start"})}
    assert turned.causes[0].fault == "called linker, expected decomposer"
    ended = team(critic=GOLD, manager=("decomposer",))
    assert ended.causes[0].fault == "called finish, expected linker"


def test_what_a_linker_gets_wrong_that_was_given_nothing_is_its_own():
    # Whoever had to name the nodes named none: the linker wrote them first.
    for plan in (OTHER, WINE):
        assert families(team(PROSE, plan)) == {frozenset({"linker#1"})}
    # What it lacks was left out before, and whether it had kept it nobody knows.
    assert families(team(PROSE, NO_ONIONS_LINKED)) == {frozenset({"decomposer#1"})}
    both = NO_ONIONS_LINKED.replace("Serve it on plates.", "Serve it in two bowls.")
    assert families(team(PROSE, both)) == {frozenset({"decomposer#1", "linker#1"})}


def test_a_framework_that_loses_words_is_named():
    kitchen = Kitchen(TASK, loses=(("decomposer", "linker"),))
    own = "Node:\n1: Boil two litres of water.\nEdge: (START,1) (1,END)"
    found = team(NODES, own, own, kitchen=kitchen)
    assert families(found) == {frozenset({"framework@decomposer>linker#1"})}
    assert found.causes[0].role == "framework"
    assert "passed 0 of 5 lines of what *decomposer* wrote on to *linker*" in found.evidence
    # Where it cuts all words, they are cut in the replay as well.
    cut = Kitchen(TASK, keeps=len("Node:\n1: Boil two litres of water.\n"))
    found = team(NODES, own, own, kitchen=cut)
    losses = {"framework@decomposer>linker#1", "framework@linker>critic#1"}
    assert families(found) == {frozenset(losses)}
    assert "passed 2 of 5 lines of what *decomposer* wrote on to *linker*" in found.evidence


def test_a_framework_that_gives_the_user_another_plan():
    found = team(kitchen=Kitchen(TASK, answer=NO_ONIONS_LINKED))
    assert found.status is Status.SUSPECT
    assert [one.situation for one in found.deviations] == ["framework@critic>user"]


def test_a_gold_plan_with_a_cycle_is_unsupported():
    task = TASK.model_copy(update={"workflow": f"{GOLD} (4,1)"})
    kitchen = Kitchen(task=task, kind=TeamKind.PLANNER)
    found = attributed(Lines(planner=NODES), kitchen)
    assert found.status is Status.UNSUPPORTED and "has a cycle" in found.evidence


HOSTILE = {
    "cycle": GOLD.replace("(4,END)", "(4,1) (2,2) (4,END)"),
    "a step that waits for itself": GOLD.replace("(4,END)", "(2,2) (4,END)"),
    "doubled numbers": GOLD.replace("2: Chop", "1: Look at all.\n1: Chop"),
    "no such node": GOLD.replace("(1,3)", "(1,99) (77,3)"),
    "other language": GOLD.replace("Chop the red onions.", "Rote Zwiebeln hacken."),
    "doubled node": GOLD.replace("Edge", "5: Serve it on plates.\nEdge"),
    "long number": GOLD.replace("(1,3)", f"({'9' * 5000},3)"),
    "JSON in words": GOLD.replace("Chop the red onions.", 'chop({"what": "onions", "n": [1, 2]})'),
    "markup": GOLD.replace("Chop the red onions.", "[bold]\x1b[31m \u202e (1,2) 7: x"),
    "only edges": "Node:\nEdge: (START,1) (1,2)",
    "3000 nodes": "Node:\n" + "\n".join(f"{n}: step {n}" for n in range(3000)) + "\n(1,2)",
}


@pytest.mark.parametrize("plan", HOSTILE.values(), ids=HOSTILE)
def test_plans_of_no_vocabulary_are_attributed_to_who_wrote_them(plan):
    found = attributed(Lines(planner=plan), Kitchen(TASK, kind=TeamKind.PLANNER))
    assert families(found) == {frozenset({"planner#1"})}
    # The linker is given what is right and writes this; the critic says the same.
    found = team(NODES, plan)
    assert families(found) == {frozenset({"linker#1"})}
    json.loads(found.model_dump_json())


@pytest.mark.slow
def test_500_nodes_are_attributed_in_bounded_time():
    words = [f"carry box {n} to room {n * 7919 % 5000}" for n in range(500)]
    nodes = "\n".join(f"{at}: {text}" for at, text in enumerate(words, 1))
    edges = " ".join(f"({at},{at + 1})" for at in range(1, 500))
    gold = f"Node:\n{nodes}\nEdge: (START,1) {edges} (500,END)"
    backwards = "\n".join(f"{at}: {text}" for at, text in enumerate(reversed(words), 1))
    wrong = f"Node:\n{backwards}\nEdge: (START,1) {edges} (500,END)"
    kitchen = Kitchen(task=TASK.model_copy(update={"workflow": gold}), kind=TeamKind.PLANNER)
    begun = time.perf_counter()
    found = attributed(Lines(planner=wrong), kitchen)
    assert families(found) == {frozenset({"planner#1"})}
    assert "and 496 more (plan F1" in found.causes[0].fault
    assert "; too large to repair one by one, scored only)" in found.causes[0].fault
    assert len(found.model_dump_json()) < 20_000
    assert time.perf_counter() - begun < 60
