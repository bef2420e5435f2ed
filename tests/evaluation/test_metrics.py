"""Metrics that a suite declares, from episodes to every table."""

import json
from dataclasses import dataclass, field

import pytest
from pydantic import ValidationError
from rich.console import Console

from ossia_dataset.tasks import Task
from ossia_evaluation.compare import Comparison, compare, episode_row
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric, checked
from ossia_evaluation.report import (
    TAKEN_COLUMNS,
    by_group_csv,
    comparison_csv,
    episodes_csv,
    report_html,
)
from ossia_evaluation.report.terminal import comparison_tables

from .compared import read, shares
from .support import WAKE, gold_play

METRICS = (
    Metric(
        name="passed",
        title="tests [green] <b>passed</b>",
        better="higher",
        aggregate="share",
        help="every test of the task passes",
        by_group=True,
    ),
    Metric(name="quality", title="quality", aggregate="mean", form=".3f", by_group=True),
    Metric(name="edits", column="edits_made", title="edits", better="lower", aggregate="count"),
    Metric(
        name="retries",
        title="retries",
        help="calls made again",
        aggregate="mean",
        place="line",
        read=lambda task, trace, grade: len(task.utterance),
    ),
    Metric(
        name="tool",
        title="tool",
        aggregate=None,
        read=lambda task, trace, grade: "ruff",
        tell=lambda task, trace, grade: ("ruff", "in two files"),
    ),
)


class Puzzle(Task):
    """A task of a suite that has nothing of the others."""

    topic: str | None = None

    @property
    def groups(self):
        return {} if self.topic is None else {"topic": self.topic}


@dataclass(frozen=True)
class Episode:
    framework: str
    model: str
    topic: str | None
    verdict: str
    metrics: dict = field(default_factory=dict)


EPISODES = (
    Episode("one", "a", "graphs", "success", {"passed": True, "quality": 0.5, "edits": 3}),
    Episode("one", "a", "sums", "failure", {"passed": False, "quality": 1.0, "edits": 2}),
    Episode("one", "a", "sums", "invalid", {"passed": True, "quality": 1.0, "edits": 99}),
    Episode("one", "b", "graphs", "success", {"passed": 1, "edits": 0}),
    Episode("two", "a", "graphs", "failure", {}),
)


def rows(episodes=EPISODES, metrics=METRICS):
    trace = gold_play(WAKE).trace()
    found = []
    for number, episode in enumerate(episodes):
        task = Puzzle(id=f"p-{number}", suite="puzzles", utterance="xy", topic=episode.topic)
        grade = Grade(verdict=Verdict(episode.verdict), reason="told", metrics=episode.metrics)
        names = {"framework": episode.framework, "model": episode.model, "id": f"e{number}"}
        key = trace.episode.model_copy(update={**names, "task": task.id})
        played = trace.model_copy(update={"episode": key})
        found.append(episode_row(task, played, grade, metrics))
    return found


def compared(found, metrics=METRICS):
    return compare(
        found,
        run="r",
        frameworks=dict.fromkeys(("one", "two"), ""),
        roles=(),
        planned=len(found),
        facts={"suite": "puzzles"},
        models=("a", "b"),
        metrics=metrics,
        success="every test passes",
    )


def shown(result, width=200):
    console = Console(width=width, force_terminal=False)
    with console.capture() as text:
        console.print(comparison_tables(result))
    return text.get()


def test_each_metric_is_counted_as_it_is_declared():
    result = compared(rows())
    one, other, two = result.frameworks
    passed, quality, edits = (one.metrics[name] for name in ("passed", "quality", "edits"))
    # The invalid episode is in none of them.
    assert (passed.count, passed.of, passed.tasks) == (1, 2, 2)
    assert (quality.mean, quality.of) == (0.75, 2)
    assert (edits.total, edits.of) == (5, 2)
    assert one.metrics["retries"].mean == 2
    assert "tool" not in one.metrics
    assert (other.metrics["passed"].count, other.metrics["quality"].value) == (1, None)
    assert (two.metrics["passed"].value, two.metrics["edits"].value) == (None, None)
    assert (result.group, result.groups) == ("topic", ("graphs", "sums"))
    assert one.metrics_by_group["quality"]["sums"].mean == 1.0
    assert set(one.metrics_by_group) == {"passed", "quality"}
    assert (one.by_group["graphs"].count, one.by_group["sums"].count) == (1, 0)


def test_what_is_stored_is_read_again_with_its_declarations():
    result = compared(rows())
    stored = json.loads(result.model_dump_json())
    assert stored["version"] == 7
    assert [metric["name"] for metric in stored["metrics"]] == [m.name for m in METRICS]
    assert stored["metrics"][2]["better"] == "lower"
    assert stored["frameworks"][0]["metrics"]["edits"] == {"total": 5.0, "of": 2}
    again = Comparison.model_validate(stored)
    assert again == result
    assert shown(again) == shown(result)


