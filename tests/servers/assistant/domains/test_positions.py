"""Which one of several is meant is read from words and digits, wherever it may be said."""

import pytest

from ossia_servers.assistant.positions import LAST, amount_after, position

from .support import refused, rows, world


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("first", 1),
        ("1st", 1),
        ("one", 1),
        ("episode one", 1),
        ("track three", 3),
        ("number 3", 3),
        ("track number 4", 4),
        ("the 2nd song", 2),
        ("chapter twenty one", 21),
        ("twenty first", 21),
        ("last one", LAST),
        ("the latest", LAST),
        ("second to last", LAST - 1),
        ("this one", None),
        ("five minutes ahead", None),
        ("two episodes back", None),
        ("back a second", None),
        ("zero", None),
        ("zyzzyva", None),
    ],
)
def test_a_text_names_a_position(text, number):
    assert position(text) == number


def test_some_of_the_first_are_counted():
    assert amount_after("the first two", "first") == 2
    assert amount_after("last 3 items", "last") == 3
    assert amount_after("next week", "next") is None


@pytest.mark.parametrize("index", ["three", "3", "third", "3rd", "track three", "song number 3"])
def test_a_song_of_a_playlist(index):
    asked = {"intent": "play_music", "playlist_name": "road trip"}
    for name in ("index", "descriptor"):
        (player,) = rows(world(), "music", **asked, **{name: index})
        assert player["title"] == "Purple Rain"


def test_the_last_song_and_one_too_many():
    asked = {"intent": "play_music", "playlist_name": "road trip"}
    assert rows(world(), "music", **asked, index="last")[0]["title"] == "Jolene"
    assert rows(world(), "music", **asked, index="second to last")[0]["title"] == "Purple Rain"
    assert refused(world(), "music", **asked, index="track 9") == "NOT_FOUND"


@pytest.mark.parametrize("said", ["episode two", "second episode", "2nd episode", "ep 2", "2"])
def test_an_episode_of_a_podcast(said):
    asked = {"intent": "play_podcasts", "podcast_name": "cold harbor"}
    (player,) = rows(world(), "podcasts", **asked, podcast_descriptor=said)
    assert player["title"] == "A Second Witness"
    unknown = {**asked, "podcast_name": "salt roads"}
    assert rows(world(), "podcasts", **unknown, podcast_descriptor=said)[0]["title"] == "Episode 2"


@pytest.mark.parametrize("said", ["chapter four", "fourth chapter", "4th chapter", "chapter 4"])
def test_a_chapter_of_a_book(said):
    for book in ("dracula", "paper boats"):
        asked = {"intent": "play_audiobook", "audiobook_name": book, "descriptor": said}
        assert rows(world(), "audiobook", **asked)[0]["collection"] == "chapter 4"


@pytest.mark.parametrize("said", ["second item", "item two", "2nd item", "item 2"])
def test_an_item_of_a_list(said):
    asked = {"intent": "lists_query", "list_name": "shopping", "descriptor": said}
    assert [row["item"] for row in rows(world(), "lists", **asked)] == ["eggs"]


def test_some_items_of_a_list():
    asked = {"intent": "lists_query", "list_name": "shopping"}
    first = rows(world(), "lists", **asked, descriptor="first two items")
    assert [row["item"] for row in first] == ["milk", "eggs"]
    last = rows(world(), "lists", **asked, descriptor="last two")
    assert [row["item"] for row in last] == ["bread", "red peppers"]


@pytest.mark.parametrize("said", ["second", "2nd", "alarm two"])
def test_an_alarm(said):
    asked = {"intent": "alarm_remove", "descriptor": said}
    assert [row["name"] for row in rows(world(), "alarm", **asked)] == ["medicine"]


def test_the_first_two_events():
    asked = {"intent": "calendar_query", "descriptor": "next two"}
    assert len(rows(world(), "calendar", **asked)) == 2
