import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.attribution.leakage import Sample, features, leakage


def samples(text, number=60):
    """Errors of both kinds in some tasks; `text` makes one of whether it is injected."""
    draw = Random(1)
    return [
        Sample(f"task-{n % 20}", "time", text(n % 2 == 0, draw), n % 2 == 0) for n in range(number)
    ]


def test_a_mark_on_planted_errors_is_found():
    found = leakage(
        "x", samples(lambda injected, draw: "19:30!" if injected else "19:30"), Random(0)
    )
    assert (found.injected, found.natural, found.pairs > 100) == (30, 30, True)
    assert found.auc == 1
    assert found.low == found.high == 1


def test_equal_texts_cannot_be_told_apart():
    found = leakage("x", samples(lambda injected, draw: "19:30"), Random(0))
    assert found.auc == 0.5


def test_errors_that_differ_by_chance_are_near_it():
    found = leakage("x", samples(lambda injected, draw: f"{draw.random():.9f}", 200), Random(0))
    assert found.low <= 0.5 <= found.high


def test_only_equals_are_compared():
    marked = [Sample("a", "time", "x", True), Sample("b", "url", "y", False)]
    found = leakage("x", marked, Random(0))
    assert (found.injected, found.natural, found.pairs, found.auc) == (0, 0, 0, None)


def test_the_same_seed_gives_the_same_figure():
    each = samples(lambda injected, draw: f"{draw.random():.3f}")
    assert leakage("x", each, Random(3)) == leakage("x", each, Random(3))


@given(st.text(max_size=40))
def test_any_text_has_features(text):
    found = features(text)
    assert found
    assert list(found) == sorted(set(found))


@given(st.recursive(st.none() | st.text(max_size=5), lambda x: st.dictionaries(st.text(), x)))
def test_any_json_has_features(value):
    assert features(json.dumps(value))
