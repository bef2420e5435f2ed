"""What sessions are drawn from."""

from datetime import date
from random import Random

import pytest

from ossia_dataset.flowbench.drafts import Days, Hours, Months, Span, draw, values, wish_words

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("pool", "low", "high"),
    [
        (Span(low=2, high=4, step=0.5), 2, 4),
        (Hours(low="09:15", high="10:00", step=15), "09:15", "10:00"),
        (Days(days=(-2, 3)), "2026-11-28", "2026-12-03"),
    ],
)
def test_values_lie_within_their_bounds(pool, low, high):
    found = {draw(pool, Random(seed), TODAY) for seed in range(200)}
    assert (min(found), max(found)) == (low, high)


def test_months_go_over_the_turn_of_the_year():
    found = {draw(Months(months=(-1, 2)), Random(seed), TODAY) for seed in range(50)}
    assert found == {"October 2026", "November 2026", "December 2026", "January 2027"}


def test_signs_of_a_pattern_are_drawn():
    found = draw("&#-kim@example.org", Random(1), TODAY)
    assert found[0].isupper() and found[1] in "123456789" and found.endswith("-kim@example.org")


def test_every_wish_is_worded_in_three_ways_at_least():
    assert len(wish_words()) == 51
    assert all(len(set(words.openings)) >= 3 for words in wish_words().values())
    every = [text for words in wish_words().values() for text in words.openings]
    assert len(every) == len(set(every))


def test_pools_are_read():
    assert values().slots and values().facts
