"""Podcasts go on where they stopped, move between episodes, are kept and followed."""

import pytest

from ossia_dataset.world_tasks import WorldTask
from ossia_servers.worlds.schema import Row

from .support import Pair, check_gold, refused, rows, tasks_of, world


@pytest.fixture
def home() -> Pair:
    return world(domains=["music", "podcasts"])


def play(pair: Pair, **params: str) -> Row:
    return rows(pair, "podcasts", intent="play_podcasts", **params)[0]


def show(pair: Pair, name: str) -> Row:
    return next(row for row in pair[1].rows("podcasts.shows") if row["name"] == name)


@pytest.mark.parametrize(
    ("params", "name", "title"),
    [
        ({}, "Morning Byte", "The Quiet Laptop"),
        ({"podcast_name": "podcast"}, "Morning Byte", "The Quiet Laptop"),
        ({"podcast_name": "the tiny histories podcast"}, "Tiny Histories", "A Clock for Venice"),
        ({"podcast_name": "mina sato"}, "Cold Harbor", "The Empty Boat"),
        ({"podcast_descriptor": "something about football"}, "Half Time Talk", "A New Coach"),
        ({"player_setting": "next episode"}, "Morning Byte", "Robots at Work"),
        ({"podcast_descriptor": "previous episode"}, "Morning Byte", "Chips for All"),
        ({"podcast_descriptor": "latest"}, "Morning Byte", "Passwords No More"),
        ({"podcast_descriptor": "the first episode"}, "Morning Byte", "Chips for All"),
        ({"podcast_descriptor": "episode three"}, "Morning Byte", "Robots at Work"),
        ({"podcast_name": "this week for dinner"}, "This Week for Dinner", "Latest Episode"),
    ],
)
def test_what_is_played(home: Pair, params: dict[str, str], name: str, title: str) -> None:
    row = play(home, **params)
    assert (row["source"], row["collection"], row["title"]) == ("podcast", name, title)
    assert row == home[1].rows("music.player")[0]


def test_the_place_in_a_show_is_kept(home: Pair) -> None:
    assert play(home)["minute"] == 14
    assert play(home, player_setting="rewind")["minute"] == 13
    assert play(home, player_setting="from the beginning")["minute"] == 0
    play(home, player_setting="next episode")
    play(home, podcast_name="cold harbor")
    assert play(home, podcast_name="morning byte")["title"] == "Robots at Work"
    assert show(home, "Morning Byte")["at"] == 3


def test_a_show_ends(home: Pair) -> None:
    play(home, podcast_descriptor="latest episode")
    refused(home, "podcasts", intent="play_podcasts", player_setting="next episode")
    refused(home, "podcasts", intent="play_podcasts", podcast_descriptor="episode fifty")
    play(home, podcast_name="some unknown show")
    refused(home, "podcasts", intent="play_podcasts", player_setting="next episode")


def test_pause_and_resume(home: Pair) -> None:
    play(home, podcast_name="laugh track")
    assert play(home, player_setting="pause")["status"] == "paused"
    again = play(home, player_setting="continue")
    assert (again["collection"], again["status"]) == ("Laugh Track", "playing")
    assert play(home, player_setting="stop")["status"] == "stopped"


def test_downloads_and_subscriptions(home: Pair) -> None:
    params = {"podcast_name": "kitchen science"}
    assert play(home, player_setting="download", **params)["downloaded"]
    assert home[1].rows("music.player")[0]["source"] == "music"
    assert play(home, player_setting="download and play", **params)["source"] == "podcast"
    assert play(home, player_setting="subscribe", **params)["subscribed"]
    assert not play(home, player_setting="unsubscribe", **params)["subscribed"]


@pytest.mark.parametrize("task", tasks_of("podcasts"), ids=lambda task: str(task.id))
def test_gold_runs(task: WorldTask) -> None:
    check_gold(task)
