"""The terminal's tables and the files for programs."""

import csv
import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from ossia.attribution.matrix import matrices, mode_lines, role_table
from ossia.attribution.run import Result
from ossia.attribution.shown import cost_line, evidence_lines, near_miss_lines, result_tables
from ossia.attribution.written import as_json, attributions_csv, failures_csv, modes_csv
from ossia_evaluation.attribution import Attribution, Cause, Deviation, NearMiss, Status
from ossia_evaluation.attribution.columns import ROLES, summarise
from ossia_evaluation.detectors import Detection, mode_table

FRAMEWORKS = ("agentlite", "autogen", "camel", "control", "langgraph")


def found(framework, number):
    role = "request" if number % 3 == 0 else ("intent", "manager", "url")[number % 3]
    cause = Cause(
        step=-1 if number == 3 else 2,
        situation=f"{role}#1",
        role=role,
        responsibility=1.0,
        necessary=True,
        sufficient=True,
        said="a",
        meant="b",
        fault="said a",
        remedy="with b",
    )
    return Attribution(
        episode=f"{framework}.t{number}.1",
        task=f"t{number}",
        framework=framework,
        domain="transport",
        intent=f"transport_query_{number % 2}",
        status=Status.ATTRIBUTED,
        reason="r",
        families=((cause.situation,),),
        causes=(cause,),
        evidence="*url* said a, and [b] no markup",
        rules=("intent", "url"),
        opportunities=ROLES,
        replays=2,
    )


@pytest.fixture(scope="module")
def result():
    items = [found(framework, number) for framework in FRAMEWORKS for number in range(120)]
    sign = Detection(mode="3.1", step=1, role="manager", sentence="manager ended")
    detections = {item.episode: (sign, sign) for item in items if item.framework == "camel"}
    return Result(
        failures=len(items),
        attributions=tuple(items),
        near_misses=(),
        summary=summarise("run", items, attribution_cpu_s=30.0, run_cpu_s=40.0),
        detections=detections,
        modes=mode_table((item.framework, detections.get(item.episode, ())) for item in items),
        verifications={},
    )


def bounds(table, role):
    columns = next(each for each in table.roles if each.role == role)
    return columns.mass_low, columns.mass_high


def printed(what, width=80):
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(what)
    return console.file.getvalue()


@pytest.mark.parametrize("by", ["framework", "domain", "intent"])
def test_the_matrices_fit_eighty_columns_and_hide_nothing(result, by):
    text = printed(matrices(result.summary, by))
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for table in result.summary.of(by):
        assert table.group[:10] in text, "a long name goes on in the next line"
    assert text.count("40 33%") == (0 if by != "framework" else 2 * 3 * len(FRAMEWORKS))


def test_all_columns_of_a_framework_fit_eighty_columns(result):
    for table in result.summary.of("framework"):
        text = printed(role_table(table))
        assert max(map(len, text.splitlines()[2:])) <= 80
        assert "33 [26,42]/120" in text
        line = next(line for line in text.splitlines() if line.startswith("function call"))
        low, high = (round(100 * bound) for bound in bounds(table, "function call"))
        assert line.split()[8:10] == ["33", f"[{low},{high}]"], "the mass has its interval"
        assert "…" not in text
        assert ("T3" in text) == (table.group != "control")


def test_failure_modes_are_counted_by_framework(result):
    text = printed(mode_lines(result.modes), 100)
    (line,) = [line for line in text.splitlines() if "3.1 Premature termination" in line]
    assert line.split()[-5:] == ["-", "120", "100%", "-", "-"]


def test_the_cost_is_told_with_both_sides(result):
    assert cost_line(result.summary) == (
        "CPU time, all processes: attribution by run 0.75 (30.0 s / 40.0 s)"
    )
    assert "by run - (- s / - s)" in cost_line(summarise("r", []))
    assert "attribution by run 0.75" in printed(result_tables(result, "domain"), 160)


