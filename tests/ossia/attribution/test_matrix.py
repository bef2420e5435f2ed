"""The terminal's tables and the files for programs."""

import csv
import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from ossia.attribution.matrix import matrices, mode_lines, role_table
from ossia.attribution.overview import overview
from ossia.attribution.run import Result
from ossia.attribution.shared_lines import evidence_lines, first_blocks, frameworks_text
from ossia.attribution.shown import cost_line, head, near_miss_groups, result_tables
from ossia.attribution.written import as_json, attributions_csv, failures_csv, modes_csv
from ossia.suites.assistant import ROLES
from ossia_evaluation.assistant.detectors.modes import MODES
from ossia_evaluation.assistant.published import TABLE_3
from ossia_evaluation.attribution import (
    Attribution,
    Cause,
    Deviation,
    NearMiss,
    Status,
    Verification,
    repair_text,
)
from ossia_evaluation.attribution.columns import RoleRows, summarise
from ossia_evaluation.attribution.shared import shared_failures, telling
from ossia_evaluation.detectors import Detection, mode_table

ROWS = RoleRows(ROLES, {"request": "function call"}, TABLE_3)
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
        summary=summarise("run", items, ROWS, attribution_cpu_s=30.0, run_cpu_s=40.0),
        detections=detections,
        modes=mode_table(
            MODES, ((item.framework, detections.get(item.episode, ())) for item in items)
        ),
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
        assert ("pub" in text) == (table.group != "control")


def test_failure_modes_are_counted_by_framework(result):
    text = printed(mode_lines(result.modes), 100)
    (line,) = [line for line in text.splitlines() if "3.1 Premature termination" in line]
    assert line.split()[-5:] == ["-", "120", "100%", "-", "-"]


def test_the_cost_is_told_with_both_sides(result):
    assert cost_line(result.summary) == (
        "CPU time, all processes: attribution / run 0.75 (30.0 s / 40.0 s)"
    )
    assert "attribution / run - (- s / - s)" in cost_line(summarise("r", [], ROWS))
    assert "attribution / run 0.75" in printed(result_tables(result, "domain"), 160)


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


@pytest.mark.parametrize("before", range(40, 80))
def test_no_address_is_cut_at_the_hyphen_of_a_date(before):
    address = "/alarm?intent=alarm_set&date=2026-03-14"
    item = found("camel", 1).model_copy(update={"evidence": f"{'x' * before} {address} is set"})
    lines, _ = first_blocks(shared_failures([item]), {"camel"}, 20)
    assert any(address in line for line in lines)


def test_csv_tells_what_was_absorbed_and_by_which_step(result):
    item = with_harmless()
    made = attributions_csv(replace(result, attributions=(item,)))
    first, second = csv.DictReader(io.StringIO(made))
    assert (first["harmless"], first["absorbed_by"]) == ("time#1 | location#1", "time#1 by url#1")
    assert [line["responsibility"] for line in (first, second)] == ["0.5000", "0.5000"]
    assert second["replays"] == "2"


def near_misses(count, frameworks=("camel",)):
    return tuple(
        NearMiss(
            episode=f"{framework}.t{number}.1",
            task=f"t{number}",
            framework=framework,
            deviations=(deviation("manager@intent>location"),),
        )
        for framework in frameworks
        for number in range(count)
    )


def test_near_misses_are_listed_once_with_the_frameworks_that_share_them(result):
    text = printed(near_miss_groups(near_misses(14, FRAMEWORKS)))
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("all 5") == text.count("left a slot out [b]") == 14
    some = (*near_misses(2, FRAMEWORKS[:2]), *near_misses(1, FRAMEWORKS))
    text = printed(near_miss_groups(some), 120)
    assert "agentlite, autogen" in text
    everything = replace(result, near_misses=near_misses(14))
    assert "t13" in printed(result_tables(everything, "framework"), 160)
    assert "left a slot out" not in printed(overview(everything, "framework"), 160)


