"""Gold workflows: whatever order their edges allow, the world ends as after the gold run."""

import pytest

from ossia.suites import find_suite
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_evaluation.worlds.gold import GoldRunner
from ossia_evaluation.worlds.workflow import OTHERWISE, Step, workflow_of
from ossia_workflows.graph import Edge, findings, topological_orders

ORDERS = 24


def edges(graph):
    return [(edge.source, edge.target, edge.condition) for edge in graph.edges]


def test_steps_come_after_what_they_rest_on_alone():
    graph = workflow_of(
        [
            Step("a", "look", "Look"),
            Step("b", "act", "Act", after=frozenset({0})),
            Step("c", "both", "Do both", after=frozenset({0, 1})),
            Step("d", "apart", "Do it apart"),
        ]
    )
    assert edges(graph) == [
        ("START", "1", None),
        ("START", "4", None),
        ("1", "2", None),
        ("2", "3", None),
        ("3", "5", None),
        ("4", "5", None),
        ("5", "END", None),
    ]


def test_a_condition_is_a_way_and_leaves_another():
    steps = [Step("a", "look", "Look"), Step("b", "act", "Act", condition="it rains", decided=0)]
    graph = workflow_of(steps)
    assert Edge(source="1", target="2", condition="it rains") in graph.edges
    assert Edge(source="1", target="3", condition=OTHERWISE) in graph.edges


def test_nothing_to_do_is_a_workflow_too():
    assert edges(workflow_of([])) == [("START", "1", None), ("1", "END", None)]


@pytest.mark.parametrize("suite", ["assistant-compound", "workbench"])
def test_no_gold_workflow_has_a_flaw(suite):
    found = find_suite(suite)
    tasks = found.tasks("test")
    graphs = [found.workflow(task, found.domains("test")) for task in tasks]
    assert len(graphs) >= 90
    flawed = {t.id: findings(g) for t, g in zip(tasks, graphs, strict=True) if findings(g)}
    assert flawed == {}


def test_wishes_can_be_done_in_every_order_that_their_edges_allow():
    suite = find_suite("assistant-compound")
    domains = suite.domains("test")
    runner, free = GoldRunner(domains), 0
    for task in assistant_tasks("test", "assistant-compound"):
        parts, gold = task.gold.parts, runner.gold(task)
        orders = list(topological_orders(suite.workflow(task, domains), ORDERS))
        free += len(orders) > 1
        for order in orders:
            assert order[-1] == str(len(parts) + 1), "the user is told last"
            done = [parts[int(name) - 1] for name in order[:-1]]
            requests = [r for part in done if part.due for r in part.gold().gold_requests()]
            assert runner.run(task, requests).diff == gold.diff, (task.id, order)
    assert free == 25, "so many tasks leave a choice"


def test_only_words_of_the_user_and_names_of_tools_are_told():
    suite = find_suite("assistant-compound")
    (task,) = (t for t in suite.tasks("test") if t.id == "compound-018")
    told = suite.workflow(task, suite.domains("test")).model_dump_json()
    assert "one hour before it" in told
    assert "08:00" not in told and "2026-03-17" not in told
    office = find_suite("workbench")
    (task,) = (t for t in office.tasks("test") if t.id == "test-ca-cancel-all-6")
    (step, last) = office.workflow(task, office.domains("test")).nodes
    assert (step.tool, step.arguments) == ("calendar.delete_event", {}), "six of them are one step"
    assert last.tool is None
