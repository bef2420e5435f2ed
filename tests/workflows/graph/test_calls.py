"""Steps that are calls: what is read as one, and what a plan of them is."""

import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_workflows.graph import (
    Call,
    GraphError,
    read_call,
    read_plan,
    references_of,
    write_call,
    write_json,
)

PLAN = """\
Node:
1: Look the task up: board.search(task_name="Draft (v2)")
2: board.move(task_id="$1.task_id", note="from $1.0.board for $$5", days=3)
Edge: (START,1) (1,2) (2,END)
"""


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('a.b(c="x, (y)", d=30, e=true)', Call("a.b", {"c": "x, (y)", "d": 30, "e": True})),
        ("`a.b()`.", Call("a.b", {})),
        ("Then: a.b(c=[1, {'d': null}])", Call("a.b", {"c": [1, {"d": None}]})),
        (r'a.b(c="\d")', Call("a.b", {"c": r"\d"})),
        ("do this (now)", None),
        ("email(s) are read", None),
        ("a.b('x')", None),
        ("a.b(**{'c': 1})", None),
        ("a.b(c=d)", None),
        ("a.b(c=open('x'))", None),
        ("a(b=1).c(d=2)", None),
        ("a.b(c=1, c=2)", None),
        ("a.b(" * 3000, None),
        ("a.b(c=" + "[" * 3000, None),
        ("a.b(c='\0')", None),
        ("a.b(" + "c" * 30_000, None),
        ("", None),
    ],
)
def test_only_a_call_with_plain_named_values_is_read(text: str, call: Call | None) -> None:
    with warnings.catch_warnings(action="error"):
        assert read_call(text) == call


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,9}_", fullmatch=True),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
        | st.integers()
        | st.booleans(),
    )
)
def test_what_is_written_is_read_again(arguments: dict[str, str | int | bool]) -> None:
    call = Call("calendar.create_event", dict(arguments))

    assert read_call(write_call(call)) == call
    assert "\n" not in write_call(call)


def test_a_plan_of_calls_is_read_from_text_and_from_json() -> None:
    plan = read_plan(PLAN)

    assert [node.tool for node in plan.nodes] == ["board.search", "board.move"]
    assert plan.nodes[1].arguments["days"] == 3
    assert list(references_of(plan.nodes[1])) == ["1"]
    assert read_plan(write_json(plan)) == plan
    assert read_plan(f"```json\n{write_json(plan)}\n```") == plan


def test_a_step_whose_values_no_graph_holds_stays_words() -> None:
    plan = read_plan("Node:\n1: a.b(c=1e999)\nEdge: (START,1) (1,END)")

    assert plan.nodes[0].tool is None


@pytest.mark.parametrize("text", ["", "no plan", "{", json.dumps({"nodes": []})])
def test_what_is_no_plan_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(GraphError) as refused:
        read_plan(text)
    assert "\n" not in str(refused.value)
