"""Plans carried out on real worlds: goals, orders, side effects, and every way to fail."""

import json
from dataclasses import astuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia.suites.worfbench import plan_executor
from ossia_dataset.tasks import TaskError
from ossia_dataset.worfbench.tasks import Environment, GoalChange
from ossia_evaluation.worfbench.execution.carrying import FaultKind
from ossia_evaluation.worfbench.execution.executor import MOST_STEPS, gold_plan
from ossia_evaluation.worfbench.execution.orders import (
    MOST_ORDERS,
    MOST_PAIRS,
    both_ways,
    parallel_pairs,
    sampled_orders,
)
from ossia_workflows.graph import (
    Edge,
    Node,
    WorkflowGraph,
    read_plan,
    topological_orders,
    write_json,
)
from tests.evaluation.worfbench.lights import ACTIONS, OFF, ON, TASK, light, plan

EXECUTOR = plan_executor()


def carry_out(text, task=TASK, seed=0):
    return EXECUTOR.execute(task, read_plan(text), seed)


def test_the_gold_plan_reaches_its_goal_and_takes_what_its_actions_take():
    EXECUTOR.check(TASK)
    done = carry_out(TASK.workflow)

    assert done.success and done.wrong is None
    assert (done.share, done.reached, done.unsafe) == (1, 1, ())
    assert astuple(done.timing) == (3, 3, 3)


def test_steps_that_are_not_bound_are_tried_both_ways_and_told_as_unsafe():
    done = carry_out(plan(OFF, ON))

    assert {run.order for run in done.runs} == {("1", "2"), ("2", "1")}
    assert not done.success and done.reached == 0.5
    assert done.unsafe == (("1", "2"),)
    assert astuple(done.timing) == (2, 3, 3)


def test_new_rows_in_another_order_are_no_other_end():
    calls = [f'lists.lists_createoradd(list_name="shopping", item_name="{item}")' for item in "abc"]
    done = carry_out(plan(*calls))

    assert len(done.runs) == 6
    assert done.unsafe == ()


def test_what_a_plan_does_besides_is_a_side_effect_and_no_success():
    more = 'lists.lists_createoradd(list_name="shopping", item_name="tea")'
    done = carry_out(plan(OFF, ON, more, edges=[(1, 2)]))

    assert not done.success and done.share == 1
    assert "side effect: lists.items: added" in done.wrong


def test_half_of_the_goal_is_told_as_half():
    done = carry_out(plan('iot.iot_hue_lighton(house_place="kitchen", change_to="60 percent")'))

    assert done.share == 0 and done.wrong.startswith("missing: iot.lights")
    goal = (light("light-3", on=False), light("light-1", on=False))
    half = TASK.model_copy(update={"environment": Environment(servers="assistant", changes=goal)})
    assert carry_out(plan(OFF), half).share == 0.5


def test_a_later_step_uses_what_an_earlier_one_was_told():
    row = {"time": "09:30", "date": "2026-03-14", "name": "at 09:30 for $", "skipped": []}
    goal = (GoalChange(kind="added", table="alarm.alarms", values=row),)
    task = TASK.model_copy(update={"environment": Environment(servers="assistant", changes=goal)})
    ask = 'alarm.alarm_query(event_name="yoga")'
    put = 'alarm.alarm_set(time="$1.{}time", event_name="at $1.time for $$", date="2026-03-14")'

    for way in ("", "0."):
        assert carry_out(plan(ask, put.format(way), edges=[(1, 2)]), task).success
    assert carry_out(plan(ask, put.format(""), edges=[]), task).reached == 0.5
    for way, told in (("7.", "$1.7.time"), ("no.", "$1.no.time")):
        done = carry_out(plan(ask, put.format(way), edges=[(1, 2)]), task)
        assert done.faults[0].kind is FaultKind.UNBOUND
        assert told in done.wrong


def test_what_has_to_be_read_is_read_by_a_question_that_gives_it():
    ask = 'alarm.alarm_query(event_name="yoga")'
    row = {"time": "09:30", "date": "every weekend", "name": "yoga"}
    task = TASK.model_copy(
        update={"environment": Environment(servers="assistant", reads=((row,),))}
    )

    assert carry_out(plan(ask), task).success
    done = carry_out(plan("alarm.alarm_query()"), task)
    assert done.share == 0 and done.wrong.startswith("not read: ")


