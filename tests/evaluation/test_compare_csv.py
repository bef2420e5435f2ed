"""The comparison as CSV: every figure with its interval, and nothing for the unknown."""

import pytest

from ossia_evaluation.compare import EpisodeRow
from ossia_evaluation.report import (
    by_group_csv,
    by_role_csv,
    comparison_csv,
    episodes_csv,
    pairs_csv,
)

from .compared import NAMES, PARTS, ROWS, compared, read, row, shares


def test_csv_has_a_line_for_each_episode_and_no_word_for_the_unknown():
    lines = read(episodes_csv(ROWS))
    assert len(lines) == len(ROWS)
    fields = [name for name in EpisodeRow.model_fields if name not in ("groups", "metrics")]
    assert set(lines[0]) == {*fields, "domain", "intent", *NAMES}
    assert list(lines[0])[:5] == ["episode", "task", "domain", "intent", "framework"]
    assert lines[2]["roles"] == "intent|time"
    assert (lines[4]["verdict"], lines[4]["slots_correct"]) == ("invalid", "")
    assert lines[5]["price_usd"] == ""


def test_the_comparison_as_csv_has_every_figure_with_its_interval():
    one, two, three = read(comparison_csv(compared()))
    assert (one["framework"], one["model"], one["version"]) == ("one", "m", "one 1.0")
    assert (one["episodes"], one["valid"], one["invalid"]) == ("5", "4", "1")
    assert shares(one, "success") == ("2", "4", "0.5000", "0.1500", "0.8500")
    assert shares(one, "side_effects")[:3] == ("1", "4", "0.2500")
    assert (float(one["price_usd"]), float(one["price_per_success_usd"])) == (0.375, 0.75)
    assert (float(one["latency_p50_s"]), float(one["latency_p95_s"])) == (2.5, pytest.approx(3.85))
    assert (float(one["reported_tokens_share"]), one["forced"]) == (0.75, "temperature=0.0")
    assert (two["clarifications"], two["tokens_estimated"], two["price_usd"]) == ("1", "True", "")
    assert shares(one, "success_of_all") == ("2", "5", "0.4000", "0.1176", "0.7693")
    known = {"framework", "label", "model", "episodes", "valid", "invalid", "forced"}
    known |= {f"success_of_all_{part}" for part in PARTS}
    assert {name for name, value in three.items() if value} == known, "unknown is empty, never 0"


def test_repeats_have_columns_in_the_csv():
    rows = [row("one", "alarm-1", "success", repeat=number) for number in (1, 2)]
    (line,) = read(comparison_csv(compared(rows, ["one"])))
    assert (line["pass_hat_1"], line["pass_hat_2"]) == ("1.0", "1.0")
    assert "pass_hat_1" not in read(comparison_csv(compared()))[0]


def test_domains_as_csv_have_the_intent_role_beside_success():
    rows = [
        row("one", "alarm-1", "success", frame_exact=True, frame_unnamed=True),
        row("one", "alarm-2", "success", frame_exact=False, frame_unnamed=True),
        row("two", "music-1", "failure"),
    ]
    lines = read(by_group_csv(compared(rows, ["one", "two"])))
    found = {(line["framework"], line["domain"]): line for line in lines}
    assert len(found) == len(lines) == 4
    alarm = found["one", "alarm"]
    assert shares(alarm, "success")[:3] == ("2", "2", "1.0000")
    assert shares(alarm, "frame_exact")[:3] == ("1", "2", "0.5000")
    assert shares(alarm, "frame_unnamed")[:3] == ("2", "2", "1.0000")
    assert set(shares(found["one", "music"], "success")) == {""}
    assert shares(found["two", "music"], "success")[:3] == ("0", "1", "0.0000")
    assert set(shares(found["two", "music"], "frame_exact")) == {""}


def test_failed_roles_as_csv_are_out_of_the_failures():
    lines = read(by_role_csv(compared()))
    found = {(line["framework"], line["role"]): shares(line) for line in lines}
    assert len(lines) == 3 * 4
    assert found["one", "intent"][:3] == ("2", "2", "1.0000")
    assert found["one", "manager"][:3] == ("0", "2", "0.0000")
    assert set(found["three", "intent"]) == {""}, "nothing is known without a failure"


def test_pairs_as_csv_name_the_tasks_that_flip():
    lines = read(pairs_csv(compared()))
    assert len(lines) == 3
    pair = lines[0]
    assert (pair["pairs_of"], pair["within"]) == ("frameworks", "m")
    assert (pair["first"], pair["second"], pair["both"], pair["neither"]) == (
        "one",
        "two",
        "1",
        "1",
    )
    assert (pair["only_first"], pair["only_first_tasks"]) == ("1", "alarm-1")
    assert (pair["only_second"], pair["only_second_tasks"]) == ("1", "music-1")
    assert (pair["p_value"], pair["p_holm"], pair["test"]) == ("1.0", "1.0", "exact")
    assert (pair["tasks"], pair["difference"]) == ("4", "0.0")
    assert (pair["calls_difference"], pair["wall_s_difference"]) == ("0.0", "1.5")
