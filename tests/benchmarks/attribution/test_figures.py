"""What the attempts of the injection protocol amount to, and how it is shown."""

import io

import pytest
from rich.console import Console

from benchmarks.attribution.attempts import (
    BESIDE,
    CLEAN,
    CONTROLS,
    DOUBLE,
    FULL,
    GOLD,
    NO_FAULT,
    SINGLE,
    WrongStep,
)
from benchmarks.attribution.figures import ABSORBED, ALL_CONTROLS, HARMLESS
from benchmarks.attribution.tables import validation_tables
from benchmarks.attribution.targets import MET, MISSED, NOT_SHOWN, UNKNOWN, checked
from tests.benchmarks.attribution.support import STEPS, WRONG, attempt, case, result_of, single


def score(result, method, cell=SINGLE):
    return next(s for s in result.scores if (s.method, s.cell) == (method, cell))


def test_every_method_is_scored_on_the_same_cases():
    result = result_of(single("a"), single("b", case=case(told=(), status="unrepaired")))
    assert {s.cases for s in result.scores} == {2}
    assert score(result, "intervention").agent_top1.count == 1
    assert score(result, "first gold-diff").step_exact.count == 2
    assert score(result, "spectrum").step_exact.count == 2
    (pair,) = (p for p in result.against if (p.cell, p.second) == (SINGLE, "first gold-diff"))
    assert (pair.only_first, pair.only_second) == (0, 1)
    assert result.by_fault["time.wrong"].of == 2


@pytest.mark.parametrize(
    ("known", "told", "cause"),
    [
        ((("time#1",),), (), "nothing reported (attributed)"),
        ((("time#1",),), (("intent#1",), ("time#1",)), "a spurious alternative is reported"),
        ((("intent#1",), ("time#1",)), (("time#1",),), "an alternative is not reported"),
        ((("time#1", "url#1"),), (("time#1",),), "a necessary fault is not reported"),
        ((("time#1",),), (("time#1", "url#1"),), "an unnecessary step is reported"),
        ((("time#1",),), (("url#1",),), "other steps are reported"),
    ],
)
def test_a_miss_has_a_cause(known, told, cause):
    (miss,) = result_of(single("a", case=case(known=known, told=told))).missed
    assert miss.cause == cause


def test_two_faults_of_which_one_is_absorbed_are_counted_apart():
    both = {"faults": ("time.wrong", "url.malformed")}
    result = result_of(
        single("a", cell=DOUBLE, case=case(structure="one absorbed"), **both),
        single("b", cell=DOUBLE, case=case(structure="joint"), **both),
    )
    assert score(result, "intervention", DOUBLE).cases == 1
    assert score(result, "intervention", ABSORBED).cases == 1
    assert result.pairs_of_roles == {"time + url": {"joint": 1}}


def test_blame_in_a_control_is_false():
    nobody = {"known": (), "told": (), "status": "flaky"}
    result = result_of(
        attempt("x", NO_FAULT, case=case(**nobody)),
        attempt("y", NO_FAULT, case=case(known=())),
    )
    shares = {control.cell: control.false_blame for control in result.controls}
    assert (shares[NO_FAULT].count, shares[NO_FAULT].of) == (1, 1)
    assert (shares[ALL_CONTROLS].count, shares[ALL_CONTROLS].of) == (1, 1)


def test_a_control_counts_only_where_there_was_a_step_to_blame():
    suspect = {"known": (), "told": (), "status": "gold_or_server_suspect"}
    result = result_of(
        attempt("a", GOLD, case=case(**suspect)),
        attempt("b", GOLD, case=case(**suspect, deviations=())),
        attempt("c", GOLD, case=case(**{**suspect, "status": "flaky"})),
        attempt("d", GOLD, outcome="invalid"),
        attempt("e", GOLD, outcome="a fault found no place"),
    )
    (found,) = (control for control in result.controls if control.cell == GOLD)
    assert (found.false_blame.count, found.false_blame.of) == (0, 1)
    assert (found.nothing_to_blame, found.invalid) == (2, 1)
    assert found.statuses == {"flaky": 1, "gold_or_server_suspect": 2}


