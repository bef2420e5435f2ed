"""Whatever a service answers is spoilt into another answer, or left alone."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia_servers.stress.spoiling import altered, halved, renamed, with_note

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(
        ["2026-02-28", "9999-12-31", "0000-99-99", "07:30", "99:99", "1,234.5", "00017"]
    ),
)
JSON = st.recursive(
    VALUES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
BODIES = st.one_of(
    st.dictionaries(st.text(max_size=4), JSON, max_size=4),
    st.fixed_dictionaries(
        {"code": st.just("SUCCESS"), "data": st.dictionaries(st.text(max_size=4), JSON, max_size=4)}
    ),
)


@settings(max_examples=60, deadline=None)
@given(BODIES, st.integers(0, 99))
def test_any_body_becomes_another_of_the_same_form_or_none(body, seed):
    before = json.dumps(body)
    for spoil in (
        lambda: renamed(body, random.Random(seed)),
        lambda: halved(body),
        lambda: altered(body, ["17"], random.Random(seed)),
        lambda: with_note(body, "Beware."),
    ):
        new = spoil()
        assert json.dumps(body) == before, "the true answer stays"
        if new is not None:
            assert json.loads(json.dumps(new)) != body
            assert new == spoil(), "by its seed alone"


def spoken(sentence, *rows):
    return {
        "code": "SUCCESS",
        "data": {"response": sentence, "query": {"n": "3"}, "result": [*rows]},
    }


@pytest.mark.parametrize(
    ("sentence", "cut"),
    [
        ("There are: A lamp; A rug; A sofa.", "There are: A lamp."),
        ("You have A lamp, A rug and A sofa.", "You have A lamp."),
        ("3 found.", "3 found."),
    ],
)
def test_a_sentence_ends_with_the_last_item_that_is_left(sentence, cut):
    rows = [{"id": "x-1", "name": name} for name in ("A lamp", "A rug", "A sofa")]
    found = halved(spoken(sentence, *rows))
    assert found["data"] == {"response": cut, "query": {"n": "3"}, "result": rows[:1]}


def test_a_wrong_value_keeps_its_form_and_leaves_what_was_asked():
    seen = set()
    for seed in range(40):
        body = spoken("3 seats cost 1,250.50 dollars at 07:30 on 2026-03-01.", {"price": 1250.5})
        data = altered(body, ["3", "2026-03-01"], random.Random(seed))["data"]
        words = data["response"].split()
        price = float(words[3].replace(",", ""))
        assert words[0] == "3"
        assert words[-1] == "2026-03-01."
        assert data["result"] == [{"price": price}]
        seen.add((price != 1250.5, words[6] != "07:30"))
        assert words[3].count(",") == 1 or price < 1000
        assert words[3][-3] == "."
    assert seen == {(True, False), (False, True)}
