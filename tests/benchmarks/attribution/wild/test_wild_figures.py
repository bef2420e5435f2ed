"""The figures of the protocol of wild faults, its gates and its tables."""

import io
from random import Random

import pytest
from rich.console import Console

from benchmarks.attribution.targets import MET, MISSED, NOT_SHOWN, UNKNOWN
from benchmarks.attribution.wild.clustered import clustered_estimate, clustered_share
from benchmarks.attribution.wild.figures import Told, told_as
from benchmarks.attribution.wild.gates import gates, held
from benchmarks.attribution.wild.records import CLEAN, DOUBLE, SINGLE
from benchmarks.attribution.wild.tables import wild_tables
from ossia_evaluation.stats import wilson
from tests.benchmarks.attribution.wild.support import TIME, attempt, case, result_of


@pytest.mark.parametrize(
    ("told", "status", "what"),
    [
        ((("time#1",),), "attributed", Told.EXACT),
        ((("time#2",),), "attributed", Told.STEPS),
        ((("time#1", "time#2"),), "attributed", Told.STEPS),
        ((("time#1",), ("url#1",)), "attributed", Told.BESIDE),
        ((("time#1", "url#1"),), "attributed", Told.INSTEAD),
        ((("url#1",),), "attributed", Told.INSTEAD),
        ((), "gold_or_server_suspect", Told.EXONERATED),
        ((), "flaky", Told.EXONERATED),
        ((), "framework", Told.EXONERATED),
        ((), "unrepaired", Told.NOTHING),
        ((), "crashed", Told.NOTHING),
    ],
)
def test_each_case_is_told_as_one_of_these(told, status, what):
    assert told_as(case(told=told, status=status), frozenset({"time"})) is what


def test_figures_add_up():
    url = TIME.model_copy(update={"situation": "url#1", "role": "url", "kind": "json.nested"})
    both = case(known=(("time#1", "url#1"),), told=(), status="unrepaired", structure="both needed")
    result = result_of(
        attempt("a", found=case(replays=4)),
        attempt("b", found=case(told=(("url#1",),)), task="weather"),
        attempt("c", found=case(told=(), status="flaky"), changes=(url,)),
        attempt("d", cell=DOUBLE, changes=(TIME, url), found=both),
        attempt("e", outcome="harmless"),
        attempt("f", cell=CLEAN, outcome="fails without a change", changes=()),
    )
    overall = result.overall
    assert (overall.cases, overall.tasks, result.tried) == (4, 2, 5)
    parts = (
        overall.exact,
        overall.false_blame,
        overall.false_exoneration,
        overall.unattributed,
    )
    assert [part.count for part in parts] == [1, 1, 1, 1]
    assert overall.replays_mean.value == 2.5
    assert sum(overall.told_as.values()) == overall.cases
    assert [(each.name, each.cases) for each in result.by_cell] == [(SINGLE, 3), (DOUBLE, 1)]
    assert [(each.name, each.cases) for each in result.by_family] == [("words", 2), ("json", 1)]
    assert [(each.name, each.cases) for each in result.by_role] == [("time", 2), ("url", 1)]
    assert [(each.name, each.cases) for each in result.by_structure] == [("both needed", 1)]
    assert {miss.told_as for miss in result.missed} == {
        Told.INSTEAD,
        Told.EXONERATED,
        Told.NOTHING,
    }
    assert result.discarded == {CLEAN: {"fails without a change": 1}, SINGLE: {"harmless": 1}}
    assert "json.nested" not in result.kinds_without_cases
    assert "tool.method" in result.kinds_without_cases


def named(result):
    return {row.name: row.result for row in gates(result)}


def test_gates_hold_only_where_every_figure_is_on_its_side():
    many = [attempt(f"a{n}", task=str(n)) for n in range(500)]
    good = result_of(*many)
    assert set(named(good).values()) == {MET}
    assert held(gates(good))
    few = named(result_of(*many[:3]))
    assert few["exact families, %"] == NOT_SHOWN
    assert held(gates(result_of(*many[:3])))
    assert set(named(result_of()).values()) == {UNKNOWN}
    assert not held(gates(result_of()))


@pytest.mark.parametrize(
    ("found", "gate"),
    [
        (case(told=(), status="flaky"), "false exoneration, %"),
        (case(told=(("url#1",),)), "false blame, %"),
        (case(told=(), status="unrepaired"), "exact families, %"),
        (case(replays=100), "replays, mean"),
        (case(replays=100), "replays, 95th percentile"),
        (case(model_calls=1), "model calls"),
    ],
)
def test_a_gate_that_is_missed_is_named(found, gate):
    rest = [attempt(f"a{n}", task=str(n)) for n in range(80)]
    wrong = [attempt(f"w{n}", task=str(n), found=found) for n in range(10)]
    result = result_of(*rest, *wrong)
    assert named(result)[gate] == MISSED
    assert not held(gates(result))


def test_cases_of_one_task_count_as_one_where_they_agree():
    hits = [(task, True) for task in range(5) for _ in range(20)]
    found = clustered_share(hits)
    assert (found.count, found.of) == (100, 100)
    assert found.low == pytest.approx(wilson(5, 5).low)
    alone = clustered_share((number, number % 4 > 0) for number in range(40))
    assert alone.low == pytest.approx(wilson(30, 40).low, abs=0.005)
    agreeing = clustered_share((number // 10, number // 10 < 3) for number in range(40))
    assert agreeing.low < wilson(30, 40).low - 0.1
    assert agreeing.high > wilson(30, 40).high
    nothing = clustered_share([])
    assert (nothing.of, nothing.low, nothing.high) == (0, 0.0, 1.0)


def test_an_estimate_draws_whole_tasks():
    def mean(values):
        return sum(values) / len(values)

    same = clustered_estimate({n: [1.0, 3.0] for n in range(9)}, mean, Random(0))
    assert (same.value, same.low, same.high) == (2, 2, 2)
    wide = clustered_estimate({n: [float(n)] * 50 for n in range(9)}, mean, Random(0))
    assert wide.low < 3 < 5 < wide.high
    one = clustered_estimate({0: [1.0, 3.0]}, mean, Random(0))
    assert (one.value, one.low) == (2, None)


def test_tables_fit_80_columns_and_name_the_misses():
    kind = TIME.model_copy(update={"kind": "words.character_replaced"})
    result = result_of(
        *(attempt(f"a{n}", task=str(n), changes=(kind,)) for n in range(120)),
        attempt("b", found=case(told=(("url#1",),)), task="weather"),
        attempt("c", found=case(told=(("url#1",),)), task="other"),
        attempt(
            "d", found=case(told=(), status="flaky", structure="one does no harm"), cell=DOUBLE
        ),
    )
    out = io.StringIO()
    Console(file=out, width=80).print(wild_tables(result))
    text = out.getvalue()
    assert "…" not in text
    assert (
        "missed, words.word_deleted of time: an unchanged role instead (attributed): 2, such as"
        " control weather: known time#1, told url#1"
    ) in " ".join(text.split())
    rows = [line for line in text.splitlines() if line.startswith("words.character_replaced")]
    assert len(rows) == 1
    assert "120" in rows[0]