def test_csv_holds_every_figure(result):
    rows = list(csv.DictReader(io.StringIO(failures_csv(result.summary.of("framework")))))
    assert len(rows) == len(FRAMEWORKS) * len(ROLES)
    camel = next(row for row in rows if (row["group"], row["role"]) == ("camel", "function call"))
    assert (camel["causes_count"], camel["causes_of"], camel["causes_share"]) == (
        *("40", "120"),
        "0.3333",
    )
    assert (camel["published_percent"], camel["mass"]) == ("18", "0.3333")
    assert 0.2 < float(camel["mass_low"]) < 0.3333 < float(camel["mass_high"]) < 0.5
    modes = list(csv.DictReader(io.StringIO(modes_csv(result.modes))))
    assert len(modes) == 14 * len(FRAMEWORKS)
    causes = list(csv.DictReader(io.StringIO(attributions_csv(result))))
    assert len(causes) == 600
    assert {row["modes"] for row in causes if row["framework"] == "camel"} == {"3.1"}
    assert [row["step"] for row in causes[:4]] == ["3", "3", "3", ""]


def test_json_holds_everything(result):
    made = json.loads(json.dumps(as_json(result)))
    assert (made["version"], made["failures"], made["cpu_ratio"]) == (4, 600, 0.75)
    assert len(made["attributions"]) == 600
    assert {table["by"] for table in made["summary"]["tables"]} == {
        *("all", "framework", "domain", "intent")
    }
    assert made["detections"]["camel.t1.1"][0]["mode"] == "3.1"
    assert len(made["modes"]["rows"]) == 14


def deviation(situation, absorbed=None, **other):
    return Deviation(
        step=4,
        situation=situation,
        role=situation.replace("#", "@").partition("@")[0],
        fault="left a slot out [b]",
        absorbed_by=absorbed,
        **other,
    )


def with_harmless():
    item = found("camel", 1)
    cause = item.causes[0].model_copy(update={"responsibility": 0.5})
    both = (cause, cause.model_copy(update={"situation": "url#2"}))
    deviations = (
        deviation("time#1", "url#1"),
        deviation("location#1"),
        deviation("manager#1", cause=True),
    )
    update = {"causes": both, "families": (("manager#1", "url#2"),), "deviations": deviations}
    return item.model_copy(update=update)


def test_the_terminal_tells_responsibility_and_what_was_absorbed():
    text = " ".join(printed(evidence_lines([with_harmless()]), 200).split())
    assert "manager#1 0.50 + url#2 0.50" in text
    assert "(absorbed downstream: time#1 by url#1)" in text
    assert "absorbed" not in printed(evidence_lines([found("camel", 1)]), 200)


def test_csv_tells_what_was_absorbed_and_by_which_step(result):
    item = with_harmless()
    made = attributions_csv(replace(result, attributions=(item,)))
    first, second = csv.DictReader(io.StringIO(made))
    assert (first["harmless"], first["absorbed_by"]) == ("time#1 | location#1", "time#1 by url#1")
    assert [line["responsibility"] for line in (first, second)] == ["0.5000", "0.5000"]
    assert second["replays"] == "2"


def near_misses(count):
    return tuple(
        NearMiss(
            episode=f"camel.t{number}.1",
            task=f"t{number}",
            framework="camel",
            deviations=(deviation("manager@intent>location"),),
        )
        for number in range(count)
    )


def test_near_misses_are_listed_and_the_rest_is_counted(result):
    few, many = near_misses(3), near_misses(14)
    text = printed(near_miss_lines(few))
    assert max(map(len, text.splitlines())) <= 80
    for number in range(3):
        assert f"camel.t{number}.1" in text
    assert "5 manager@intent>location" in text
    assert "left a slot out [b]" in " ".join(text.split())
    assert "more" not in text
    text = printed(result_tables(replace(result, near_misses=many), "framework"), 160)
    assert "camel.t9.1" in text and "camel.t10.1" not in text
    assert "and 4 more; --json and the HTML report list all" in text
