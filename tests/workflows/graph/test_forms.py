"""What is written of a graph is read as the same graph."""

import pytest
from hypothesis import given

from ossia_workflows.graph import (
    GraphError,
    read_code,
    read_dot,
    read_json,
    read_mermaid,
    read_steps,
    read_text,
    write_code,
    write_dot,
    write_json,
    write_mermaid,
    write_steps,
    write_text,
)
from tests.workflows.graph.graphs import graph, graphs

WHOLE = {
    "json": (write_json, read_json),
    "mermaid": (write_mermaid, read_mermaid),
    "dot": (write_dot, read_dot),
    "code": (write_code, read_code),
}


@pytest.mark.slow
# In one test, since making the graphs takes longer than writing and reading them.
@given(made=graphs())
def test_a_graph_survives_its_forms(made):
    for form, (write, read) in WHOLE.items():
        assert read(write(made)) == made, form
    # As steps with the edges of each step together.
    places = {name: at for at, name in enumerate(("START", *made.by_id))}
    edges = tuple(sorted(made.edges, key=lambda edge: places[edge.source]))
    assert read_steps(write_steps(made)) == made.model_copy(update={"edges": edges})
    # The published text keeps tasks and edges.
    if made.nodes and made.edges:
        assert read_text(write_text(made)) == made.tasks_alone()


@pytest.mark.parametrize(
    "text",
    [
        "Node:\n1.do A\n2.do B\nEdges:\n(START,1)\n(1,2)\n(2,END)",
        "**Node:**\n**1:** do A\n**2:** do B\n**Edges:** (START,1) (1,2) (2,END)",
        "Sure!\nnodes:\n1) do A\n\n2) do B\nSome 3. prose\nEdges: (start, 1), (1,2), (2,end)",
        "Node:\n\u0661: do A\n\u0662: do B\nEdges: (START,\u0661) (\u0661,\u0662) (\u0662,END)",
        "Node:\n2: do B\n1: do A\nEdges: (START,1) (1,2) (2,END)\n\nWhy:\n1. first A",
        "Node 1: do A\nNode 2: do B\nEdges: (START,1) (1,2) (2,END)",
        'Node:\r\n1: do A\r\n2: do B\r\nEdges: ("START",1) (1,2) (2,"END")',
        "Node:\n1: do A\n2: do B\nEdges: (START,1) (1,2) (2,END)\nNode:\n1: do X\nEdges: (1,END)",
    ],
)
def test_plans_are_read_by_number(text):
    read = read_text(text)
    assert {node.id: node.task for node in read.nodes} == {"1": "do A", "2": "do B"}
    assert [(e.source, e.target) for e in read.edges] == [
        ("START", "1"),
        ("1", "2"),
        ("2", "END"),
    ]


BAD = {
    "text": (
        read_text,
        [
            ("", "no numbered node"),
            ("I cannot help with that.", "no numbered node"),
            ("Node:\n1: a\n2: b", "no edge"),
            ("Node:\n1: a\nEdge: 1->2", "no edge"),
            ("Node:\n1: a\n1: b\nEdge: (START,1)", "2 nodes have the number or name 1"),
            ("Node:\n1: a\nEdge: (START,7)", "names 7, which is no node"),
            ("Node:\n" + "\n".join(f"{i}: a" for i in range(10_000)) + "\nEdge: (1,2)", "10000"),
        ],
    ),
    "json": (
        read_json,
        [
            ("", "Invalid JSON"),
            ("[]", "should be an object"),
            ('{"nodes":[],"edges":[],"more":1}', "more"),
            ('{"version":2,"nodes":[],"edges":[]}', "version"),
            ('{"nodes":[{"id":"1","task":" "}],"edges":[]}', "says nothing"),
            ('{"nodes":[{"id":"END","task":"a"}],"edges":[]}', "cannot be called END"),
            ('{"nodes":[{"id":"1","task":"a","arguments":{"b":1}}],"edges":[]}', "no tool"),
            ('{"nodes":[],"edges":[{"source":"END","target":"END"}]}', "from END"),
        ],
    ),
    "mermaid": (
        read_mermaid,
        [
            ("", "no flowchart"),
            ("sequenceDiagram", "line 1"),
            ("flowchart TD\n click n_1 call()", "line 2"),
            ('flowchart TD\n n_1["a<br/>b"]', "no call and no slots"),
            ('flowchart TD\n n_1["a<br/>call f({)"]', "no JSON"),
            ("flowchart TD\n n_1 --> n_2", "no node"),
        ],
    ),
    "dot": (
        read_dot,
        [
            ("", "digraph"),
            ("graph {}", "digraph"),
            ("digraph g { n_1 }", "';'"),
            ("digraph g { n_1; }", "no node with a label"),
            ("digraph g { x -> END; }", "begins with n_"),
            ("digraph g { ' }", "unreadable"),
        ],
    ),
    "steps": (
        read_steps,
        [
            ("", "begins with START"),
            ("a: do it", "begins with START"),
            ("START\n\nwhat comes now", "no step begins"),
            ("START\n  - go on with a", "a, which is no node"),
            ("START\n  - asks name", "only leads on"),
            ("START\n\na: do it\n  - fly", "no call and no slots"),
            ('START\n\na: "do it', "no JSON string"),
        ],
    ),
    "code": (
        read_code,
        [
            ("", "begins with"),
            ("plan = Workflow(", "no Python"),
            ("(" * 5000, "no Python"),
            ("plan = Workflow()\nimport os", "line 2"),
            ("plan = Workflow()\nn_1 = plan.step(open('x'))", "plain values"),
            ("plan = Workflow()\nn_1 = plan.step('a', tol='b')", "tol"),
            ("plan = Workflow()\nn_1 = plan.step('a', **{})", r"\*\*"),
            ("plan = Workflow()\nn_1 = plan.step('a', 'b')", "one text"),
            ("plan = Workflow()\nplan.edge(START)", "two names"),
            ("plan = Workflow()\nn_1 = plan.step(1)", "task"),
        ],
    ),
}


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [(read, *case) for read, cases in BAD.values() for case in cases],
)
def test_what_is_no_graph_is_refused_in_one_line(read, text, said):
    with pytest.raises(GraphError, match=said) as error:
        read(text)
    assert "\n" not in str(error.value) and len(str(error.value)) < 400


def test_conditions_and_calls_can_be_seen_in_the_forms():
    made = graph("START-1 1-END", **{"1": {"tool": "mail.send", "arguments": {"to": "Ann"}}})
    for write, _ in WHOLE.values():
        assert "mail.send" in write(made) and "Ann" in write(made)
