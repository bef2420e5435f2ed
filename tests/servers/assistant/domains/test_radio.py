"""The radio is tuned, timed, asked about and remembered."""

from typing import Any

import pytest

from ossia_dataset.world_tasks import WorldTask

from .support import Pair, check_gold, ok, refused, rows, tasks_of, world


@pytest.fixture
def home() -> Pair:
    return world(domains=["music", "radio"])


def tuned(pair: Pair, **params: str) -> Any:
    row = rows(pair, "radio", intent="play_radio", **params)[0]
    assert row["source"] == "radio"
    return row["title"]


def query(pair: Pair, **params: str) -> Any:
    return ok(pair, "radio", intent="radio_query", **params).record.result


@pytest.mark.parametrize(
    ("params", "station"),
    [
        ({}, "WNYC"),
        ({"radio_name": "the radio"}, "WNYC"),
        ({"radio_name": "hot ninety seven"}, "Hot Ninety Seven"),
        ({"radio_name": "hot 97"}, "Hot 97"),
        ({"radio_name": "ninety seven point one"}, "Hot 97"),
        ({"radio_name": "nine hundred and ninety nine fm"}, "99.9 FM"),
        ({"radio_name": "one thousand and forty eight"}, "1048 AM"),
        ({"radio_name": "radio one"}, "BBC Radio One"),
        ({"radio_name": "radio mango"}, "Mango"),
        ({"radio_name": "next station"}, "Jazz 88"),
        ({"player_setting": "previous"}, "BBC Radio One"),
        ({"person_name": "scott simon"}, "NPR"),
        ({"person_name": "rush limbaugh"}, "Rush Limbaugh"),
        ({"music_genre": "country"}, "Country Gold"),
        ({"app_name": "pandora"}, "Classical 105"),
        ({"descriptor": "favorite"}, "Jazz 88"),
        ({"app_name": "spotify", "descriptor": "listening to yesterday"}, "WNYC"),
    ],
)
def test_stations_are_found(home: Pair, params: dict[str, str], station: str) -> None:
    assert tuned(home, **params) == station


def test_a_random_station_is_always_the_same(home: Pair) -> None:
    other = world(domains=["music", "radio"])
    assert tuned(home, descriptor="random") == tuned(other, descriptor="random")


def test_the_radio_replaces_what_plays_where_it_is_wanted(home: Pair) -> None:
    ok(home, "radio", intent="play_radio", radio_name="q104", house_place="the kitchen")
    row = home[1].rows("music.player")[0]
    assert (row["source"], row["title"], row["place"]) == ("radio", "Q104", "kitchen")
    assert (row["creator"], row["collection"]) == ("Jim Kerr", "iHeartRadio")
    ok(home, "radio", intent="play_radio", device_type="office radio")
    assert home[1].rows("music.player")[0]["place"] == "office"
    assert rows(home, "radio", intent="play_radio", player_setting="stop")[0]["status"] == "stopped"


def test_what_was_heard_last_is_remembered(home: Pair) -> None:
    tuned(home, radio_name="npr")
    ok(home, "radio", intent="play_radio", player_setting="stop")
    assert tuned(home) == "NPR"


def test_the_radio_can_be_timed(home: Pair) -> None:
    timer = rows(home, "radio", intent="play_radio", radio_name="wnyc", time="13:00")[0]
    assert (timer["station"], timer["date"], timer["time"]) == ("WNYC", "2026-03-13", "13:00")
    assert home[1].rows("music.player")[0]["source"] == "music"
    timer = rows(home, "radio", intent="play_radio", date="2026-03-15", time="09:00")[0]
    assert (timer["date"], timer["time"]) == ("2026-03-15", "09:00")
    assert tuned(home, time="10:00") == "WNYC"


def test_questions(home: Pair) -> None:
    assert query(home) == query(home, query="radio name") == {"station": "WNYC"}
    tuned(home, radio_name="lite fm")
    assert query(home, query="name of the station") == {"station": "Lite FM"}
    assert query(home, query="frequency") == {"frequency": 106.7}
    assert query(home, query="who is the host", radio_name="wnyc") == {"host": "Brian Lehrer"}
    song = query(home, query="song name")["song"]
    asked_of_music = ok(home, "music", intent="music_query").record.result
    assert asked_of_music == {"title": song}
    assert {row["name"] for row in query(home, query="stations", music_genre="news")} == {
        "WNYC",
        "NPR",
    }
    assert all(row["favourite"] for row in query(home, descriptor="favorite"))
    assert query(home, person_name="greg james")[0]["name"] == "BBC Radio One"
    assert query(home, person_name="nobody at all") == []


def test_favourite_stations(home: Pair) -> None:
    like = {"intent": "radio_likeness"}
    assert rows(home, "radio", **like)[0]["name"] == "WNYC"
    tuned(home, radio_name="country gold")
    assert rows(home, "radio", **like, app_name="pandora")[0]["name"] == "Country Gold"
    new = rows(home, "radio", **like, radio_name="radio mango")[0]
    assert (new["name"], new["favourite"]) == ("Mango", True)
    assert "Mango" in {row["name"] for row in query(home, descriptor="favorite")}
    song = rows(home, "radio", **like, descriptor="this song")[0]
    assert song["name"] == query(home, query="song")["song"]


def test_unknown_parameters_are_refused(home: Pair) -> None:
    refused(home, "radio", intent="play_radio", color_type="red")


@pytest.mark.parametrize("task", tasks_of("radio"), ids=lambda task: str(task.id))
def test_gold_runs(task: WorldTask) -> None:
    check_gold(task)
