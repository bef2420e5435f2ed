"""Comparison: a small table computed by hand, and its stored format."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.compare import Comparison, episode_row, share
from ossia_evaluation.report.figures import time_note
from ossia_evaluation.stats import mcnemar_exact, wilson
from ossia_servers.trace import Reported

from .compared import GOLDEN, compared, row, stored_in_version_6
from .support import SCORER, WAKE, WAKE_URL, Play, gold_play


def test_shares_are_over_valid_episodes_alone():
    one, two, three = compared().frameworks
    assert (one.success.count, one.success.of, one.success.value) == (2, 4, 0.5)
    assert (one.episodes, one.invalid) == (5, 1)
    assert (two.success.count, two.success.of) == (3, 5)
    assert (three.success.of, three.success.value) == (0, None)
    assert one.metrics["slots_correct"].of == 4
    assert one.metrics["side_effects"].count == two.metrics["clarification"].total == 1
    assert compared().invalid == {"one.music-3.1": "told", "three.alarm-1.1": "told"}
    assert {name: (part.count, part.of) for name, part in one.by_group.items()} == {
        "alarm": (2, 2),
        "music": (0, 2),
    }


def test_intervals_are_wilsons():
    assert share(2, 4).low == pytest.approx(0.150, abs=5e-4)
    assert share(2, 4).high == pytest.approx(0.850, abs=5e-4)
    assert (share(0, 0).low, share(0, 0).high) == (0.0, 1.0)


def test_costs_are_means_over_valid_episodes():
    one, _, three = compared().frameworks
    assert (one.calls, one.tokens) == (10, 100)
    assert one.price_usd == pytest.approx(1.5 / 4)
    assert one.price_per_success_usd == pytest.approx(1.5 / 2)
    assert (one.latency_p50_s, one.latency_p95_s) == (2.5, pytest.approx(3.85))
    assert one.cpu_s == 0.5
    assert three.calls is three.tokens is three.latency_p50_s is three.cpu_s is None


def test_an_unknown_cpu_time_is_in_no_mean():
    rows = (
        row("one", "a-1", "success", cpu_s=0.25),
        row("one", "a-2", "failure", cpu_s=None, ending="timeout"),
        row("two", "a-1", "failure", cpu_s=None, ending="worker_died"),
    )
    assert [line.cpu_s for line in compared(rows).frameworks] == [0.25, None]


def test_what_dropped_attempts_cost_stands_apart():
    known = {"dropped_calls": 3, "dropped_tokens": 1200, "dropped_price_usd": 0.5}
    unknown = {"dropped_calls": 1, "dropped_tokens": 0}
    plain = row("one", "a-1", "success", price=0.25)
    assert compared((plain,)).dropped is None
    dear = compared((plain, row("one", "a-2", "invalid", price=0.25, **known)))
    assert dear.frameworks[0].calls == 10
    assert dear.frameworks[0].price_usd == 0.25
    assert dear.dropped.model_dump() == {
        "episodes": 1,
        "calls": 3,
        "tokens": 1200,
        "price_usd": 0.5,
    }
    assert "3 model calls, 1,200 known tokens, 0.5000 USD, in 1 episode." in dear.dropped.text
    both = compared(
        (row("one", "a-1", "success", **known), row("one", "a-2", "success", **unknown))
    )
    assert (both.dropped.calls, both.dropped.price_usd) == (4, None)
    assert "an unknown price, in 2 episodes" in both.dropped.text


def test_what_the_model_of_a_simulated_user_took_stands_apart():
    cheap = {"user_calls": 5, "user_tokens": 900, "user_price_usd": 0.125}
    broken = {"user_calls": 3, "user_tokens": 0, "user_unaccounted_attempts": 2}
    plain = row("one", "a-1", "success", price=0.25)
    assert compared((plain,)).user is None
    told = compared((plain, row("one", "a-2", "invalid", price=0.25, **cheap)))
    assert (told.calls, told.frameworks[0].price_usd) == (20, 0.25)
    assert told.user.text.endswith("user: 5 calls, 900 known tokens, 0.1250 USD, in 1 episode.")
    both = compared((row("one", "a-1", "success", **cheap), row("one", "a-2", "failure", **broken)))
    assert (both.user.calls, both.user.price_usd, both.unaccounted_attempts) == (8, None, 0)
    assert "an unknown price, 2 unaccounted attempts, in 2 episodes" in both.user.text


def test_a_price_is_unknown_as_soon_as_one_of_them_is():
    two, three = compared().frameworks[1:]
    assert two.price_usd is None
    assert two.price_per_success_usd is None
    assert three.price_usd is None


def test_a_price_per_success_needs_a_success():
    (only,) = compared([row("one", "alarm-1", "failure", price=0.5)], ["one"]).frameworks
    assert (only.price_usd, only.price_per_success_usd) == (0.5, None)


def test_reported_tokens_are_held_against_those_of_the_same_episodes():
    one, two, _ = compared().frameworks
    assert one.reported_tokens_share == pytest.approx(150 / 200)
    assert two.reported_tokens_share is None
    assert (one.tokens_estimated, two.tokens_estimated) == (False, True)


def test_failed_roles_are_counted_per_episode():
    result = compared()
    assert result.roles == ("intent", "time", "manager", "framework")
    one, two, three = result.frameworks
    assert one.failures_by_role == {"intent": 2, "time": 1}
    assert two.failures_by_role == {"framework": 1, "manager": 1}
    assert three.failures_by_role == {}


def test_pairs_leave_out_what_is_invalid_on_either_side():
    pair = next(p for p in compared().pairs if (p.first, p.second) == ("one", "two"))
    assert (pair.both, pair.neither) == (1, 1)
    assert pair.only_first == ("alarm-1",)
    assert pair.only_second == ("music-1",)
    assert pair.p_value == 1.0


def test_mcnemar_and_holm_of_three_frameworks():
    names = ("one", "two", "three")
    wins = {"one": 8, "two": 2, "three": 0}
    rows = [
        row(name, f"alarm-{i}", "success" if i < wins[name] else "failure")
        for name in names
        for i in range(8)
    ]
    pairs = {(p.first, p.second): p for p in compared(rows, names).pairs}
    # Six, eight and two flips, all in one direction: 2 * 0.5 ** flips.
    assert pairs["one", "two"].p_value == pytest.approx(2 * 0.5**6)
    assert pairs["one", "three"].p_value == pytest.approx(2 * 0.5**8)
    assert pairs["two", "three"].p_value == pytest.approx(2 * 0.5**2)
    assert pairs["one", "three"].p_holm == pytest.approx(3 * 2 * 0.5**8)
    assert pairs["one", "two"].p_holm == pytest.approx(2 * 2 * 0.5**6)
    assert pairs["two", "three"].p_holm == pytest.approx(2 * 0.5**2)
    assert len(pairs["one", "two"].only_first) == 6


def test_repeats_are_paired_by_number_and_named_by_it():
    rows = [
        row("one", "alarm-1", "success"),
        row("one", "alarm-1", "success", repeat=2),
        row("two", "alarm-1", "success"),
        row("two", "alarm-1", "failure", repeat=2),
    ]
    (pair,) = compared(rows, ["one", "two"]).pairs
    assert (pair.both, pair.only_first) == (1, ("alarm-1#2",))


def test_pass_hat_k_is_over_tasks_with_every_repeat_valid():
    verdicts = {
        "alarm-1": ("success", "success", "success"),
        "alarm-2": ("success", "failure", "success"),
        "alarm-3": ("success", "invalid", "success"),
    }
    rows = [
        row("one", task, verdict, repeat=number)
        for task, found in verdicts.items()
        for number, verdict in enumerate(found, start=1)
    ]
    (one,) = compared(rows, ["one"]).frameworks
    assert one.pass_hat == pytest.approx({1: (1 + 2 / 3) / 2, 2: (1 + 1 / 3) / 2, 3: 0.5})
    assert compared().frameworks[0].pass_hat == {}


def test_a_framework_that_no_order_names_is_shown_last():
    result = compared(order=["two"])
    assert [line.framework for line in result.frameworks] == ["two", "one", "three"]
    assert len(result.pairs) == 3


def test_the_stored_format_is_stable():
    result = compared()
    assert json.loads(result.model_dump_json()) == json.loads(GOLDEN.read_text("utf-8"))
    assert Comparison.model_validate_json(GOLDEN.read_text("utf-8")) == result


def without_costs():
    """The pairs as they were stored before their costs were told."""
    return tuple(pair.model_copy(update={"costs": {}}) for pair in compared().pairs)


def test_a_comparison_that_was_stored_without_the_costs_of_pairs_is_read():
    stored = json.loads(GOLDEN.read_text("utf-8"))
    for pair in stored["pairs"]:
        del pair["costs"]
    assert Comparison.model_validate(stored).pairs == without_costs()


def test_a_comparison_that_was_stored_before_variants_is_read():
    stored = json.loads(GOLDEN.read_text("utf-8"))
    for line in stored["frameworks"]:
        del line["label"], line["idiom"]
    assert Comparison.model_validate(stored) == compared()


def test_the_format_before_is_read():
    stored = stored_in_version_6()
    result = Comparison.model_validate(stored)
    assert result.pairs == compared().pairs
    line = result.frameworks[0]
    assert (line.wall_p50_s, line.latency_p50_s, line.throughput_per_min) == (2.5, None, None)
    assert "an unknown number at once" in time_note(result)


@pytest.mark.parametrize(
    ("jobs", "latency", "throughput"),
    [((1, 1), 2.0, None), ((8, 8), None, 240), ((1, 8), None, None)],
)
def test_seconds_are_latency_one_at_a_time_and_throughput_with_several(jobs, latency, throughput):
    rows = [row("one", f"alarm-{n}", "success", wall=2.0, jobs=n) for n in jobs]
    (line,) = compared(rows, ["one"]).frameworks
    assert (line.latency_p50_s, line.throughput_per_min) == (latency, throughput)


@pytest.mark.parametrize("version", [5, 8, None, "6"])
def test_other_formats_are_refused(version):
    stored = stored_in_version_6() | {"version": version}
    with pytest.raises(ValidationError):
        Comparison.model_validate(stored)


@pytest.mark.parametrize(
    "damage",
    [{"frameworks": wrong} for wrong in ([5], None, 5, [{}], [{"success": {"count": "x"}}])],
)
def test_a_damaged_older_format_is_refused(damage):
    stored = stored_in_version_6() | damage
    with pytest.raises(ValidationError):
        Comparison.model_validate(stored)


outcomes = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def repeated(found, times, *, within=1):
    """Two frameworks on tasks, whose `within` outcomes are repeated so many times."""
    return compared(
        [
            row(
                name, f"alarm-{place // within}", verdict, repeat=turn * within + place % within + 1
            )
            for turn in range(times)
            for place, pair in enumerate(found)
            for name, right in zip(("one", "two"), pair, strict=True)
            for verdict in ("success" if right else "failure",)
        ],
        ["one", "two"],
    )


@pytest.mark.slow
@given(outcomes, st.integers(2, 4), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_repeating_the_same_outcomes_changes_neither_interval_nor_p(found, times, within):
    once, often = repeated(found, 1, within=within), repeated(found, times, within=within)
    for few, many in zip(once.frameworks, often.frameworks, strict=True):
        shares_of = [
            {"success": line.success, "of_all": line.success_of_all, **line.metrics}
            for line in (few, many)
        ]
        for name in ("success", "of_all", "slots_correct", "side_effects"):
            one, other = (found[name] for found in shares_of)
            assert (one.low, one.high, one.tasks) == (other.low, other.high, other.tasks)
            assert other.of == times * one.of
    for few, many in zip(once.pairs, often.pairs, strict=True):
        same = {"tasks", "difference", "low", "high", "p_value", "p_holm", "test"}
        assert few.model_dump(include=same) == many.model_dump(include=same)


@given(outcomes)
@settings(max_examples=40, deadline=None)
def test_with_one_repeat_the_clustered_figures_are_wilsons_and_mcnemars(found):
    result = repeated(found, 1)
    for line, wins in zip(result.frameworks, zip(*found, strict=True), strict=True):
        assert (line.success.low, line.success.high) == wilson(sum(wins), len(found))
    (pair,) = result.pairs
    flips = [one - two for one, two in found]
    assert pair.p_value == mcnemar_exact(flips.count(1), flips.count(-1))


def test_success_of_all_counts_invalid_episodes_as_failures():
    result = compared()
    assert [(x.success_of_all.count, x.success_of_all.of) for x in result.frameworks] == [
        (2, 5),
        (3, 5),
        (0, 1),
    ]
    assert result.is_uneven
    assert not compared([row("one", "a-1", "invalid"), row("two", "a-1", "invalid")]).is_uneven


def test_an_episode_in_numbers():
    play = gold_play(WAKE)
    trace = play.trace().model_copy(update={"reported": Reported(prompt_tokens=70)})
    line = episode_row(WAKE, trace, SCORER.score(WAKE, trace), METRICS)
    assert (line.verdict, line.roles) == ("success", ())
    assert line.metrics["slots_correct"] is line.metrics["acted"] is True
    assert (line.metrics["reply"], line.metrics["unread"]) == ("true", False)
    calls = len(trace.gateway.exchanges)
    assert (line.calls, line.prompt_tokens, line.completion_tokens) == (
        calls,
        10 * calls,
        2 * calls,
    )
    assert (line.tokens_estimated, line.price_usd, line.reported_tokens) == (True, None, 70)
    assert (line.wall_s, line.model_s) == (2.0, 0.5 * calls)
    assert episode_row(WAKE, play.trace(), play.score()).reported_tokens is None


def test_an_invalid_episode_has_no_metric():
    play = Play(WAKE).call("intent", None, status="infrastructure")
    line = episode_row(WAKE, play.trace(), play.score(), METRICS)
    assert line.verdict == "invalid"
    assert line.metrics == dict.fromkeys(metric.name for metric in METRICS)


def test_roles_are_named_once_in_a_row():
    other = WAKE_URL.replace("07", "08")
    play = gold_play(WAKE, until="request").request(other).response()
    assert episode_row(WAKE, play.trace(), play.score()).roles == ("function call",)


def test_a_pair_tells_what_both_sides_cost_on_the_tasks_that_both_have():
    costs = next(p for p in compared().pairs if (p.first, p.second) == ("one", "two")).costs
    assert (costs["calls"].first, costs["calls"].difference) == (10, 0), "not 1000 of an invalid"
    seconds = costs["wall_s"]
    assert (seconds.first, seconds.second, seconds.difference) == (2.5, 1, 1.5)
    # Differences of 0, 1, 2 and 3 seconds.
    half = 1.96 * (5 / 3) ** 0.5 / 2
    assert (seconds.low, seconds.high) == pytest.approx((1.5 - half, 1.5 + half), rel=1e-4)


def test_repeats_of_a_task_are_one_task_in_a_pairs_cost():
    names = ("one", "two")
    rows = [
        *(row(name, "alarm-1", "success", calls=5 * number) for number, name in enumerate(names)),
        *(row(name, "music-1", "success", repeat=r, calls=9) for name in names for r in (1, 2, 3)),
    ]
    (pair,) = compared(rows, names).pairs
    assert (pair.costs["calls"].first, pair.costs["calls"].difference) == (4.5, -2.5)
    (alone,) = compared(rows[:2], names).pairs
    assert (alone.costs["calls"].difference, alone.costs["calls"].low) == (-5, None)
