"""Places: normal form, matching and rooms."""

import pytest

from ossia_dataset.normalise import canonical_place, is_house_place, normalise_place

HOME = "Springfield, Illinois"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("dallas", "Dallas, Texas"),
        ("dallas texas", "Dallas, Texas"),
        ("dallas, tx", "Dallas, Texas"),
        ("Dallas, Texas", "Dallas, Texas"),
        ("beaumont tx", "Beaumont, Texas"),
        ("smallville, kansas", "Smallville, Kansas"),
        ("smallville kansas", "Smallville, Kansas"),
        ("nyc", "New York, New York"),
        ("new york city", "New York, New York"),
        ("new york city, new york", "New York, New York"),
        ("s.f.", "San Francisco, California"),
        ("in berlin", "Berlin, Germany"),
        ("paris texas", "Paris, Texas"),
        ("paris", "Paris, France"),
        ("washington d.c.", "Washington, District of Columbia"),
        ("são paulo", "Sao Paulo, Brazil"),
        ("new jersey", "New Jersey"),
        ("west virginia", "West Virginia"),
        ("france", "France"),
        ("us", "United States"),
        ("fifth street", "Fifth Street"),
        ("charley's steakhouse", "Charley's Steakhouse"),
        ("the city", "The City"),
        ("here", HOME),
        ("near me", HOME),
        ("Nearby", HOME),
        ("in my area", HOME),
        ("my city", HOME),
        ("kitchen", "kitchen"),
        ("upstairs bathroom", "upstairs bathroom"),
        ("  ", ""),
    ],
)
def test_the_normal_form(text: str, place: str) -> None:
    assert normalise_place(text, HOME) == place


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dallas", "dallas, texas"),
        ("new york", "new york city, new york"),
        ("NYC", "New York, New York"),
        ("london, england", "London, United Kingdom"),
        ("fifth street", "Fifth Street"),
        ("St. Louis", "saint louis, missouri"),
    ],
)
def test_two_names_of_one_place_match(one: str, other: str) -> None:
    assert canonical_place(one) == canonical_place(other)


def test_other_places_do_not_match() -> None:
    assert canonical_place("dallas") != canonical_place("denver")
    assert canonical_place("") == canonical_place(" , ") == ""
    assert canonical_place("near me") == "near me"


@pytest.mark.parametrize("text", ["kitchen", "the living room", "my room", "Upstairs bathroom"])
def test_rooms_are_inside_the_house(text: str) -> None:
    assert is_house_place(text)


@pytest.mark.parametrize("text", ["", "dallas", "this area", "the opera", "fifth street", "my"])
def test_other_places_are_not(text: str) -> None:
    assert not is_house_place(text)
