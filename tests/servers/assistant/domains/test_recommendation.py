"""Events, movies and places are found in any town, by kind, day and price."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import ask, check_gold, rows, tasks_of, world


def _events(**params):
    return rows(world(), "recommendation", intent="recommendation_events", **params)


def _movies(**params):
    return rows(world(), "recommendation", intent="recommendation_movies", **params)


def _places(**params):
    return rows(world(), "recommendation", intent="recommendation_locations", **params)


def test_events_are_those_of_the_town_and_the_days():
    found = _events(place_name="Boston", date="2026-03-14..2026-03-15")
    assert {row["place"] for row in found} == {"Boston, Massachusetts"}
    assert {row["date"] for row in found} <= {"2026-03-14", "2026-03-15"}
    assert found == _events(place_name="boston, massachusetts", date="2026-03-14..2026-03-15")
    assert found != _events(date="2026-03-14..2026-03-15")


def test_events_of_today_are_still_to_come():
    assert all(row["time"] >= "10:00" for row in _events(date="2026-03-13"))


def test_events_are_chosen_by_kind_and_price():
    jazz = _events(place_name="New Orleans", event_name="jazz concert", descriptor="next")
    assert {row["name"] for row in jazz} == {"Jazz Concert"}
    assert {row["kind"] for row in _events(event_name="concerts")} == {"concert"}
    free = _events(descriptor="free", date="2026-03-14")
    assert free
    assert {row["price"] for row in free} == {0}
    assert _events(event_name="events and meetups") == _events()


@pytest.mark.parametrize("day", ["2026-03-14", "2026-08-22"])
def test_there_is_a_farmers_market_each_saturday(day):
    (row,) = _events(event_name="a farmers market", date=day, place_name="Nowhereville")
    assert row["date"] == day


def test_movies_are_chosen_by_genre_and_order():
    assert {row["genre"] for row in _movies(movie_type="sci fi movie")} == {"sci fi"}
    ratings = [row["rating"] for row in _movies(descriptor="top rated")]
    assert ratings == sorted(ratings, reverse=True)
    assert [row["name"] for row in _movies(movie_type="horror", descriptor="newest")] == [
        "The Hollow Orchard",
        "Nightfall at Bramble House",
    ]
    assert _movies(movie_type="silent epic") == []


def test_any_film_can_be_asked_for_by_name():
    (row,) = _movies(movie_name="the iron tide", place_name="Dallas", date="2026-03-14")
    assert (row["name"], row["place"], row["date"]) == ("Iron Tide", "Dallas, Texas", "2026-03-14")
    assert _movies(movie_name="star wars")[0]["name"] == "Star Wars"
    assert row != _movies(movie_name="the iron tide", place_name="Dallas", date="2026-03-15")[0]


def test_the_time_of_the_day_narrows_what_is_recommended():
    evening = {"date": "2026-03-14", "time": "18:00..22:00"}
    assert all(row["time"] >= "18:00" for row in _events(**evening))
    assert _events(**evening)
    shows = [moment for row in _movies(**evening) for moment in row["times"]]
    assert shows and min(shows) >= "18:00"
    late = _places(business_type="bar", time="21:00")
    assert late and all(row["closes"] > "21:00" for row in late)


def test_places_of_a_kind_are_the_same_however_they_are_asked_for():
    mexican = _places(food_type="mexican food", place_name="Seattle")
    assert mexican == _places(
        food_type="mexican", business_type="restaurants", place_name="Seattle, Washington"
    )
    assert mexican != _places(food_type="thai", place_name="Seattle")
    assert _places() == _places(business_type="good restaurants")


def test_places_are_chosen_by_price_distance_and_rating():
    cheap = _places(food_type="thai", descriptor="cheap")
    assert all(row["price"] <= 2 for row in cheap)
    (nearest,) = _places(business_type="pharmacy", descriptor="nearest")
    assert nearest["miles"] <= min(row["miles"] for row in _places(business_type="pharmacy"))
    best = [row["rating"] for row in _places(business_type="bar", descriptor="best")]
    assert best == sorted(best, reverse=True)


@given(
    st.text(min_size=1, max_size=30),
    st.sampled_from(["events", "movies", "locations"]),
    st.sampled_from(["business_type", "food_type", "movie_type", "movie_name", "event_name"]),
)
@settings(max_examples=40, deadline=None)
def test_any_words_are_answered_or_refused(text, intent, name):
    given = {"intent": f"recommendation_{intent}", name: text}
    assert ask(world(domains=["recommendation"]), "recommendation", **given)


@pytest.mark.parametrize("task", tasks_of("recommendation"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)
