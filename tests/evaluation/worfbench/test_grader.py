"""Grades of generated workflow graphs, and the models that prove them."""

import asyncio

import pytest

from ossia.suites.worfbench import plan_executor
from ossia_dataset.tasks import TaskError
from ossia_dataset.worfbench.tasks import PlanTask, published_tasks
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worfbench.grader import MEASURES, METRICS, PlanGrader
from ossia_evaluation.worfbench.plan import parse_published
from ossia_evaluation.worfbench.players import PLAYERS, PlanPlayer, plan_text
from ossia_servers.gateway.models import ModelCall
from ossia_servers.gateway.records import GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_workflows.graph import read_plan, write_json
from ossia_workflows.worfbench import TeamKind, members_of, team_of
from tests.evaluation.worfbench import lights
from tests.evaluation.worfbench.support import DATA, needs_data

WORKFLOW = (
    "Node:\n1: Fill the kettle.\n2: Fetch a cup.\n3: Pour the tea.\n"
    "Edge: (START,1) (START,2) (1,3) (2,3) (3,END)"
)
TASK = PlanTask(id="tea", suite="worfbench", utterance="Tea!", origin="own", workflow=WORKFLOW)


def grade(answer, task=TASK, ending="answered", grader=None):
    trace = Trace(
        episode=EpisodeKey(id="e", task=task.id, framework="hand", model="by-hand", repeat=1),
        ending=Ending(kind=ending),
        answer=answer,
        gateway=GatewayRecord(episode="e"),
        requests=(),
        timing=EpisodeTiming(wall_s=1.0, cpu_s=0.1),
    )
    return (grader or PlanGrader(plan_executor())).score(task, trace)


def answered(name, kind=TeamKind.PLANNER, role="planner"):
    player = PlanPlayer(name, {"tea": TASK}, kind)
    messages = [
        {"role": "system", "content": team_of(kind).role(role).prompt},
        {"role": "user", "content": 'The user says: "Tea!"'},
    ]
    request = {"model": f"ossia-{role}", "messages": messages}
    call = ModelCall(role=role, request=request, episode="hand.tea.1")
    return asyncio.run(player.complete(call)).message["content"]


def test_the_gold_plan_is_a_success_in_any_words_around_it():
    for answer in (WORKFLOW, f"Here is it.\n\n{WORKFLOW}\n\nGood luck!"):
        found = grade(answer)
        assert found.verdict is Verdict.SUCCESS
        assert found.metrics == {metric.name: pytest.approx(1) for metric in MEASURES}


def test_another_order_is_a_failure_that_the_published_graph_measure_forgives():
    found = grade(answered("reversed"))
    assert found.verdict is Verdict.FAILURE
    assert "other order" in found.reason
    assert found.metrics["node_f1"] == pytest.approx(1)
    assert found.metrics["precedence_f1"] < 0.5 < found.metrics["graph_f1"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "holds no plan"),
        ("I cannot do that.", "holds no plan"),
        ("Node:\n1: x\n", "holds no plan"),
        ("Node:\n" + "".join(f"{n}: x\n" for n in range(3000)) + "Edge: (START,1)", "3002 nodes"),
        ("Node:\n1: x\nEdge: (1,9) (9,1) (START,77)", "other nodes"),
        ("Node:\n1: a\n2: b\nEdge: (1,2) (2,1)", "other nodes"),
    ],
)
def test_what_is_no_plan_of_the_task_gets_a_sentence_and_no_success(answer, reason):
    found = grade(answer)
    assert found.verdict is Verdict.FAILURE
    assert reason in found.reason
    assert found.metrics.keys() == {metric.name for metric in MEASURES}
    assert found.metrics["plan_f1"] == 0


def test_an_episode_that_was_cut_short_says_so():
    assert grade("", ending="timeout").reason == "it ended in timeout"


def test_a_gold_that_holds_no_plan_is_refused_before_anything_runs():
    with pytest.raises(TaskError, match="holds no plan"):
        PlanGrader(plan_executor()).check(TASK.model_copy(update={"workflow": "none"}))


