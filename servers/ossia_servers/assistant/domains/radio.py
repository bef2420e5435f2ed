"""Radio: tune in, ask what is on, keep favourite stations.

The radio plays on the house's one player (`music.player`, a fact of the same world). A station that
is not among the user's own is streamed under the name that was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from ossia_dataset.normalise import spoken_number
from ossia_servers.assistant.domains._collection import remember
from ossia_servers.assistant.domains._house import moment, place_name, rooms_of, when_told
from ossia_servers.assistant.domains._player import (
    describe,
    on_air,
    operate,
    pick,
    player,
    read_setting,
    start,
    titled,
)
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

STATIONS: Final = "radio.stations"
TIMERS: Final = "radio.timers"

_GENERIC: Final = (
    r"(?:the|a|an|my|on|to|some|any|radio|station|channel|frequency|program|programme|fm|am|music)"
)
_WHOLLY_GENERIC = re.compile(rf"(?:(?:{_GENERIC}|this|that|current)\s*)+")
_EDGES = re.compile(r"^(?:the |station |channel |radio )+|(?: station| channel| radio)+$")
_FREQUENCY_WORDS = re.compile(rf"\b{_GENERIC}\b|\bmegahertz\b")
_LOWEST: Final = 60.0
"""Lower numbers belong to a name, such as Radio One."""

_FACTS: Final = (
    ("song", r"song|music|track|title|tune|playing"),
    ("artist", r"artist|singer|band|sings"),
    ("frequency", r"frequency|number|megahertz"),
    ("host", r"host|who|speaker|presenter|dj|person"),
    ("genre", r"genre|kind|type"),
    ("app", r"app|service"),
)
_STATIONS: Final = (
    ("WNYC", 93.9, "news", "Brian Lehrer", "TuneIn", False, 1),
    ("Jazz 88", 88.3, "jazz", "Rhonda Hamilton", "TuneIn", True, 3),
    ("Q104", 104.3, "rock", "Jim Kerr", "iHeartRadio", False, 9),
    ("Hot 97", 97.1, "hip hop", "Ebro Darden", "TuneIn", False, 20),
    ("Classical 105", 105.9, "classical", "Jeff Spurgeon", "Pandora", True, 4),
    ("Lite FM", 106.7, "pop", "Cubby Bryant", "iHeartRadio", False, 6),
    ("Country Gold", 94.7, "country", "Kelly Ford", "SiriusXM", False, 13),
    ("ESPN Radio", 98.7, "sport", "Dan Graca", "TuneIn", True, 2),
    ("NPR", 820.0, "news", "Scott Simon", "NPR One", False, 5),
    ("BBC Radio One", 99.5, "dance", "Greg James", "BBC Sounds", False, 30),
)


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    keys = ("name", "frequency", "genre", "host", "app", "favourite")
    return {
        STATIONS: [
            {
                **dict(zip(keys, row[:-1], strict=True)),
                "heard": (context.now - timedelta(days=row[-1])).isoformat()[:16],
            }
            for row in _STATIONS
        ],
        TIMERS: [],
    }


def _last_heard(rows: Sequence[Row]) -> Row:
    return max(rows, key=lambda row: str(row["heard"]))


def _frequency(text: str) -> tuple[float, str] | None:
    """Return the frequency that a name is, and the name of a station that has no other."""
    said = " ".join(_FREQUENCY_WORDS.sub(" ", text.casefold()).split())
    number = spoken_number(said) if said else None
    if number is None or number < _LOWEST:
        return None
    if "fm" in text.casefold().split() and number > 200:
        # "Nine hundred and ninety nine fm" is how people read out 99.9.
        number /= 10
    return number, f"{number:g} {'FM' if number < 200 else 'AM'}"


def _neighbour(world: World, rows: Sequence[Row], actions: Sequence[str]) -> Row:
    row = player(world)
    names = [station["name"] for station in rows]
    at = names.index(row["title"]) if row["title"] in names else rows.index(_last_heard(rows))
    return rows[(at + (1 if "next" in actions else -1)) % len(rows)]


def _named(world: World, rows: Sequence[Row], said: str) -> Row | str:
    """Return the station that was named, or the name of one that is not the user's own."""
    tuned = _frequency(said)
    if tuned is not None:
        same = [row for row in rows if abs(row["frequency"] - tuned[0]) < 0.01]
        return same[0] if same else tuned[1]
    found = pick(rows, said, "name") or find(rows, said, "host") or find(rows, said, "genre")
    return found[0] if found else titled(_EDGES.sub("", said.casefold()).strip() or said)


