"""What the injection protocol keeps, counts and shows, without running a framework."""

import io
import json
import shutil
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import ossia_dataset
import ossia_workflows
from benchmarks import attribution
from benchmarks.attribution.attempts import (
    BESIDE,
    CLEAN,
    CONTROLS,
    DOUBLE,
    FULL,
    GOLD,
    KEPT,
    NO_FAULT,
    QUICK,
    SINGLE,
    Attempt,
    AttemptLog,
    Case,
    WrongStep,
    digest_of,
    read_attempts,
)
from benchmarks.attribution.fault_records import drawn_beside, faults_of, faults_text
from benchmarks.attribution.figures import ABSORBED, ALL_CONTROLS, HARMLESS, figures
from benchmarks.attribution.injection import InjectedFault
from benchmarks.attribution.model_errors import reworded
from benchmarks.attribution.parts import program_digest
from benchmarks.attribution.tables import validation_tables
from benchmarks.attribution.targets import MET, MISSED, NOT_SHOWN, UNKNOWN, checked
from ossia import runner
from ossia.errors import UserError
from ossia_servers.faults import FaultType

STEPS = (("intent#1", "alarm"), ("time#1", "07:30"), ("url#1", "/alarm"))
WRONG = (("intent#1", "alarm"), ("time#1", "19:30"), ("url#1", "/alarm"))
FAULTS = st.builds(
    lambda fault, at, seed: InjectedFault(fault.role, fault, at, seed),
    st.sampled_from(list(FaultType)),
    st.integers(0, 9),
    st.integers(0, 999),
)


def case(known=(("time#1",),), told=(("time#1",),), **more):
    given = {
        "ranked": tuple(step for family in told for step in family),
        "deviations": ("time#1",),
        "decisive": None,
        "rules": (),
        "status": "attributed",
        "replays": 2,
    }
    return Case(known=known, told=told, **{**given, **more})


def attempt(key, cell=SINGLE, **more):
    given = {"framework": "langgraph", "task": "wake", "outcome": KEPT}
    return Attempt(key=key, cell=cell, **{**given, **more})


def single(key, **more):
    wrong = WrongStep(source="planted", role="time", fault="time.wrong", situation="x", text="1")
    given = {"faults": ("time.wrong",), "success": False, "steps": WRONG, "wrong": (wrong,)}
    return attempt(key, **{**given, "case": case(), **more})


def result_of(*attempts, wanted=None):
    clean = attempt("clean|wake", CLEAN, success=True, steps=STEPS)
    return figures(
        [clean, *attempts],
        seed=0,
        size="test",
        versions={"langgraph": "1"},
        digest="0",
        wanted=wanted,
    )


def score(result, method, cell=SINGLE):
    return next(s for s in result.scores if (s.method, s.cell) == (method, cell))


def test_an_attempt_is_kept_and_found_again(tmp_path):
    path = tmp_path / "folder" / "log.jsonl"
    with AttemptLog(path) as log:
        log.add(single("single|wake|a"))
    with AttemptLog(path) as log:
        assert log.find("single|wake|a") == single("single|wake|a")
        assert log.find("single|wake|b") is None
        log.add(single("single|wake|0"))
        assert [each.key for each in log] == ["single|wake|0", "single|wake|a"]


def test_a_line_that_was_cut_off_is_made_again(tmp_path):
    path = tmp_path / "log.jsonl"
    with AttemptLog(path) as log:
        log.add(single("a"))
        log.add(single("b"))
    path.write_text(path.read_text()[:-30])
    with AttemptLog(path) as log:
        assert log.find("b") is None
        log.add(single("b"))
    assert [each.key for each in read_attempts(path)] == ["a", "b"]


def test_a_damaged_log_is_refused_with_its_line(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"version": 0}\n' + single("a").model_dump_json() + "\n")
    with pytest.raises(UserError, match="line 1"):
        AttemptLog(path)


def test_attempts_belong_to_all_that_they_depend_on():
    assert digest_of(FULL, 0, [b"a"]) == digest_of(FULL, 0, [b"a"])
    others = [digest_of(QUICK, 0, [b"a"]), digest_of(FULL, 1, [b"a"]), digest_of(FULL, 0, [b"b"])]
    assert len({digest_of(FULL, 0, [b"a"]), *others}) == 4


def test_half_of_a_protocol_has_something_of_every_kind():
    assert (FULL.half.per_type, FULL.half.triples, FULL.half.tasks) == (6, 26, FULL.tasks)
    assert QUICK.half.per_type == 1


@given(st.lists(FAULTS, min_size=1, max_size=4))
def test_faults_are_read_as_they_are_written(faults):
    assert faults_of(attempt(f"single|wake|{faults_text(faults)}")) == tuple(faults)


def test_harmless_faults_come_beside_others_by_chance_and_never_twice_in_a_role():
    pool = [
        InjectedFault("time", FaultType.TIME_WRONG),
        InjectedFault("url", FaultType.URL_MALFORMED),
    ]
    drawn = [drawn_beside(pool, {"url"}, Random(seed)) for seed in range(200)]
    assert {fault.role for faults in drawn for fault in faults} == {"time"}
    assert 0.2 < sum(map(len, drawn)) / 200 < 0.4


@given(st.dictionaries(st.text(), st.text() | st.dictionaries(st.text(), st.text())))
def test_a_placebo_says_the_same_in_other_bytes(value):
    text = json.dumps(value)
    assert json.loads(reworded(text)) == value
    assert reworded("It is done.").startswith("It is done.")


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
        ((("time#1",),), (), "nothing told (attributed)"),
        ((("time#1",),), (("intent#1",), ("time#1",)), "told an alternative that is none"),
        ((("intent#1",), ("time#1",)), (("time#1",),), "an alternative is not told"),
        ((("time#1", "url#1"),), (("time#1",),), "a fault that is needed is not told"),
        ((("time#1",),), (("time#1", "url#1"),), "told a step that is not needed"),
        ((("time#1",),), (("url#1",),), "other steps are told"),
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
    planted = [single(f"s{n}", task=str(n)) for n in range(20)]
    clean = [attempt(f"c{n}", CLEAN, task=str(n), success=True, steps=STEPS) for n in range(20)]
    found = result_of(*noisy, *planted, *clean).leakage
    assert (found[0].planted, found[0].natural, found[0].auc) == (20, 20, 1.0)
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


@pytest.mark.parametrize(
    ("package", "source"),
    [
        (ossia_dataset, "normalise/days.py"),
        (ossia_dataset, "normalise/gazetteer.txt"),
        (ossia_workflows, "__init__.py"),
        (runner, "pool.py"),
        (attribution, "record_log.py"),
    ],
)
def test_a_changed_program_makes_other_attempts(package, source, tmp_path, monkeypatch):
    before = program_digest(FULL, 0, (), {})
    copy = shutil.copytree(Path(package.__file__).parent, tmp_path / "copy")
    monkeypatch.setattr(package, "__file__", str(copy / "__init__.py"))
    assert program_digest(FULL, 0, (), {}) == before
    with (copy / source).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert program_digest(FULL, 0, (), {}) != before