@pytest.mark.parametrize("kind", TeamKind)
def test_the_form_that_the_prompts_ask_for_is_the_published_one(kind):
    prompt = team_of(kind).role(members_of(kind)[-1]).prompt
    plan = parse_published(prompt[prompt.index("Node:\n") :])
    assert plan.nodes[1:-1] == ("first subtask", "second subtask", "third subtask")
    assert plan.edges == ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4))


def test_the_members_of_the_team_share_the_gold_plan():
    assert answered("gold") == WORKFLOW
    nodes = answered("gold", TeamKind.TEAM, "decomposer")
    assert nodes == WORKFLOW.partition("\nEdge")[0]
    assert answered("gold", TeamKind.TEAM, "critic") == WORKFLOW


def test_a_plan_that_can_be_carried_out_is_judged_by_what_it_does():
    right = grade(lights.TASK.workflow, lights.TASK)
    assert right.verdict is Verdict.SUCCESS
    assert right.metrics.keys() == {metric.name for metric in METRICS}
    assert right.metrics["goal_share"] == right.metrics["makespan_ratio"] == 1

    again = lights.plan(lights.OFF, lights.ON, lights.ON, edges=[(1, 2), (2, 3)])
    slower = grade(again, lights.TASK)
    assert slower.verdict is Verdict.SUCCESS and slower.metrics["plan_f1"] < 1
    assert slower.metrics["makespan_ratio"] == pytest.approx(4 / 3)

    unbound = grade(lights.plan(lights.OFF, lights.ON), lights.TASK)
    assert unbound.verdict is Verdict.FAILURE
    assert unbound.reason.endswith("(1 of 2 orders reach the goal)")
    assert (unbound.metrics["orders_reached"], unbound.metrics["unsafe_pairs"]) == (0.5, 1)
    assert "makespan_ratio" not in unbound.metrics


def test_a_plan_as_json_is_measured_like_its_text():
    as_json = write_json(read_plan(lights.TASK.workflow))
    assert grade(as_json, lights.TASK) == grade(lights.TASK.workflow, lights.TASK)
    assert grade(as_json, TASK).metrics["plan_f1"] == 0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "holds no plan"),
        ("{", "holds no plan"),
        ("Node:\n1: a\n2: b\nEdge: (1,2) (2,1)", "cycle"),
        ("Node:\n1: a\nEdge: (1,9)", "which is no node"),
        ("Node:\n1: do it\nEdge: (START,1) (1,END)", "names no tool"),
    ],
)
def test_what_cannot_be_carried_out_reaches_nothing(answer, reason):
    found = grade(answer, lights.TASK)
    assert found.verdict is Verdict.FAILURE and reason in found.reason
    assert found.metrics["goal_share"] == found.metrics["orders_reached"] == 0


def test_a_gold_that_misses_its_goal_is_refused_before_anything_runs():
    task = lights.TASK.model_copy(update={"workflow": lights.plan(lights.OFF)})
    with pytest.raises(TaskError, match="does not reach its goal: missing"):
        PlanGrader(plan_executor()).check(task)


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("player", PLAYERS)
def test_the_published_golds_are_written_and_read_back(player):
    tasks, grader = published_tasks(DATA, "worfbench"), PlanGrader(plan_executor())
    assert len(tasks) == 2146
    assert sum("held-out" in task.domains for task in tasks) == 723
    if player != "gold":
        tasks = tasks[::40]
    for task in tasks:
        gold = parse_published(task.workflow)
        if player == "gold":
            read = parse_published(plan_text(gold))
            assert (read.nodes, {*read.edges}) == (gold.nodes, {*gold.edges}), task.id
            assert grade(plan_text(gold), task, grader=grader).verdict is Verdict.SUCCESS, task.id
        else:
            made = PlanPlayer(player, {"tea": task}, TeamKind.PLANNER)
            request = {"model": "ossia-planner", "messages": []}
            call = ModelCall(role="planner", request=request, episode="hand.tea.1")
            said = asyncio.run(made.complete(call)).message["content"]
            assert parse_published(said) is not None, task.id
