"""Music plays on the house's player, is rated, asked about and kept in playlists."""

from typing import Any

import pytest

from ossia_dataset.world_tasks import WorldTask
from ossia_servers.assistant.domains._player import read_setting
from ossia_servers.worlds.schema import Row

from .support import Pair, asked_back, check_gold, ok, refused, rows, tasks_of, world


@pytest.fixture
def home() -> Pair:
    return world(domains=["music", "radio"])


def on(pair: Pair) -> Row:
    return pair[1].rows("music.player")[0]


def play(pair: Pair, **params: str) -> Row:
    return rows(pair, "music", intent="play_music", **params)[0]


def settings(pair: Pair, text: str) -> Row:
    return rows(pair, "music", intent="music_settings", player_setting=text)[0]


def query(pair: Pair, **params: str) -> Any:
    return ok(pair, "music", intent="music_query", **params).record.result


def test_a_song_of_the_library_is_found_with_its_artist(home: Pair) -> None:
    row = play(home, song_name="yesterday")
    assert (row["title"], row["creator"], row["status"]) == ("Yesterday", "The Beatles", "playing")
    assert play(home, song_name="the yesterday song by the beatles")["title"] == "Yesterday"


def test_a_song_outside_the_library_is_streamed(home: Pair) -> None:
    row = play(home, song_name="purple haze", artist_name="jimi hendrix")
    assert (row["title"], row["creator"]) == ("Purple Haze", "Jimi Hendrix")
    row = play(home, song_name="yesterday", artist_name="leona lewis")
    assert (row["title"], row["creator"]) == ("Yesterday", "Leona Lewis")


@pytest.mark.parametrize(
    ("params", "title", "collection"),
    [
        ({"artist_name": "adele"}, "Rolling in the Deep", ""),
        ({"artist_name": "queen", "descriptor": "newest"}, "Don't Stop Me Now", ""),
        ({"music_genre": "jazz music"}, "So What", "Jazz"),
        ({"music_genre": "rap"}, "Juicy", "Rap"),
        (
            {"music_genre": "nineties alternative"},
            "Smells Like Teen Spirit",
            "Nineties Alternative",
        ),
        ({"playlist_name": "my road trip playlist"}, "Ring of Fire", "Road Trip"),
        ({"playlist_name": "road trip", "index": "track two"}, "Bohemian Rhapsody", "Road Trip"),
        ({"playlist_name": "road trip", "index": "the last one"}, "Jolene", "Road Trip"),
        ({"playlist_name": "my playlist"}, "Take Five", "Favourites"),
        ({"descriptor": "most played"}, "Here Comes the Sun", ""),
        ({"descriptor": "relaxing"}, "Moonlight Sonata", ""),
        ({"music_genre": "polka"}, "Polka Mix", "Polka"),
        ({"playlist_name": "bob dylan"}, "Bob Dylan Mix", "Bob Dylan"),
        ({"artist_name": "that artist"}, "Feeling Good", ""),
        ({"descriptor": "help me sleep"}, "Clair de Lune", ""),
        ({"player_setting": "playlist"}, "Take Five", "Favourites"),
        ({"song_name": "this song", "player_setting": "replay"}, "Feeling Good", "Morning"),
        ({"playlist_name": "road trip", "index": "the third one"}, "Purple Rain", "Road Trip"),
        ({"index": "four"}, "Three Little Birds", "Morning"),
        ({}, "Bohemian Rhapsody", ""),
    ],
)
def test_what_is_played(home: Pair, params: dict[str, str], title: str, collection: str) -> None:
    row = play(home, **params)
    assert (row["title"], row["collection"]) == (title, collection)
    assert row == on(home)


def test_words_for_music_make_no_difference() -> None:
    first, second = world(domains=["music"]), world(domains=["music"])
    assert play(first, music_genre="jazz") == play(second, music_genre="some jazz music")


def test_the_queue_is_walked_and_begins_again(home: Pair) -> None:
    assert settings(home, "next song")["title"] == "Three Little Birds"
    assert settings(home, "skip")["title"] == "Here Comes the Sun"
    assert settings(home, "previous")["title"] == "Three Little Birds"
    assert play(home, song_name="halo", player_setting="after this")["next_up"] == "Halo"
    after = settings(home, "next")
    assert (after["title"], after["creator"], after["next_up"]) == ("Halo", "Beyonce", "")


def test_player_settings(home: Pair) -> None:
    assert settings(home, "pause")["status"] == "paused"
    assert play(home, player_setting="resume")["status"] == "playing"
    assert settings(home, "replay")["minute"] == 0
    assert settings(home, "always shuffle")["shuffle"]
    assert not settings(home, "turn off shuffle")["shuffle"]
    assert on(home)["status"] == "playing"
    assert settings(home, "repeat the whole playlist")["repeat"] == "all"
    assert settings(home, "repeat off")["repeat"] == "off"
    assert settings(home, "stop after the current song")["status"] == "playing to its end"
    assert settings(home, "stop")["status"] == "stopped"
    assert play(home, playlist_name="sleep", player_setting="shuffle")["shuffle"]