@pytest.mark.parametrize(
    ("call", "kind", "told"),
    [
        ("switch the lights off", FaultKind.NO_CALL, "names no tool"),
        ("iot.iot_explode()", FaultKind.UNKNOWN_TOOL, "there is no action iot.iot_explode"),
        ("news.news_query()", FaultKind.UNKNOWN_TOOL, "there is no action"),
        ("no.server()", FaultKind.UNKNOWN_TOOL, "there is no action no.server"),
        ('iot.iot_hue_lightoff(intent="x")', FaultKind.BAD_ARGUMENT, "no parameter 'intent'"),
        (
            "iot.iot_hue_lightoff(house_place=[1])",
            FaultKind.BAD_ARGUMENT,
            "neither a string nor a number",
        ),
        (
            "iot.iot_hue_lightoff(house_place=null)",
            FaultKind.BAD_ARGUMENT,
            "neither a string nor a number",
        ),
        (f'iot.iot_hue_lightoff(house_place="{"x" * 2001}")', FaultKind.BAD_ARGUMENT, "too long"),
        ('iot.iot_hue_lightoff(house_place="\\ud800")', FaultKind.BAD_ARGUMENT, "lone surrogate"),
        ('iot.iot_hue_lightoff(house_place="$9")', FaultKind.UNBOUND, "$9 names no step"),
        ('iot.iot_hue_lightoff(house_place="$1")', FaultKind.UNBOUND, "$1 names no step"),
        ('iot.iot_hue_lightoff(house_place="moon")', FaultKind.REFUSED, "moon"),
        ("alarm.alarm_set()", FaultKind.REFUSED, "For what time"),
    ],
)
def test_a_step_that_fails_is_told_and_what_follows_it_is_not_tried(call, kind, told):
    done = carry_out(plan(call, ON, edges=[(1, 2)]))

    assert [(fault.step, fault.kind) for fault in done.faults] == [("1", kind)]
    assert told in done.faults[0].reason and not done.success


def test_plans_that_have_no_order_are_told_and_not_carried_out():
    cycle = carry_out(f"Node:\n1: {OFF}\n2: {ON}\nEdge: (START,1) (1,2) (2,1) (2,END)")
    many = carry_out(plan(*[ON] * (MOST_STEPS + 1)))

    assert (cycle.runs, cycle.success, cycle.share) == ((), False, 0)
    assert "cycle" in cycle.wrong
    assert "25 steps; at most 24" in many.wrong
    empty = EXECUTOR.execute(TASK, WorkflowGraph(nodes=(), edges=()))
    assert not empty.success and empty.share == 0


def test_json_and_text_of_one_plan_end_alike():
    graph = read_plan(TASK.workflow)
    assert carry_out(write_json(graph)) == carry_out(TASK.workflow)


def test_a_task_at_fault_is_refused():
    wrong = [
        (Environment(servers="assistant", changes=(light("light-99", on=True),)), "has no row"),
        (Environment(servers="assistant", changes=(light("light-1", hue=3),)), "other columns"),
        (Environment(servers="assistant", changes=(light("light-1", on=False),)), "missing"),
        (
            Environment(
                servers="assistant", changes=(GoalChange(kind="removed", table="x.y", id="1"),)
            ),
            "no server has the table",
        ),
    ]
    for environment, told in wrong:
        with pytest.raises(TaskError, match=told):
            EXECUTOR.check(TASK.model_copy(update={"environment": environment}))
    with pytest.raises(TaskError, match="no world"):
        EXECUTOR.execute(TASK.model_copy(update={"environment": None}), gold_plan(TASK))


graphs = st.integers(1, 9).flatmap(
    lambda count: st.sets(
        st.tuples(st.integers(1, count), st.integers(1, count)).filter(lambda p: p[0] < p[1])
    ).map(
        lambda pairs: WorkflowGraph(
            nodes=tuple(Node(id=str(at), task="x") for at in range(1, count + 1)),
            edges=tuple(Edge(source=str(one), target=str(other)) for one, other in pairs),
        )
    )
)


@given(graphs, st.integers(0, 3))
def test_sampled_orders_keep_every_edge_and_are_all_where_they_are_few(graph, seed):
    orders = sampled_orders(graph, seed)

    assert orders == sampled_orders(graph, seed)
    assert len(set(orders)) == len(orders) <= MOST_ORDERS
    for order in orders:
        assert all(order.index(one) < order.index(other) for one, other in graph.edges_between())
    every = {*topological_orders(graph, MOST_ORDERS + 1)}
    if len(every) <= MOST_ORDERS:
        assert {*orders} == every


@given(graphs, st.integers(0, 3))
def test_two_orders_of_a_pair_differ_in_the_pair_alone(graph, seed):
    pairs = parallel_pairs(graph, seed)

    assert len(pairs) <= MOST_PAIRS
    for one, other in pairs:
        first, second = both_ways(graph, one, other)
        at = first.index(one)
        assert first[at : at + 2] == (one, other) and second[at : at + 2] == (other, one)
        assert first[:at] + first[at + 2 :] == second[:at] + second[at + 2 :]
        for order in (first, second):
            assert all(order.index(a) < order.index(b) for a, b in graph.edges_between())


values = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["$1", "$2.time", "$$", "kitchen", "7 am"]),
    st.integers() | st.none() | st.booleans(),
    st.lists(st.integers(), max_size=2),
)
tools = st.sampled_from([*(action.name for action in ACTIONS), "x", "iot.no"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(tools, st.dictionaries(st.sampled_from(["house_place", "time", "x"]), values)),
        min_size=1,
        max_size=3,
    )
)
def test_no_plan_raises_and_each_execution_is_the_same_again(steps):
    nodes = tuple(
        Node(id=str(at), task="x", tool=tool, arguments=arguments)
        for at, (tool, arguments) in enumerate(steps, 1)
    )
    graph = WorkflowGraph(nodes=nodes, edges=())

    done = EXECUTOR.execute(TASK, graph, seed=1)
    assert done == EXECUTOR.execute(TASK, read_plan(write_json(graph)), seed=1)
    assert 0 <= done.share <= 1 and json.dumps(done.wrong)
