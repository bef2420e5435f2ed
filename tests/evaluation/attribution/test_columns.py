"""Failures by role: the four columns, their groups and the cost."""

import pytest

from ossia.suites.assistant import ROLES
from ossia_evaluation.assistant.published import TABLE_3
from ossia_evaluation.attribution import Status
from ossia_evaluation.attribution.columns import RoleRows, role_masses, roles_of, summarise

from .support import attribution, cause

ROWS = RoleRows(ROLES, {"request": "function call"}, TABLE_3)
FOUND = [
    attribution("camel.a.1", causes=[cause("time#1")]),
    attribution(
        "camel.b.1",
        causes=[
            cause("time#1", responsibility=0.5, necessary=False),
            cause("request#1", responsibility=0.5, necessary=False),
        ],
        families=(("time#1", "request#1"),),
        rules=("time", "function call"),
        domain="weather",
        intent="weather_query",
    ),
    attribution("control.a.1", status=Status.FLAKY, rules=(), opportunities=("intent", "manager")),
]


def columns(table, role):
    return next(each for each in table.roles if each.role == role)


def test_shares_are_out_of_all_failures_of_the_group():
    everything = summarise("r", FOUND, ROWS).of("framework")
    assert [(table.group, table.failures) for table in everything] == [("camel", 2), ("control", 1)]
    time = columns(everything[0], "time")
    assert (time.rules.count, time.but_for.count, time.causes.count, time.causes.of) == (2, 1, 2, 2)
    assert time.mass == pytest.approx(0.75)
    call = columns(everything[0], "function call")
    assert (call.but_for.count, call.causes.count, call.mass) == (0, 1, 0.25)
    assert 0 < time.causes.low < time.causes.value <= time.causes.high


def test_opportunity_counts_only_failures_in_which_the_role_had_a_part():
    table = summarise("r", FOUND, ROWS).tables[0]
    assert (table.by, table.failures, columns(table, "time").given_opportunity.of) == ("all", 3, 2)
    assert columns(table, "location").given_opportunity.value is None


def test_the_published_figures_stand_beside_their_framework_alone():
    camel, control = summarise("r", FOUND, ROWS).of("framework")
    assert [columns(camel, role).published for role in ROLES] == [54, 18, None, 14, 9, 18, None]
    assert {each.published for each in control.roles} == {None}


def test_masses_of_a_failure_sum_to_one():
    assert role_masses(FOUND[1], ROWS) == {"time": 0.5, "function call": 0.5}
    assert role_masses(FOUND[2], ROWS) == {}


def test_groups_by_domain_and_intent():
    summary = summarise("r", FOUND, ROWS)
    assert [(t.group, t.failures) for t in summary.of("domain")] == [("alarm", 2), ("weather", 1)]
    assert [t.group for t in summary.of("intent")] == ["alarm_set", "weather_query"]
    assert summary.of("domain")[0].statuses == {"attributed": 1, "flaky": 1}


@pytest.mark.parametrize(
    ("spent", "run", "ratio"), [(30.0, 60.0, 0.5), (None, 60.0, None), (30.0, None, None)]
)
def test_the_ratio_is_known_only_where_both_sides_are(spent, run, ratio):
    assert summarise("r", FOUND, ROWS, attribution_cpu_s=spent, run_cpu_s=run).cpu_ratio == ratio


def test_nothing_has_no_tables():
    summary = summarise("r", [], ROWS)
    assert (summary.tables, summary.mean_replays, summary.cpu_ratio) == ((), None, None)


def test_the_mass_has_an_interval_over_failures():
    many = [FOUND[number % 2] for number in range(40)]
    time = columns(summarise("r", many, ROWS).tables[0], "time")
    # Half the failures lay all on the role and half lay half: 0.75 with a deviation of 0.25.
    assert time.mass == pytest.approx(0.75)
    assert time.mass_low == pytest.approx(0.75 - 1.96 * 0.25 / 40**0.5, abs=0.02)
    assert time.mass_high == pytest.approx(0.75 + 1.96 * 0.25 / 40**0.5, abs=0.02)
    assert summarise("r", many, ROWS) == summarise("r", many, ROWS), (
        "the draws are the same each time"
    )


def test_one_failure_has_no_interval_of_its_mass():
    control = summarise("r", FOUND, ROWS).of("framework")[1]
    assert {(each.mass_low, each.mass_high) for each in control.roles} == {(None, None)}


def test_the_suites_roles_come_first_in_a_table_of_another_team():
    (table,) = summarise("r", FOUND, RoleRows(("url", "nobody", "manager"))).of("all")
    named = [role.role for role in table.roles]
    assert named[:2] == ["url", "manager"]
    assert named[2:] == sorted(named[2:]) != []


def test_rows_without_titles_are_those_of_the_team():
    (table,) = [table for table in summarise("r", FOUND, RoleRows()).tables if table.by == "all"]
    named = [role.role for role in table.roles]
    assert named == sorted(named)
    assert {"manager", "url"} <= {*named}
    assert {role.published for role in table.roles} == {None}


def test_the_framework_has_a_column_where_it_is_a_cause():
    lost = attribution(
        "control.a.1",
        causes=[cause("framework@a>b#1", role="framework")],
        opportunities=("b", "manager", "framework"),
    )
    assert roles_of([lost], RoleRows(("manager", "response")))[:1] == ("manager",)
    assert "framework" in roles_of([lost], RoleRows())
    named = attribution("control.a.1", rules=("framework",), opportunities=("b", "response"))
    assert "framework" not in roles_of([named], RoleRows())