class TestOverview:
    @pytest.mark.parametrize("by", ["framework", "domain", "intent"])
    def test_it_is_two_screens_with_tables_first(self, result, by):
        lines = printed(overview(result, by)).splitlines()
        assert len(lines) <= 50
        assert max(map(len, lines)) <= 80
        table = next(n for n, line in enumerate(lines) if line.startswith("Causes:"))
        assert table < next(n for n, line in enumerate(lines) if "t0 | all 5 frameworks" in line)
        assert "--all" in lines[-1] or "--all" in lines[-2]

    def test_each_kind_comes_before_any_comes_again(self, result):
        odd = found("camel", 0).model_copy(
            update={"status": Status.FLAKY, "families": (), "causes": (), "evidence": "It is odd."}
        )
        items = (*result.attributions, odd.model_copy(update={"task": "z", "episode": "camel.z.1"}))
        shown = telling(shared_failures(items))
        kinds = [one.kind for one in shown]
        assert len(set(kinds[:4])) == 4
        assert shown[3].first.evidence == "It is odd."
        assert len(shown[0].items) == 5
        assert sum(len(one.items) for one in shown) == len(items)

    def test_the_rest_is_counted(self, result):
        text = printed(overview(result, "framework"))
        blocks = sum(" | all 5 frameworks" in line for line in text.splitlines())
        assert f"and {120 - blocks} more failures; --all: everything" in " ".join(text.split())
        few = replace(result, attributions=result.attributions[:1])
        assert "more failure" not in printed(overview(few, "framework"))

    def test_who_shares_a_failure_is_named(self, result):
        items = [found(name, 1) for name in ("camel", "control", "control")]
        (one,) = shared_failures(items)
        assert frameworks_text(one, set(FRAMEWORKS)) == "camel, control x2"
        (all_,) = shared_failures(found(name, 1) for name in (*FRAMEWORKS, "camel"))
        assert frameworks_text(all_, set(FRAMEWORKS)) == "all 5 frameworks, 6 episodes"

    def test_what_differs_is_not_shared(self):
        one = found("camel", 1)
        for changed in (
            {"task": "other"},
            {"status": Status.UNREPAIRED},
            {"evidence": "Another sentence."},
            {"families": (("manager#1",), ("url#2",))},
            {"missed_recovery": True},
        ):
            other = found("control", 1).model_copy(update=changed)
            assert len(shared_failures([one, other])) == 2, changed
        planned = {"families": (("manager@start:plan",),)}
        assert len(shared_failures([one, found("control", 1).model_copy(update=planned)])) == 1

    def test_all_tells_each_failure_once(self, result):
        text = printed(result_tables(result, "framework"), 160)
        assert text.count("and [b] no markup") == 120
        assert "attributed | " in text and "2 replays" in text

    def test_no_failure_is_a_page(self, result):
        empty = replace(result, failures=0, attributions=(), summary=summarise("run", [], ROWS))
        assert "0 failures" in printed(overview(empty, "framework"))

    def test_what_cannot_be_read_is_counted_and_named(self, result):
        lost = replace(result, unreadable=tuple(f"camel.u{n}.1" for n in range(7)), damaged=("x",))
        text = " ".join(printed(overview(lost, "framework")).split())
        assert "7 attributions could not be read: camel.u0.1, " in text
        assert "and 2 more" in text
        assert "1 episode could not be read: x" in text

    def test_many_verifications_stay_short(self, result):
        verified = {
            f"camel.t{n}.1": Verification(
                episode=f"camel.t{n}.1",
                family=("url#1",),
                repaired=(True,) * 5,
                held=(False,) * 5,
            )
            for n in range(90)
        }
        text = printed(overview(replace(result, verifications=verified), "framework"))
        assert len(text.splitlines()) <= 50
        assert "and 86 more: helps 90" in text


def test_a_model_that_spoke_for_the_user_is_told(result):
    said = "the user was openai/gpt-5-mini; replays use the scripted one"
    assert said in printed(head(replace(result, user="openai/gpt-5-mini")))
    assert "the user was" not in printed(head(result))


def test_a_repair_that_rests_on_other_answers_is_not_called_insufficient(result):
    (cause,) = result.attributions[0].causes
    assert "repair helps if others then answer rightly" in repair_text(
        cause.model_copy(update={"conditional": True, "necessary": False, "sufficient": False})
    )
    assert "if others" not in repair_text(cause)


def test_a_run_without_failures_tells_no_replays(result):
    none = result.summary.model_copy(update={"failures": 0, "mean_replays": None})
    text = printed(head(replace(result, failures=0, summary=none)))
    assert "replays" not in text and "CPU" not in text