def _wanted(world: World, params: Params) -> Row | str | None:
    """Return the station that a request means; None where it means none in particular."""
    rows = world.rows(STATIONS)
    name = params.text("radio_name")
    setting = f"{params.text('player_setting') or ''} {name or ''}"
    if {"next", "previous"} & set(actions := read_setting(setting)):
        return _neighbour(world, rows, actions)
    if name is not None and not _WHOLLY_GENERIC.fullmatch(name.casefold()):
        return _named(world, rows, name)
    for given, column in (("person_name", "host"), ("music_genre", "genre")):
        if (text := params.text(given)) is not None:
            found = find(rows, text, column)
            return found[0] if found else titled(text)
    said = (params.text("descriptor") or "").casefold()
    if re.search(r"\bfavou?rites?\b|\bsaved\b|\bliked\b|\bpreset\b", said):
        return next((row for row in rows if row["favourite"]), None)
    if re.search(r"\brandom\b|\bany\b|\banother\b|\bdifferent\b", said):
        others = [row for row in rows if row["name"] != player(world)["title"]]
        return world.random("any station", player(world)["title"]).choice(others)
    if re.search(r"\byesterday\b|\blast\b|\blisten(?:ed|ing)\b|\bearlier\b|\bsame\b", said):
        return _last_heard(rows)
    found = find(rows, said, "genre") or find(rows, said, "name")
    if found or (app := params.text("app_name")) is None:
        return found[0] if found else None
    found = find(rows, app, "app")
    return found[0] if found else titled(app)


def _play(world: World, params: Params) -> Reply:
    wanted = _wanted(world, params)
    actions = [
        action
        for action in read_setting(params.text("player_setting") or "")
        if action not in ("next", "previous")
    ]
    halting = {"stop", "pause"} & set(actions)
    if halting or (wanted is None and player(world)["source"] == "radio" and actions):
        row = operate(world, actions)
        return Reply(describe(row), [row])
    station = wanted if wanted is not None else _last_heard(world.rows(STATIONS))
    name = station if isinstance(station, str) else str(station["name"])
    place = place_name(params.text("house_place"))
    device = params.text("device_type")
    if not place and device is not None and rooms_of(device):
        place = place_name(device)
    when = moment(world, params.date(), params.time())
    if when is not None and not when.at_once:
        timer = world.add(TIMERS, station=name, date=when.date, time=when.time, place=place)
        return Reply(f"I will play {name} {when_told(when.date, when.time)}.", [timer])
    app, host = titled(params.text("app_name") or ""), titled(params.text("person_name") or "")
    if not isinstance(station, str):
        heard = world.now.isoformat()[:16]
        station = world.change(STATIONS, station["id"], heard=heard)
        app, host = app or str(station["app"]), str(station["host"])
    row = start(world, "radio", name, creator=host, collection=app, place=place)
    return Reply(f"You are listening to {name}.", [row])


def _query(world: World, params: Params) -> Reply:
    said = f"{params.text('query') or ''} {params.text('descriptor') or ''}".casefold()
    rows = world.rows(STATIONS)
    if re.search(r"\bfavou?rites?\b|\bsaved\b|\bliked\b", said):
        return _told([row for row in rows if row["favourite"]])
    if re.search(r"\b(?:stations|channels|radios)\b", said) and "radio_name" not in params:
        genre = params.text("music_genre") or ""
        return _told(find(rows, genre, "genre") if genre else rows)
    for given, column in (("person_name", "host"), ("music_genre", "genre")):
        if (text := params.text(given)) is not None:
            return _told(find(rows, text, column))
    on = player(world)
    playing = on["source"] == "radio" and on["status"] != "stopped"
    wanted = _wanted(world, params)
    if wanted is None:
        named = next((row for row in rows if playing and row["name"] == on["title"]), None)
        wanted = named or (on["title"] if playing else _last_heard(rows))
    known: Mapping[str, Any] = {"name": wanted} if isinstance(wanted, str) else wanted
    return _fact(world, known, said, playing)


