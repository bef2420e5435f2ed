"""Recovery and what stands beside it, from episodes with and without faults."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.grade import Verdict
from ossia_evaluation.stats import wilson
from ossia_evaluation.stress import Outcome
from ossia_evaluation.stress.figures import ALL

from .stressed import ALWAYS, EMPTY, LOST, met, stress, usual

OUTCOMES = st.sampled_from(list(Outcome))
TASKS = [f"t{number:02}" for number in range(24)]


def both(outcomes_a, outcomes_b, fault=EMPTY, model="m"):
    for task, one, two in zip(TASKS, outcomes_a, outcomes_b, strict=False):
        for framework, ended in (("a", one), ("b", two)):
            yield usual(task, framework, model=model)
            yield met(task, framework, fault, ended, model=model)


@given(st.lists(st.tuples(OUTCOMES, OUTCOMES), min_size=1, max_size=24))
def test_recovery_is_a_share_of_what_succeeds_without(pairs):
    result = stress(list(both(*zip(*pairs, strict=True))))
    for line, outcomes in zip(result.lines, zip(*pairs, strict=True), strict=True):
        cell = line.by_fault["empty"]
        assert sum(cell.outcomes.values()) == cell.recovery.of == len(pairs)
        assert cell.outcomes == {each: outcomes.count(each) for each in Outcome}
        assert cell.recovery.count == outcomes.count(Outcome.RECOVERED)
        assert (cell.recovery.low, cell.recovery.high) == wilson(cell.recovery.count, len(pairs))
        whole, group = (line.by_group[name] for name in (ALL, "omission"))
        assert whole == group == cell.model_copy(update={"episodes": {}})
        assert list(cell.episodes.values()) == list(outcomes)


@given(st.lists(st.tuples(OUTCOMES, OUTCOMES), min_size=1, max_size=24), st.randoms())
def test_neither_the_order_of_episodes_nor_of_frameworks_matters(pairs, random):
    episodes = list(both(*zip(*pairs, strict=True)))
    found = stress(episodes)
    random.shuffle(episodes)
    again = stress(episodes, frameworks=("b", "a"))
    for one, two in zip(found.differences, again.differences, strict=True):
        assert (one.p_value, one.p_holm) == (two.p_value, two.p_holm)
        assert one.difference == pytest.approx(-two.difference)
        assert one.low == pytest.approx(-two.high)
    for model in found.models:
        assert found.extremes(model, ALL) == again.extremes(model, ALL)


def test_what_says_nothing_of_a_fault_is_left_out_and_told():
    episodes = [
        usual("t1", "a"),
        met("t1", "a", EMPTY, Outcome.LOUD, injections=0),
        usual("t2", "a", verdict=Verdict.FAILURE),
        met("t2", "a", EMPTY),
        usual("t3", "a"),
        met("t3", "a", EMPTY).row,
    ]
    invalid = episodes.pop().model_copy(update={"verdict": Verdict.INVALID})
    episodes += [met("t3", "a", EMPTY).__class__(invalid), met("t4", "a", EMPTY)]
    cell = stress(episodes, frameworks=("a",)).lines[0].by_fault["empty"]
    assert (cell.unmet, cell.unpaired, cell.invalid) == (1, 2, 1)
    assert cell.recovery.of == 0
    assert cell.recovery.value is None


def test_the_best_and_the_worst_are_marked_only_where_they_differ_significantly():
    right, wrong = [Outcome.RECOVERED] * 24, [Outcome.LOUD] * 24
    apart = stress(list(both(right, wrong)))
    assert apart.extremes("m", ALL) == ({"a"}, {"b"})
    (whole, by_class) = apart.differences
    assert whole.difference == 1
    assert whole.p_holm == pytest.approx(2 * 2 * 0.5**24)
    assert (by_class.faults, by_class.significant) == ("omission", True)
    alike = stress(list(both(right, [*right[:-1], Outcome.LOUD])))
    assert alike.extremes("m", ALL) == (frozenset(), frozenset())


def test_frameworks_are_compared_where_both_succeed_without():
    episodes = [*both([Outcome.RECOVERED] * 3, [Outcome.SILENT] * 3)]
    episodes = [each for each in episodes if (each.row.task, each.row.framework) != ("t00", "b")]
    (one, *_) = stress(episodes).differences
    assert (one.tasks, one.difference) == (2, 1)
    (only,) = stress(episodes).to_reference
    assert (only.first, only.second, only.faults, only.difference) == ("b", "a", "empty", -1)
    assert stress(episodes, reference="none").to_reference == ()


def test_surviving_costs_what_the_pair_did_not():
    episodes = [
        *(usual(task, "a") for task in ("t1", "t2", "t3")),
        met("t1", "a", EMPTY, calls=6, prompt_tokens=150, wall_s=1.5),
        met("t2", "a", EMPTY, calls=4),
        met("t3", "a", EMPTY, Outcome.LOUD, calls=90),
    ]
    price = stress(episodes, frameworks=("a",)).lines[0].by_fault["empty"].price
    assert (price["calls"].mean, price["tokens"].mean, price["wall_s"].mean) == (1, 25, 0.25)
    assert price["calls"].low < 1 < price["calls"].high
    assert price["calls"].tasks == 2


def test_doses_are_told_of_kinds_that_have_several():
    episodes = [usual("t1", "a"), met("t1", "a", EMPTY), met("t1", "a", ALWAYS, Outcome.LOUD)]
    line = stress([*episodes, met("t1", "a", LOST)], (EMPTY, ALWAYS, LOST), ("a",)).lines[0]
    told = {dose: share.value for dose, share in line.by_dose["omission"].items()}
    assert told == {"once": 1, "always": 0}
    assert list(line.by_dose) == ["omission"]
    assert line.by_place == {}


def test_a_request_that_acts_more_often_than_in_the_pair_acts_twice():
    twice = met("t1", "a", LOST, Outcome.DAMAGE, acts=("x", "x"))
    other = met("t2", "a", LOST, Outcome.DAMAGE, acts=("x", "y"))
    episodes = [usual("t1", "a"), usual("t2", "a"), twice, other]
    result = stress(episodes, (LOST,), ("a",))
    assert result.lines[0].by_fault["lost-answer"].acted_twice == 1
    assert any("act twice: A in 50 %" in sentence for sentence in result.finding)


def test_the_order_with_two_models_is_compared():
    right, wrong = [Outcome.RECOVERED] * 4, [Outcome.SILENT] * 4
    episodes = [*both(right, wrong), *both(wrong, right, model="n")]
    result = stress(episodes, models=("m", "n"))
    (found,) = result.rankings
    assert (found.tau, found.swapped) == (pytest.approx(-1), (("a", "b"),))
    assert "Kendall's tau -1.00; change places: A and B" in result.finding[-1]
    same = stress([*both(right, wrong), *both(right, wrong, model="n")], models=("m", "n"))
    assert same.rankings[0].tau == pytest.approx(1)
    alike = stress([*both(right, right), *both(right, wrong, model="n")], models=("m", "n"))
    assert alike.rankings[0].tau is None


def test_the_finding_is_of_the_figures():
    wrong = [Outcome.SILENT] * 18 + [Outcome.LOUD] * 6
    result = stress(list(both([Outcome.RECOVERED] * 24, wrong)))
    (told,) = result.finding
    assert "A still succeeds in 100 % of the episodes that it passes without one, B in 0 %" in told
    assert "Largest by class: omission: A 100 %, B 0 %." in told
    assert "B does not tell the user about 75 % of its 24 failures" in told
    (nothing,) = stress([usual("t1", "a")]).finding
    assert nothing.startswith("No fault was injected")