@pytest.mark.parametrize(
    ("said", "actions"),
    [
        ("resume", ("resume",)),
        ("play on shuffle", ("shuffle",)),
        ("always repeat and always shuffled", ("shuffle", "repeat one")),
        ("don't repeat", ("repeat off",)),
        ("start over", ("restart",)),
        ("next episode", ("next",)),
        ("go back to the previous one", ("previous",)),
        ("fast forward", ("forward",)),
        ("banana", ()),
    ],
)
def test_settings_are_read(said: str, actions: tuple[str, ...]) -> None:
    assert read_setting(said) == actions


def test_what_the_player_cannot_do(home: Pair) -> None:
    refused(home, "music", intent="play_music", playlist_name="sleep", index="track nine")
    assert refused(home, "music", intent="music_settings") == "MISSING_PARAMETER"
    refused(home, "music", intent="music_settings", player_setting="banana")
    ok(home, "radio", intent="play_radio")
    refused(home, "music", intent="music_settings", player_setting="next song")
    ok(home, "music", intent="music_settings", player_setting="stop")
    refused(home, "music", intent="music_likeness")


def test_questions_about_what_is_playing(home: Pair) -> None:
    assert query(home) == query(home, query="song name") == {"title": "Feeling Good"}
    assert query(home, query="who is the artist") == {"artist": "Nina Simone"}
    assert query(home, query="album name") == {"album": "I Put a Spell on You"}
    assert query(home, song_name="this song", query="release year") == {"year": 1965}
    ok(home, "music", intent="music_settings", player_setting="stop")
    assert query(home) == []


def test_questions_about_the_library(home: Pair) -> None:
    assert query(home, song_name="jolene", query="who sings") == {"artist": "Dolly Parton"}
    assert [row["title"] for row in query(home, artist_name="adele")] == [
        "Rolling in the Deep",
        "Someone Like You",
    ]
    most = query(home, descriptor="most played")
    assert [row["plays"] for row in most] == sorted((row["plays"] for row in most), reverse=True)
    assert query(home, playlist_name="sleep")[0]["songs"][0] == "Clair de Lune"
    assert len(query(home, query="which playlists")) == 7
    assert query(home, descriptor="favorite types")[0]["name"] == "jazz"
    assert query(home, song_name="no such song") == []


def test_ratings_are_kept_and_changed(home: Pair) -> None:
    like = {"intent": "music_likeness"}
    assert rows(home, "music", **like)[0]["name"] == "Feeling Good"
    assert rows(home, "music", **like, artist_name="katy perry")[0]["kind"] == "artist"
    assert rows(home, "music", **like, artist_name="this artist")[0]["name"] == "Nina Simone"
    before = len(home[1].rows("music.ratings"))
    again = rows(home, "music", intent="music_dislikeness", artist_name="katy perry")[0]
    assert (again["name"], again["rating"]) == ("Katy Perry", "dislike")
    assert len(home[1].rows("music.ratings")) == before


def test_favourites_follow_the_ratings(home: Pair) -> None:
    assert "Take Five" in {row["title"] for row in query(home, descriptor="favorite songs")}
    ok(home, "music", intent="music_dislikeness", song_name="take five")
    ok(home, "music", intent="music_dislikeness", artist_name="queen")
    titles = {row["title"] for row in query(home, descriptor="favorite songs")}
    assert not titles & {"Take Five", "Bohemian Rhapsody"}


def test_playlists_are_made_and_filled(home: Pair) -> None:
    make = {"intent": "playlists_createoradd"}
    assert asked_back(home, "music", **make) == ("playlist_name",)
    made = rows(home, "music", **make, playlist_name="gym")[0]
    assert (made["name"], made["songs"]) == ("Gym", [])
    full = rows(home, "music", **make, playlist_name="gym", song_name="lose yourself")[0]
    assert full["songs"] == ["Lose Yourself"]
    full = rows(home, "music", **make, playlist_name="gym")[0]
    assert full["songs"] == ["Lose Yourself", "Feeling Good"]
    assert rows(home, "music", **make, playlist_name="gym", song_name="this song")[0] == full
    own = rows(home, "music", **make, song_name="jolene")[0]
    assert (own["name"], own["songs"][-1]) == ("Favourites", "Jolene")
    assert play(home, playlist_name="gym")["title"] == "Lose Yourself"


@pytest.mark.parametrize("task", tasks_of("music"), ids=lambda task: str(task.id))
def test_gold_runs(task: WorldTask) -> None:
    check_gold(task)
