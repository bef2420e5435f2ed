"""Verdicts in shares, as a table of a program and as a page."""

import csv
import io

import pytest

from ossia_evaluation.compare import compare
from ossia_evaluation.report import report_html
from ossia_evaluation.report.part import ReportPart
from ossia_evaluation.workbench.categories import Category, categorise
from ossia_evaluation.workbench.report_part import part_html
from ossia_evaluation.workbench.summary import CSV_COLUMNS, TaskVerdict, summaries_csv, summarise


def verdict(number, *, correct, succeeded=None, side_effects=False, actions=1, category=None):
    return TaskVerdict(
        task=f"t{number}",
        domain="email" if number % 2 else "calendar",
        template="<b>forward</b>",
        query="q",
        truth_actions=actions,
        correct=correct,
        succeeded=succeeded,
        side_effects=side_effects,
        category=category,
        exact=correct,
    )


SUMMARY = summarise(
    "wb-test",
    [
        verdict(1, correct=True),
        verdict(2, correct=True, actions=0),
        verdict(3, correct=False, side_effects=True, category=Category.WRONG_EMAIL),
        verdict(4, correct=False, actions=12, category=Category.OTHER),
    ],
)


def test_every_share_has_a_line():
    lines = list(csv.DictReader(io.StringIO(summaries_csv({"camel, m": SUMMARY}))))
    assert tuple(lines[0]) == CSV_COLUMNS
    found = {(line["group"], line["name"]): line for line in lines}
    assert {line["of"] for line in lines} == {"camel, m"}
    assert found["domain", "all"]["accuracy"] == "0.5000"
    assert found["domain", "email"]["side_effect_rate"] == "0.5000"
    assert found["need", "no action"]["correct"] == "1"
    assert found["need", "one or more actions"]["tasks"] == "3"
    assert [name for kind, name in found if kind == "actions"] == ["0", "1", "12"]
    assert found["error", "wrong_email"]["side_effects"] == "1"
    assert found["error", "other"]["side_effects"] == "0"


def test_ossias_own_verdict_stands_beside_the_publications():
    said = summarise("wb", [verdict(1, correct=True, succeeded=False)])
    assert (said.total.correct, said.total.succeeded) == (1, 0)
    (line,) = (
        line
        for line in csv.DictReader(io.StringIO(summaries_csv({"m": said})))
        if line["group"] == "domain" and line["name"] == "all"
    )
    assert (line["correct"], line["succeeded"]) == ("1", "0")
    assert SUMMARY.total.succeeded is None


def test_the_page_shows_lines_side_by_side_and_is_safe():
    other = summarise("wb-test", [verdict(1, correct=False, category=Category.LIMIT)])
    empty = compare([], run="r", frameworks={}, roles=(), planned=0, facts={})
    html = part_html({"camel": SUMMARY, "autogen": other})
    page = report_html(empty, (), (), part=ReportPart("WorkBench", "workbench", html))
    assert page.count('<a href="#workbench">') == 1
    assert "50.0 / 25.0" in page
    assert '<tr><th scope="row">12</th><td>0.0 / 0.0' in page
    assert "<b>forward" not in page
    assert "iteration_or_time_limit" in page
    assert "workbench" not in report_html(empty, (), ())


@pytest.mark.parametrize(
    ("error", "category"),
    [
        ("Context window exceeded", Category.CONTEXT),
        ("This model's maximum context length is 8192 tokens", Category.CONTEXT),
        ("code: context_length_exceeded", Category.CONTEXT),
        ("prompt is too long: 210000 tokens > 200000 maximum", Category.CONTEXT),
        ("Agent stopped due to iteration limit or time limit.", Category.LIMIT),
        ("Could not parse LLM output: in this context I would", Category.LIMIT),
        ("", Category.NO_ACTIONS),
    ],
)
def test_what_ended_a_run(error, category):
    assert categorise((), ("x",), error) is category
