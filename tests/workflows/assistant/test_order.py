"""The allowed order leads from every task to its end, whatever the slots are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_workflows import load_team
from ossia_workflows.assistant import (
    CHAT_DOMAIN,
    FINISH,
    NOTHING_LEFT,
    PLACE_SLOTS,
    TIME_SLOTS,
    allowed_next,
    allowed_next_in_round,
    stages,
)

NAMES = st.sampled_from(sorted(TIME_SLOTS | PLACE_SLOTS | {"person", "house_place", "time_zone"}))
SLOTS = st.dictionaries(NAMES | st.text(max_size=5), st.text(max_size=5), max_size=5)
DOMAINS = st.sampled_from(["alarm", "weather", CHAT_DOMAIN]) | st.text(max_size=5)
ROLES = ("intent", "time", "location", "url", "request", "response")


@given(DOMAINS, SLOTS)
def test_the_stages_are_a_chain_of_allowed_roles(domain: str, slots: dict[str, str]) -> None:
    done: list[str] = []
    for name in stages(domain, slots):
        assert name in allowed_next(domain, slots, done)
        done.append(name)
    assert allowed_next(domain, slots, done) == {FINISH}


@given(DOMAINS, SLOTS, st.data())
def test_every_allowed_way_ends_and_has_the_roles_of_the_stages(
    domain: str, slots: dict[str, str], data: st.DataObject
) -> None:
    done: list[str] = []
    while (options := allowed_next(domain if done else None, slots, done)) != {FINISH}:
        assert options <= set(ROLES) - set(done)
        done.append(data.draw(st.sampled_from(sorted(options))))
    assert sorted(done) == sorted(stages(domain, slots))
    assert (done[0], done[-1]) == ("intent", "response")


@given(DOMAINS | st.none(), SLOTS, st.sets(st.sampled_from(ROLES)))
def test_there_is_always_something_to_do(
    domain: str | None, slots: dict[str, str], done: set[str]
) -> None:
    options = allowed_next(domain, slots, done)
    assert options
    # An intent role that named no domain has to work again.
    assert not options & (done if domain is not None else done - {"intent"})
    assert (options == {FINISH}) is ("response" in done)


@pytest.mark.parametrize(
    ("domain", "slots", "expected"),
    [
        ("alarm", "", "intent url request response"),
        ("alarm", "time", "intent time url request response"),
        ("weather", "place_name", "intent location url request response"),
        ("weather", "place_name date", "intent time location url request response"),
        ("datetime", "time_zone", "intent url request response"),
        ("iot", "house_place", "intent url request response"),
        ("transport", "from_place_name to_time", "intent time location url request response"),
        ("general", "date place_name", "intent response"),
    ],
)
def test_the_stages_of_examples(domain: str, slots: str, expected: str) -> None:
    assert list(stages(domain, dict.fromkeys(slots.split(), "x"))) == expected.split()


def test_time_and_location_come_in_either_order() -> None:
    slots = {"date": "today", "place_name": "here"}
    assert allowed_next("weather", slots, ["intent"]) == {"time", "location"}
    assert allowed_next("weather", slots, ["intent", "location"]) == {"time"}


def test_the_order_names_roles_of_the_team() -> None:
    team = load_team("assistant", {"catalogue": "-", "home": "-"})
    assert {role.name for role in team.members} == set(ROLES)


def test_a_round_ends_in_the_next_intent() -> None:
    slots = {"date": "tomorrow", "place_name": "dallas"}
    assert allowed_next_in_round(None, {}, []) == {"intent"}
    done = ["intent"]
    turns = []
    while (options := allowed_next_in_round("weather", slots, done)) != {"intent"}:
        turns.append(options)
        done.append(min(options))
    assert turns == [{"location", "time"}, {"time"}, {"url"}, {"request"}]


@pytest.mark.parametrize("domain", [NOTHING_LEFT, CHAT_DOMAIN])
def test_nothing_left_and_chat_end_the_rounds(domain: str) -> None:
    assert allowed_next_in_round(domain, {}, ["intent"]) == {"response"}
    assert allowed_next_in_round(domain, {}, ["intent", "response"]) == {FINISH}
