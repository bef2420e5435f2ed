"""A run in the publication's tables, on a page and on a terminal."""

from dataclasses import replace

from ossia_evaluation.flowbench.metrics import SESSION_METRICS, TURN_METRICS
from ossia_evaluation.flowbench.report_part import report_part
from ossia_evaluation.flowbench.tables import flow_tables
from ossia_evaluation.flowbench.turn_grader import TurnGrader
from ossia_evaluation.metrics import checked
from ossia_evaluation.report.table import TAKEN_COLUMNS
from tests.evaluation.compared import compared
from tests.evaluation.flowbench.support import (
    GOLDS,
    GRADER,
    RIDE,
    TWICE,
    right_turns,
    saying,
    trace_of,
    turn_task,
    without,
)


def in_form(session, form):
    return session.model_copy(update={"id": f"{session.id}.{form}", "knowledge": form})


def played(cases):
    """Tasks and graded episodes of sessions, forms and turns."""
    tasks, episodes = {}, []
    for session, form, turns, ending in cases:
        task = in_form(session, form)
        trace = trace_of(task, turns, ending)
        tasks[task.id] = task
        episodes.append((trace, GRADER.score(task, trace)))
    return tasks, episodes


CASES = [
    (RIDE, "flowchart", right_turns(RIDE), "answered"),
    (TWICE, "flowchart", right_turns(TWICE), "answered"),
    (RIDE, "none", without(right_turns(RIDE), "fare", 1), "answered"),
    (TWICE, "none", without(right_turns(TWICE), "fare", 2), "timeout"),
    (RIDE, "text", saying(right_turns(RIDE), "0472", "4720"), "answered"),
    (TWICE, "text", right_turns(TWICE), "infrastructure"),
]


def tables_of(cases):
    tasks, episodes = played(cases)
    found = flow_tables(tasks, episodes, lambda trace: trace.episode.framework)
    return {
        table.name: {
            row[: table.lead]: dict(zip(table.columns, row, strict=True)) for row in table.rows
        }
        for table in found
    }


def test_forms_stand_in_the_publications_order_beside_its_figures():
    table = tables_of(CASES)["knowledge"]
    assert [row[1:] for row in table if row[0] == "camel"] == [
        ("none", "single"),
        ("none", "cross"),
        ("text", "single"),
        ("flowchart", "single"),
        ("flowchart", "cross"),
    ]
    for kind in ("single", "cross"):
        best = table["camel", "flowchart", kind]
        assert (best["n"], best["success"], best["tool F1"]) == ("1", "100.0", "100.0")
    # Four gold calls, of which three are made; six, of which five are, and the session timed out.
    bare = [table["camel", "none", kind] for kind in ("single", "cross")]
    assert [row["tool F1"] for row in bare] == ["85.7", "90.9"]
    assert [row["success"] for row in bare] == ["0.0", "0.0"]
    assert table["GPT-4o, published", "flowchart", "single"]["success"] == "42.7"
    assert table["GPT-4-Turbo, published", "ensemble", "single"]["success"] == "45.3"


def test_invalid_episodes_are_left_out_and_errors_are_not():
    table = tables_of(CASES)["knowledge"]
    assert ("camel", "text", "cross") not in table
    assert table["camel", "none", "cross"]["n"] == "1"
    assert tables_of(CASES[-1:]) == {}


def test_deviations_are_counted_by_their_kind():
    table = tables_of(CASES)["failures"]
    assert table["camel", "none"]["incorrect transition"] == "1 50%"
    assert table["camel", "text"]["other"] == "1 100%"
    assert table["camel", "flowchart"]["all"] == "0"


def test_failed_sessions_are_counted_by_what_they_do_wrong_first():
    table = tables_of(CASES)["causes"]
    assert (table["camel", "none"]["failed"], table["camel", "none"]["wrong transition"]) == (
        "2",
        "1",
    )
    assert table["camel", "text"]["forgotten fact"] == "1"
    assert table["camel", "flowchart"]["failed"] == "0"


def test_it_is_told_where_the_published_measure_parts():
    table = tables_of(CASES)["measures"]
    assert table["camel", "flowchart"]["episodes apart"] == "0 of 2"
    assert table["camel", "none"]["episodes apart"] == "1 of 2"
    assert table["camel", "none"]["published higher"] == "1"


def test_domains_have_a_column_for_each_form():
    table = tables_of(CASES)["domain"]["camel", "Travel&Transportation"]
    assert (table["n"], table["none success"], table["flowchart success"]) == ("5", "0.0", "100.0")


def test_turns_have_their_own_table():
    task = turn_task(RIDE, 2)
    turns = right_turns(RIDE)
    trace = trace_of(task, turns[2:3], before=turns[1].calls)
    grade = TurnGrader(GOLDS).score(task, trace)
    tables = {
        table.name: table
        for table in flow_tables({task.id: task}, [(trace, grade)], lambda trace: "camel")
    }
    assert "failures" not in tables
    columns = tables["knowledge"].columns
    row = dict(zip(columns, tables["knowledge"].rows[0], strict=True))
    assert (row["response"], row["tool F1"]) == ("100.0", "100.0")
    assert ("GPT-4o, published", "flowchart", "single") in {
        row[:3] for row in tables["knowledge"].rows
    }


def test_the_page_escapes_what_it_shows():
    hostile = RIDE.model_copy(update={"field": "<script>alert(1)</script>"})
    tasks, episodes = played([(hostile, "text", right_turns(RIDE), "answered")])
    part = report_part(tasks, episodes, compared())
    assert part is not None
    assert "<script>" not in part.html
    assert "&lt;script&gt;" in part.html
    assert part.files["flowbench_knowledge.csv"].startswith("framework,knowledge,session,n")


def test_a_run_without_a_valid_episode_has_no_part():
    tasks, episodes = played(CASES[-1:])
    assert report_part(tasks, episodes, compared()) is None


def test_metrics_can_stand_in_the_common_tables():
    assert len(checked(SESSION_METRICS, TAKEN_COLUMNS)) > len(checked(TURN_METRICS, TAKEN_COLUMNS))
    tasks, episodes = played(CASES)
    for trace, grade in episodes[:-1]:
        told = {m.name: m.value(tasks[trace.episode.task], trace, grade) for m in SESSION_METRICS}
        assert None not in told.values()
        assert told["progress"] == grade.goals.recall
    nothing = replace_calls(episodes[0][1])
    assert {m.name: m for m in SESSION_METRICS}["tool_f1"].value(None, None, nothing) is None


def replace_calls(grade):
    return grade.model_copy(update={"calls": replace(grade.calls, gold=0, predicted=0, right=0)})
