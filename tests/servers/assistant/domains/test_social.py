"""Posts are made and found; reactions are read."""

import pytest
from hypothesis import given, settings

from .support import (
    asked_back,
    check_gold,
    check_session,
    refused,
    requests_of,
    rows,
    tasks_of,
    world,
)


def post(pair, **params):
    return rows(pair, "social", intent="social_post", **params)[0]


def read(pair, **params):
    return rows(pair, "social", intent="social_query", **params)


def test_a_post_is_found_among_ones_own():
    pair = world()
    made = post(pair, media_type="tweet", content="the new bridge is open")
    assert (made["media"], made["author"], made["date"]) == (
        "twitter",
        "Robin Hayes",
        "2026-03-13",
    )
    assert read(pair, descriptor="my last post") == [made]
    assert read(pair, content="bridge", media_type="twitter") == [made]
    assert read(pair, content="bridge", media_type="facebook") == []
    assert made not in read(pair)


def test_a_post_goes_where_it_belongs():
    pair = world()
    company = post(pair, business_name="kmart", content="you sent the wrong item")
    assert (company["media"], company["to"]) == ("twitter", "kmart")
    friend = post(pair, person="sarah", content="great show")
    assert (friend["media"], friend["to"]) == ("facebook", "Sarah Johnson")
    assert post(pair, media_type="social media", content="hello")["media"] == "twitter"
    assert post(pair, media_type="Insta", content="hello")["media"] == "instagram"


def test_a_post_needs_words_and_an_account():
    pair = world()
    share = {"intent": "social_post"}
    assert asked_back(pair, "social", **share, media_type="twitter") == ("content",)
    assert refused(pair, "social", **share, media_type="friendster", content="hi") == "NOT_FOUND"


def test_posts_are_filtered():
    pair = world()
    assert {row["media"] for row in read(pair, media_type="fb")} == {"facebook"}
    assert [row["author"] for row in read(pair, media_type="twitter", date="2026-03-13")] == [
        "CNN",
        "Delta",
        "NASA",
    ]
    latest = read(pair, person="tom", descriptor="latest")
    assert [row["content"] for row in latest] == ["the lake is calling and the boat is ready"]
    assert len(read(pair, person="tom")) == 2
    assert read(pair, person="mom")[0]["author"] == "Linda Hayes"
    assert [row["media"] for row in read(pair, business_name="cnn")] == ["twitter", "facebook"]
    assert read(pair, descriptor="trending", media_type="twitter")[0]["author"] == "NASA"
    assert len(read(pair, descriptor="latest")) == 5
    assert read(pair, business_name="indian railways") == []
    assert read(pair, media_type="truthdig") == []
    assert "Robin Hayes" not in {row["author"] for row in read(pair)}


def test_posts_are_read_by_the_part_of_the_day():
    morning = {"date": "2026-03-13", "time": "06:00..12:00"}
    found = read(world(), **morning)
    assert found and all("06:00" <= row["time"] < "12:00" for row in found)
    assert read(world(), date="2026-03-13", time="18:00..23:59") == []
    assert read(world(), descriptor="messages", **morning) == []


def test_reactions_are_read():
    pair = world()
    assert [row["person"] for row in read(pair, descriptor="new likes")] == [
        "Emma Larsen",
        "Tom Baker",
    ]
    messages = read(pair, content="messages", media_type="linkedin")
    assert [row["person"] for row in messages] == ["Jane Doe"]
    assert len(read(pair, descriptor="notifications")) == 9
    assert read(pair, descriptor="friend requests")[0]["person"] == "Walter Green"
    assert read(pair, descriptor="replies", business_name="delta")[0]["kind"] == "reply"
    assert read(pair, content="people who like dogs") == []


@pytest.mark.parametrize("task", tasks_of("social"), ids=lambda task: task.id)
def test_gold_runs(task):
    check_gold(task)


@settings(max_examples=50, deadline=None)
@given(requests_of("social"))
def test_any_request_is_answered_or_refused(session):
    check_session("social", session)
