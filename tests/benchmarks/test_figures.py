"""The benchmarks' own arithmetic: spreads, ratios, goals, tables, chains and the document."""

import os
import subprocess
import sys
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.__main__ import DOCUMENT, NAMES, main
from benchmarks.concurrency import AT_ONCE, CALL_SECONDS, chain_of, share_of_ideal
from benchmarks.machine import machine, processor
from benchmarks.measure import Spread, cpu_seconds, pss_mib, quantile, ratios, rss_mib
from benchmarks.record import MissingMarker, recorded, write_figures
from benchmarks.tables import Goal, Row, Table
from ossia_servers.gateway import Exchange, Timing

POSITIVE = st.floats(min_value=1e-3, max_value=1e6)


def exchange(started, latency):
    return Exchange(
        seq=0,
        role="intent",
        model="recorded",
        request={},
        forced={},
        response=None,
        finish_reason=None,
        usage=None,
        price_usd=None,
        status="ok",
        error=None,
        attempts=1,
        streamed=False,
        timing=Timing(started_s=started, latency_s=latency),
    )


@given(st.lists(POSITIVE, min_size=1))
def test_a_spread_lies_between_its_ends(values):
    spread = Spread.of(values)
    assert spread.least == min(values) <= spread.median <= max(values) == spread.most


def test_a_spread_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        Spread.of([])


def test_ratios_are_taken_pair_by_pair():
    # The machine was ten times slower in the second round, for both sides.
    assert ratios([2.0, 20.0], [1.0, 10.0]) == Spread(2.0, 2.0, 2.0)
    with pytest.raises(ValueError, match="shorter"):
        ratios([1.0, 2.0], [1.0])


@given(st.lists(POSITIVE, min_size=1), st.floats(min_value=0, max_value=1))
def test_a_quantile_leaves_its_share_below(values, share):
    found = quantile(values, share)
    assert found in values
    assert sum(value < found for value in values) <= share * len(values)


def test_cpu_and_memory_of_another_process_are_read():
    burn = "import sys\nsum(i * i for i in range(3_000_000))\nprint(flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", burn], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used = cpu_seconds([process.pid])
        assert used > 0.05
        assert cpu_seconds([process.pid, os.getpid()]) > used
        assert 0 < pss_mib([process.pid]) <= rss_mib([process.pid])
        process.communicate()
    with pytest.raises(OSError):
        cpu_seconds([process.pid])


@given(st.integers(1, 30), POSITIVE)
def test_calls_one_after_the_other_make_the_whole_chain(count, latency):
    assert len(chain_of([exchange(2 * n * latency, latency) for n in range(count)])) == count


@given(st.integers(1, 30))
def test_calls_at_the_same_time_make_a_chain_of_one(count):
    assert chain_of([exchange(0.01 * n, 10.0) for n in range(count)]) == ((0.0, 10.0),)


def test_a_long_call_beside_short_ones_does_not_lengthen_the_chain():
    spans = [(0.0, 0.5), (0.0, 1.2), (0.6, 0.5), (1.3, 0.5)]
    assert chain_of([exchange(*span) for span in spans]) == ((0.0, 0.5), (0.6, 1.1), (1.3, 1.8))


@given(st.integers(2, 20), st.floats(0, 0.9))
def test_calls_without_a_pause_are_the_ideal_and_pauses_take_their_share(count, pause):
    step = CALL_SECONDS + pause
    place = [(n * step, n * step + CALL_SECONDS) for n in range(count)]
    found = share_of_ideal(place * AT_ONCE, (0.0, count * step))
    assert found == pytest.approx(CALL_SECONDS / step)


def test_a_slow_call_counts_as_one_and_by_its_part_in_the_window():
    assert share_of_ideal([(0.0, 2.0)] * AT_ONCE, (0.0, 2.0)) == pytest.approx(0.25)
    assert share_of_ideal([(0.0, 2.0)] * AT_ONCE, (1.0, 3.0)) == pytest.approx(0.125)
    assert share_of_ideal([(0.0, 1.0), (5.0, 6.0)], (2.0, 4.0)) == 0


@pytest.mark.parametrize(
    ("value", "better", "verdict"),
    [(0.7, "more", "pass"), (0.69, "more", "miss"), (0.7, "less", "pass"), (0.71, "less", "miss")],
)
def test_a_goal_is_met_at_its_bound(value, better, verdict):
    assert Row(("a",), Goal(value, 0.7, better)).verdict == verdict


def test_a_broken_line_never_passes():
    row = Row(("a",), Goal(1.0, 0.7, "more"), broken="not installed")
    assert row.verdict == "broken: not installed"
    assert not Table("T", ("x",), (row,)).met


def test_a_table_is_shown_for_terminals_and_documents():
    rows = (Row(("one | two",), Goal(0.8, 0.7, "more")), Row(("plain",)))
    table = Table("Title", ("what",), rows, ("A note.",))
    assert table.met
    head, *body = table.plain().splitlines()[2:]
    assert head.split() == ["what", "goal", "verdict"]
    assert body[1].split() == ["one", "|", "two", ">=", "0.70", "pass"]
    assert body[-1] == "A note."
    assert "| one / two | >= 0.70 | pass |" in table.markdown()


BARE_TEXT = st.text(st.characters(exclude_characters="<\r", exclude_categories=["Cs"]))


@given(BARE_TEXT, BARE_TEXT, BARE_TEXT, BARE_TEXT)
def test_figures_replace_what_is_between_their_markers_alone(before, old, after, new):
    begin, end = "<!-- harness: begin -->", "<!-- harness: end -->"
    once = recorded(f"{before}{begin}{old}{end}{after}", {"harness": new})
    assert once == f"{before}{begin}\n{new.strip()}\n{end}{after}"
    assert recorded(once, {"harness": new}) == once


@pytest.mark.parametrize(
    "text",
    [
        "no marker",
        "<!-- worlds: begin --> no end",
        "<!-- worlds: end --><!-- worlds: begin -->",
        "<!-- worlds: begin --><!-- worlds: end -->" * 2,
    ],
)
def test_a_document_without_one_place_is_refused(text):
    with pytest.raises(MissingMarker, match="worlds"):
        recorded(text, {"worlds": "figures"})


def test_the_document_has_a_place_for_every_benchmark(tmp_path):
    copy = tmp_path / "benchmarks.md"
    copy.write_text(DOCUMENT.read_text("utf-8"), "utf-8")
    tables = {name: f"figures of {name}" for name in NAMES}
    write_figures(copy, tables, day=date(2026, 3, 14), machine="2 cores")
    written = copy.read_text("utf-8")
    assert written.count("Measured on 2026-03-14 on 2 cores.") == len(NAMES)
    assert all(f"figures of {name}" in written for name in NAMES)
    assert [path.name for path in tmp_path.iterdir()] == ["benchmarks.md"]


@pytest.mark.parametrize(
    "arguments", [["--record"], ["--record", "--quick", "--date", "2026-03-14"], ["--only", "x"]]
)
def test_wrong_options_are_refused_before_anything_runs(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_the_machine_is_described_without_naming_it():
    assert processor("vendor_id : X\nmodel name\t:  Fast   CPU @ 3GHz\n") == "Fast CPU @ 3GHz"
    assert processor("Features : none") == "unknown processor"
    assert f"Python {sys.version.split()[0]}" in machine()
    assert os.uname().nodename not in machine()