def test_the_terminal_shows_them_and_nothing_of_other_suites():
    text = shown(compared(rows()))
    head = next(line for line in text.splitlines() if "success [95 %]" in line)
    for name in ("tests [green] <b>passed</b> [95 %]", "quality", "edits", "invalid"):
        assert name in head
    assert "retries" not in head
    line = next(line for line in text.splitlines() if line.startswith(" one        m1"))
    share = ["0.50", "[0.09,", "0.91]"]
    assert line.split() == ["one", "m1", *share, "2", *share, "0.750", "5", "1"]
    assert "Tests [green] <b>passed</b>: every test of the task passes." in text
    assert "Retries (calls made again): one m1 2.00, one m2 2.00, two m1 2.00" in text
    assert "Success by topic" in text
    assert "Quality, by topic\n" in text
    assert "Tests [green] <b>passed</b>, by topic, %" in text
    for word in ("slot", "clarification", "side effects", "Acted", "unparsed", "Intent", "domain"):
        assert word not in text


@pytest.mark.parametrize("width", [60, 80])
def test_on_a_narrow_terminal_nothing_is_broken(width):
    lines = shown(compared(rows()), width).splitlines()
    tables = [line for line in lines if line.startswith(" ")]
    assert max(map(len, tables)) <= width
    assert "0.750" in " ".join(tables).split()


def test_the_page_shows_them_escaped():
    found = rows()
    page = report_html(compared(found), found, ())
    head = page[page.index('<table class="data" id="success">') :].partition("</thead>")[0]
    assert "tests [green] &lt;b&gt;passed&lt;/b&gt; [95 %]</th>" in head
    assert 'title="every test of the task passes; higher is better"' in head
    assert '<th scope="col" title="lower is better">edits</th>' in head
    assert "<b>passed" not in page
    assert "Success: every test passes. Tests [green]" in page
    assert 'id="by-group-quality"' in page and "0.500 → -" in page
    for word in ("slot score", "clarifications", "Acted", "gold run", "by-domain"):
        assert word not in page


def test_the_tables_as_csv_have_a_column_for_each():
    found = rows()
    result = compared(found)
    lines = read(episodes_csv(found))
    assert list(lines[0])[:4] == ["episode", "task", "topic", "framework"]
    assert [line["passed"] for line in lines] == ["True", "False", "", "True", ""]
    assert (lines[0]["edits"], lines[0]["tool"], lines[2]["edits"]) == ("3.0", "ruff", "")
    one, other, two = read(comparison_csv(result))
    assert shares(one, "passed")[:3] == ("1", "2", "0.5000")
    assert (one["quality"], one["edits_made"], one["retries"]) == ("0.75", "5", "2.0")
    assert (other["quality"], other["edits_made"]) == ("", "0")
    assert set(shares(two, "passed")) == {two["edits_made"]} == {""}
    assert "tool" not in one and "edits" not in one
    by_topic = {(x["framework"], x["model"], x["topic"]): x for x in read(by_group_csv(result))}
    assert by_topic["one", "a", "sums"]["quality"] == "1.0"
    assert by_topic["two", "a", "sums"]["quality"] == ""


def test_tasks_without_groups_have_no_table_by_them():
    some = rows([Episode("one", "a", None, "success"), Episode("one", "a", "sums", "failure")])
    result = compared(some)
    assert (result.group, result.groups) == ("topic", ("", "sums"))
    assert " -      1  1.00" in shown(result)
    none = rows([Episode("one", "a", None, "success")])
    result = compared(none)
    assert (result.group, result.groups) == ("", ())
    assert "Success by" not in shown(result).replace("Success by outcome", "")
    assert "by-group" not in report_html(result, none, ())


@pytest.mark.parametrize(
    ("metric", "told", "said"),
    [
        ({"aggregate": "share"}, {"it": 0.5}, "must be true or false, not 0.5"),
        ({"read": lambda *_: "many"}, {}, "is counted, but its value is a text: 'many'"),
        ({"read": lambda *_: float("nan")}, {}, "is not a number: nan"),
    ],
)
def test_a_value_that_cannot_be_counted_is_told(metric, told, said):
    metrics = (Metric(name="it", title="it", **metric),)
    with pytest.raises(ValueError, match="the metric 'it' ") as error:
        rows([Episode("one", "a", None, "success", told)], metrics)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "wrong",
    [{"form": "zz"}, {"form": "1000d"}, {"name": "a b"}, {"name": ""}, {"title": ""}],
)
def test_a_metric_that_cannot_be_shown_is_refused(wrong):
    with pytest.raises(ValidationError):
        Metric(**{"name": "it", "title": "it", **wrong})


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (({"name": "task"},), "task"),
        (({"name": "success"},), "success"),
        (({"name": "it", "column": "calls"},), "calls"),
        (({"name": "it"}, {"name": "it"}), "it"),
        (({"name": "it"}, {"name": "other", "column": "it"}), "it"),
    ],
)
def test_metrics_that_share_a_column_are_refused(names, taken):
    metrics = [Metric(title="it", **name) for name in names]
    with pytest.raises(ValueError, match=f"more than one column '{taken}'"):
        checked(metrics, TAKEN_COLUMNS)
    assert checked(METRICS, TAKEN_COLUMNS) == METRICS


@pytest.mark.parametrize("kind", ["../x", "model", "role", "A b", ""])
def test_groups_that_can_be_no_column_are_refused(kind):
    class Odd(Task):
        @property
        def groups(self):
            return {kind: "x"}

    task = Odd(id="p", suite="puzzles", utterance="x")
    grade = Grade(verdict=Verdict.SUCCESS, reason="told")
    with pytest.raises(ValueError, match="tasks cannot be grouped by"):
        episode_row(task, gold_play(WAKE).trace(), grade)
