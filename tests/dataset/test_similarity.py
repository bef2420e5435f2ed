"""Utterances are compared by what they are made of, not by case and punctuation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.similarity import TextIndex, plain_text, similarity

TEXTS = st.text(max_size=20) | st.lists(st.sampled_from("wake me up at six am".split())).map(
    " ".join
)


@given(TEXTS, TEXTS)
def test_similarity_is_a_share_and_has_no_direction(first: str, second: str) -> None:
    assert 0 <= similarity(first, second) == similarity(second, first) <= 1


@given(TEXTS)
def test_a_text_is_like_itself(text: str) -> None:
    assert similarity(text, text) == 1
    assert similarity(text, plain_text(text)) == 1


def test_case_and_punctuation_play_no_part() -> None:
    assert plain_text("  Hey, Olly!  It's six\u2014now. ") == "hey olly it s six now"
    assert similarity("Turn it off!", "turn it off") == 1


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ("turn off all the lights", "turn all the lights off", 0.9, 1.0),
        ("wake me at six", "wake me at seven", 0.6, 0.9),
        ("mute", "louder", 0.0, 0.0),
        ("", "anything", 0.0, 0.0),
    ],
)
def test_examples(first: str, second: str, low: float, high: float) -> None:
    assert low <= similarity(first, second) <= high


@given(st.lists(TEXTS, max_size=6), TEXTS, st.floats(0.1, 1))
def test_the_index_finds_what_comparing_one_by_one_finds(
    texts: list[str], text: str, threshold: float
) -> None:
    slow = [
        (place, share)
        for place, other in enumerate(texts)
        if (share := similarity(text, other)) >= threshold
    ]
    assert list(TextIndex(texts).like(text, threshold)) == slow