def _fact(world: World, station: Mapping[str, Any], said: str, playing: bool) -> Reply:
    """Answer with the one fact about a station that was asked for; its name by default."""
    name = str(station["name"])
    wanted = next((key for key, text in _FACTS if re.search(rf"\b(?:{text})\b", said)), "")
    if re.search(r"\b(?:radio|station|channel)(?:'s)? (?:name|title)\b|\bname of\b", said):
        wanted = ""
    if wanted in ("song", "artist"):
        song = on_air(world, name)
        value = song["title"] if wanted == "song" else song["artist"]
        return Reply(f"{name} plays {song['title']} by {song['artist']}.", {wanted: value})
    if wanted:
        value = station.get(wanted)
        return Reply(f"The {wanted} of {name} is {value or 'not known'}.", {wanted: value})
    state = "You are listening to" if playing else "The radio is off; you last listened to"
    return Reply(f"{state} {name}.", {"station": name})


def _told(rows: Sequence[Row]) -> Reply:
    names = listing([f"{row['name']} ({row['frequency']:g})" for row in rows])
    return Reply(f"That is {names}." if rows else "You have no such station.", list(rows))


def _like(world: World, params: Params) -> Reply:
    """Make a station a favourite: the one that was named, that is on or that was on last."""
    rows = world.rows(STATIONS)
    on = player(world)
    playing = on["source"] == "radio" and on["status"] != "stopped"
    said = f"{params.text('query') or ''} {params.text('descriptor') or ''}".casefold()
    if playing and re.search(r"\bsong\b|\btrack\b", said):
        song = on_air(world, on["title"])
        title, artist = str(song["title"]), str(song["artist"])
        # What the user likes is one fact, kept by the music domain.
        liked = remember(world, "song", title, artist, "like")
        return Reply(f"I will remember that you like {title}.", [liked])
    present: Row | str = _last_heard(rows)
    if playing:
        present = next((row for row in rows if row["name"] == on["title"]), on["title"])
    wanted: Row | str | None = None
    if any(name in params for name in ("radio_name", "person_name", "music_genre")):
        wanted = _wanted(world, params)
    station = present if wanted is None else wanted
    if isinstance(station, str):
        row = world.add(
            STATIONS,
            name=station,
            frequency=(_frequency(station) or (0.0, ""))[0],
            genre=(params.text("music_genre") or "").casefold(),
            host=titled(params.text("person_name") or ""),
            app=titled(params.text("app_name") or ""),
            favourite=True,
            heard=world.now.isoformat()[:16] if playing else "",
        )
    else:
        row = world.change(STATIONS, station["id"], favourite=True)
    return Reply(f"{row['name']} is among your favourite stations.", [row])


DOMAIN = Domain(
    name="radio",
    description="Radio stations, on the player of the house.",
    fields=(
        Field("radio_name", Kind.NAME, "station, show or frequency"),
        Field("app_name", Kind.NAME, "the service that carries the station"),
        Field("person_name", Kind.PERSON, "who is to be heard"),
        Field("music_genre", Kind.NAME, "what kind of music"),
        Field("device_type", Kind.NAME, "which device", Match.IGNORABLE),
        Field("house_place", Kind.NAME, "room of the house"),
        Field("player_setting", Kind.TEXT, "what the radio does, such as next or stop"),
        Field("descriptor", Kind.TEXT, "which station, such as favorite"),
        Field("query", Kind.TEXT, "what is asked, such as song name"),
        Field("date", Kind.DATE, "day on which to start"),
        Field("time", Kind.TIME, "when to start"),
    ),
    intents=(
        Intent("play_radio", "Play a radio station.", _play, writes=True),
        Intent("radio_query", "Ask about the radio.", _query, writes=False),
        Intent("radio_likeness", "Keep a station as a favourite.", _like, writes=True),
    ),
    tables=(
        Table(
            STATIONS,
            "station",
            {
                "name": Match.CASEFOLD,
                "frequency": Match.NUMBER,
                "genre": Match.CASEFOLD,
                "host": Match.CASEFOLD,
                "app": Match.CASEFOLD,
                "favourite": Match.EXACT,
                "heard": Match.EXACT,
            },
        ),
        Table(
            TIMERS,
            "timer",
            {
                "station": Match.CASEFOLD,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
                "place": Match.CASEFOLD,
            },
        ),
    ),
    seed=_seed,
)
