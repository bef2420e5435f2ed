"""A reply that lays the figure of one row to another row is found."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.reply.rows import crossed, listed_wrongly, named_instead
from ossia_evaluation.reply.support import support_of

CITIES = (
    {"id": "w-1", "place": "Dallas, Texas", "high": 71, "low": 52},
    {"id": "w-2", "place": "Boston, Massachusetts", "high": 48, "low": 33},
)
DAYS = (
    {"id": "w-1", "date": "2026-03-14", "high": 71},
    {"id": "w-2", "date": "2026-03-15", "high": 64},
    {"id": "w-3", "date": "2026-03-16", "high": 59},
)
POSTS = (
    {"id": "p-1", "author": "Anna", "text": "The new bakery makes wonderful bread"},
    {"id": "p-2", "author": "Ben", "text": "Nobody told me about tonight's football match"},
)
LETTERS = (
    {"id": "m-1", "subject": "Concert tickets", "sender": "Sarah Johnson"},
    {"id": "m-2", "subject": "Project notes", "sender": "John Smith"},
)
WEEK = (
    {"id": "w-1", "date": "2026-03-16", "sky": "foggy", "low": 37, "high": 52},
    {"id": "w-2", "date": "2026-03-17", "sky": "sunny", "low": 40, "high": 63},
)
SHARES = (
    {"id": "s-1", "company": "Apple", "price": 222.72},
    {"id": "s-2", "company": "Toyota", "price": 178.5},
)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Dallas gets 48 degrees.", CITIES),
        ("It is 71 in Boston and 48 in Dallas.", CITIES),
        ("Dallas: 33 to 48.", CITIES),
        ("In Boston it is warm; 71 in Boston.", CITIES),
        ("On Saturday it is 64, on Sunday 71.", DAYS),
        ("Monday is the hot one at 71.", DAYS),
        ("It will be 59 on Sunday", DAYS),
        ("Anna says that nobody told her about tonight's football match: me.", POSTS),
        ("Ben writes: the new bakery makes wonderful bread", POSTS),
        ("Ben posted the new bakery makes wonderful bread.", POSTS),
        ("Apple stands at 178.5.", SHARES),
        ('"Concert tickets" from John Smith and "Project notes" from Sarah Johnson', LETTERS),
        ("Monday foggy, 40 to 63; Tuesday sunny, 37 to 52", WEEK),
        ("Toyota is at 222.72 while Apple is at 178.5", SHARES),
    ],
)
def test_a_value_of_another_row_is_found(text, rows):
    assert crossed(text, rows) is not None


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Dallas gets 71 degrees.", CITIES),
        ("It is 71 in Dallas and 48 in Boston.", CITIES),
        ("Dallas, Texas: 71, Boston: 48.", CITIES),
        ("Dallas 71 and Boston 48", CITIES),
        ("It is 48.", CITIES),
        ('"Concert tickets" from Sarah Johnson and "Project notes" from John Smith', LETTERS),
        ("Monday foggy, 37 to 52; Tuesday sunny, 40 to 63", WEEK),
        ("Dallas is warmer than Boston.", CITIES),
        ("On Saturday it is 71, on Sunday 64 and on Monday 59.", DAYS),
        ("Saturday is the hot one at 71.", DAYS),
        ("Ben writes: nobody told me about tonight's football match", POSTS),
        ("Anna says the new bakery makes wonderful bread.", POSTS),
        ("Apple stands at 222.72.", SHARES),
        ("", SHARES),
        ("Apple", SHARES),
    ],
)
def test_the_own_value_of_a_row_is_right(text, rows):
    assert crossed(text, rows) is None


def test_what_rows_share_belongs_to_each():
    rows = ({"id": "1", "name": "lamp", "level": 40}, {"id": "2", "name": "fan", "level": 40})
    assert crossed("The lamp is at 40 and the fan at 40.", rows) is None


@pytest.mark.parametrize("rows", [(), CITIES[:1]])
def test_less_than_two_rows_cannot_be_crossed(rows):
    assert crossed("It is 48 in Dallas.", rows) is None


def test_the_part_that_is_wrong_is_told():
    assert crossed("In Boston it is 48. In Dallas it is 48.", CITIES) == "in dallas it is 48"


cells = st.one_of(st.text(max_size=12), st.integers(-99, 99), st.floats(), st.none(), st.booleans())
tables = st.lists(st.dictionaries(st.text(max_size=5), cells, max_size=4), max_size=5)


@given(st.text(), tables)
def test_any_text_and_any_rows_can_be_read(text, rows):
    part = crossed(text, rows)
    assert part is None or part in text.casefold()


@given(st.lists(st.integers(2, 99), min_size=2, max_size=6, unique=True), st.integers(1, 5))
def test_highs_of_cities_are_crossed_when_they_are_shifted(highs, shift):
    names = ["Rome", "Paris", "Oslo", "Lima", "Cairo", "Delhi"][: len(highs)]
    rows = [{"place": name, "high": high} for name, high in zip(names, highs, strict=True)]
    assert crossed(_told(names, highs), rows) is None
    by = shift % len(highs)
    moved = highs[by:] + highs[:by]
    assert (crossed(_told(names, moved), rows) is not None) is (by != 0)


def _told(names, highs):
    return ", ".join(f"{name} {high}" for name, high in zip(names, highs, strict=True))


PLACES = (
    {"name": "Mario's Pizzeria", "menu": ["pizza", "lasagna"], "stars": 4.5},
    {"name": "Olive Garden", "menu": ["pasta", "minestrone"], "stars": 4.0},
)
ORDERED = frozenset({"mario's pizzeria", "lasagna"})


@pytest.mark.parametrize(
    "text",
    [
        "Olive Garden has the better rating, so I ordered your lasagna there.",
        "Your lasagna comes from the Olive Garden.",
    ],
)
def test_a_row_that_was_not_picked_is_named_instead(text):
    assert named_instead(text, PLACES, ORDERED) == "Olive Garden"


@pytest.mark.parametrize(
    "text",
    [
        "I ordered a lasagna.",
        "Mario's has the better rating, so I ordered there.",
        "Mario's Pizzeria beats Olive Garden.",
    ],
)
def test_the_picked_row_may_be_named_beside_others_or_not_at_all(text):
    assert named_instead(text, PLACES, ORDERED) is None


def test_rows_of_which_none_was_picked_are_not_compared():
    assert named_instead("Olive Garden is closed.", PLACES, frozenset({"milk"})) is None


SOUP = ({"name": "Noodle Soup", "ingredients": ["chicken", "egg noodles", "carrots", "celery"]},)
HEARD = support_of(
    ["noodle soup: chicken, egg noodles, carrots, celery"], [], datetime(2026, 3, 13)
)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Take chicken, rice, potatoes and leeks.", "rice"),
        ("You need chicken, carrots, celery and bacon.", "bacon"),
        ("Take chicken, egg noodles, carrots and celery.", None),
        ("Chicken, noodles, a few others, and carrots.", None),
        ("It takes an hour, a pot and patience.", None),
    ],
)
def test_what_is_listed_with_the_items_of_a_row_is_one_of_them(text, item):
    assert listed_wrongly(text, SOUP, HEARD) == item