def test_false_blame_can_be_shown_to_be_rare():
    suspect = {"known": (), "told": (), "status": "gold_or_server_suspect"}
    fair = [attempt(str(n), GOLD, case=case(**suspect)) for n in range(4 * FULL.blamable)]
    assert target(result_of(*fair), "false blame on controls, %").result == MET
    empty = [attempt(str(n), GOLD, outcome="invalid") for n in range(4 * FULL.blamable)]
    assert target(result_of(*empty), "false blame on controls, %").result == UNKNOWN
    wrong = [attempt(f"w{n}", GOLD, case=case(known=())) for n in range(9)]
    assert target(result_of(*fair, *wrong), "false blame on controls, %").result == MISSED


def target(result, name):
    return next(row for row in checked(result) if row.name == name)


def test_one_harmful_fault_is_one_target_whatever_harmless_ones_are_beside_it():
    def absorbed(key, **more):
        faults = ("time.wrong", "url.altered_param")
        found = case(structure="one absorbed", **more)
        return attempt(key, DOUBLE, faults=faults, success=False, steps=WRONG, case=found)

    beside = [single(f"b{n}", cell=BESIDE) for n in range(4 * FULL.beside)]
    many = [absorbed(f"d{n}") for n in range(200)]
    result = result_of(*beside, *many)
    assert result.harmless.cases == 4 * FULL.beside + 200
    assert target(result, f"{HARMLESS}: agent").result == MET
    missed = [absorbed(f"m{n}", told=(("url#1",),)) for n in range(9)]
    assert target(result_of(*beside, *many, *missed), f"{HARMLESS}: agent").result == MISSED


def test_what_could_not_be_made_is_told_beside_the_targets():
    def double(key, structure):
        faults = ("time.wrong", "url.altered_param")
        found = case(structure=structure)
        return attempt(key, DOUBLE, faults=faults, success=False, steps=WRONG, case=found)

    wanted = {"double, joint": 2, "double, masking": 1, CONTROLS: 1}
    made = [double("a", "joint"), double("b", "masking"), attempt("c", GOLD, outcome="invalid")]
    result = result_of(*made, wanted=wanted)
    assert [(m.kind, m.wanted, m.made) for m in result.missing] == [
        ("double, joint", 2, 1),
        (CONTROLS, 1, 0),
    ]
    assert "request + manager" in result.pairs_without_cases
    assert "time + url" not in result.pairs_without_cases
    out = io.StringIO()
    Console(file=out, width=160).print(validation_tables(result))
    assert "missing, double, joint: 1 of 2" in out.getvalue()


def test_a_target_is_met_only_where_the_whole_interval_is():
    few = {row.name: row.result for row in checked(result_of(single("a")))}
    assert few["single: agent"] == NOT_SHOWN
    assert few["triple: F1 of roles"] == UNKNOWN
    assert few["replays, mean"] == MET
    many = {row.name: row.result for row in checked(result_of(*map(single, map(str, range(500)))))}
    assert many["single: agent"] == MET
    wrong = result_of(single("a", case=case(told=(("url#1",),))))
    assert {row.result for row in checked(wrong) if row.name.startswith("single:")} == {MISSED}


def test_injected_steps_are_held_against_natural_errors():
    noise = WrongStep(source="noise", role="time", fault="time.wrong", situation="x", text="2")
    noisy = [attempt(f"n{n}", "noise 5 %", task=str(n), wrong=(noise,)) for n in range(20)]
    injected = [single(f"s{n}", task=str(n)) for n in range(20)]
    clean = [attempt(f"c{n}", CLEAN, task=str(n), success=True, steps=STEPS) for n in range(20)]
    found = result_of(*noisy, *injected, *clean).leakage
    assert (found[0].injected, found[0].natural, found[0].auc) == (20, 20, 1.0)
    assert found[2].natural == 0


def test_tables_tell_targets_methods_and_misses():
    missed = single("b", case=case(told=(), status="unrepaired"))
    result = result_of(single("a"), missed, attempt("x", NO_FAULT, case=case(known=(), told=())))
    out = io.StringIO()
    Console(file=out, width=160).print(validation_tables(result))
    text = out.getvalue()
    assert "first gold-diff" in text
    assert "reached, not shown" in text
    assert "known time#1; told nothing (unrepaired)" in text
    assert "not kept" not in text
