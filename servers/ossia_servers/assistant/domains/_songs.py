"""The user's music library at the start, and how songs in it are chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ossia_servers.assistant.domains._player import pick
from ossia_servers.worlds.lookup import find, meanings
from ossia_servers.worlds.schema import Match, Row, Table
from ossia_servers.worlds.world import World

SONGS: Final = "music.songs"
RATINGS: Final = "music.ratings"
PLAYLISTS: Final = "music.playlists"

SONG_TABLES: Final = (
    Table(
        SONGS,
        "song",
        {
            "title": Match.CASEFOLD,
            "artist": Match.CASEFOLD,
            "album": Match.CASEFOLD,
            "genre": Match.CASEFOLD,
            "year": Match.NUMBER,
            "plays": Match.NUMBER,
            "moods": Match.CASEFOLD,
        },
    ),
    Table(PLAYLISTS, "playlist", {"name": Match.CASEFOLD, "songs": Match.CASEFOLD}),
    Table(
        RATINGS,
        "rating",
        {
            "kind": Match.EXACT,
            "name": Match.CASEFOLD,
            "artist": Match.OPTIONAL,
            "rating": Match.EXACT,
        },
    ),
)

FAVOURITES: Final = "Favourites"
"""The playlist that "my playlist" means."""

_LIBRARY: Final = (
    ("Bohemian Rhapsody", "Queen", "A Night at the Opera", "rock", 1975, 61, "epic"),
    ("Don't Stop Me Now", "Queen", "Jazz", "rock", 1978, 48, "happy workout party"),
    ("Here Comes the Sun", "The Beatles", "Abbey Road", "rock", 1969, 74, "happy morning"),
    ("Yesterday", "The Beatles", "Help!", "pop", 1965, 22, "sad slow romantic"),
    ("Billie Jean", "Michael Jackson", "Thriller", "pop", 1982, 39, "party dance"),
    ("Thriller", "Michael Jackson", "Thriller", "pop", 1982, 27, "party halloween"),
    ("So What", "Miles Davis", "Kind of Blue", "jazz", 1959, 33, "relaxing calm dinner"),
    ("Take Five", "The Dave Brubeck Quartet", "Time Out", "jazz", 1959, 44, "dinner"),
    ("Feeling Good", "Nina Simone", "I Put a Spell on You", "jazz", 1965, 36, "morning"),
    ("Autumn Leaves", "Bill Evans", "Portrait in Jazz", "jazz", 1960, 12, "calm slow"),
    ("Jolene", "Dolly Parton", "Jolene", "country", 1973, 19, "sad"),
    ("Ring of Fire", "Johnny Cash", "Ring of Fire", "country", 1963, 25, "driving"),
    ("Clair de Lune", "Claude Debussy", "Suite Bergamasque", "classical", 1905, 30, "sleep calm"),
    ("Spring", "Antonio Vivaldi", "The Four Seasons", "classical", 1725, 17, "morning happy"),
    ("Moonlight Sonata", "Beethoven", "Piano Sonatas", "classical", 1801, 21, "sleep relaxing"),
    ("Smells Like Teen Spirit", "Nirvana", "Nevermind", "alternative", 1991, 42, "angry"),
    ("Losing My Religion", "R.E.M.", "Out of Time", "alternative", 1991, 28, "sad"),
    ("Juicy", "The Notorious B.I.G.", "Ready to Die", "hip hop", 1994, 14, "chill"),
    ("Lose Yourself", "Eminem", "8 Mile", "hip hop", 2002, 53, "workout running"),
    ("Halo", "Beyonce", "I Am... Sasha Fierce", "pop", 2008, 31, "romantic"),
    ("Rolling in the Deep", "Adele", "21", "pop", 2010, 47, "angry"),
    ("Someone Like You", "Adele", "21", "pop", 2011, 35, "sad slow"),
    ("One More Time", "Daft Punk", "Discovery", "electronic", 2000, 29, "party dance"),
    ("Strobe", "deadmau5", "For Lack of a Better Name", "electronic", 2009, 16, "focus study"),
    ("Three Little Birds", "Bob Marley", "Exodus", "reggae", 1977, 38, "happy summer chill"),
    ("Purple Rain", "Prince", "Purple Rain", "rock", 1984, 24, "epic romantic"),
    ("Shake It Off", "Taylor Swift", "1989", "pop", 2014, 45, "party happy dance"),
    ("Blinding Lights", "The Weeknd", "After Hours", "pop", 2019, 58, "running driving"),
)

_LISTS: Final = (
    (FAVOURITES, ("Take Five", "Here Comes the Sun", "Blinding Lights", "Halo")),
    ("Workout", ("Lose Yourself", "Don't Stop Me Now", "Blinding Lights", "One More Time")),
    ("Dinner", ("So What", "Take Five", "Feeling Good", "Autumn Leaves")),
    ("Morning", ("Here Comes the Sun", "Spring", "Feeling Good", "Three Little Birds")),
    ("Road Trip", ("Ring of Fire", "Bohemian Rhapsody", "Purple Rain", "Jolene")),
    ("Sleep", ("Clair de Lune", "Moonlight Sonata", "Autumn Leaves")),
    ("Nineties", ("Smells Like Teen Spirit", "Losing My Religion", "Juicy")),
)

_RATED: Final = (
    ("song", "Take Five", "The Dave Brubeck Quartet", "like"),
    ("song", "Blinding Lights", "The Weeknd", "like"),
    ("artist", "Queen", "", "like"),
    ("genre", "jazz", "", "like"),
    ("song", "Juicy", "The Notorious B.I.G.", "dislike"),
    ("artist", "deadmau5", "", "dislike"),
)

_GENRES: Final = (
    (r"\brap\b|\bhip-hop\b|\bhiphop\b", "hip hop"),
    (r"\bclassic music\b|\bclassics?\b(?= (?:piano|orchestra))|\borchestra\w*", "classical"),
    (r"\btechno\b|\bhouse music\b|\bedm\b|\bdance\b", "electronic"),
    (r"\bgrunge\b|\bindie\b", "alternative"),
    (r"\bworking out\b|\bgym\b|\bexercis\w*", "workout"),
    (r"\b(?:fall asleep|sleepy|bedtime)\b", "sleep"),
    (r"\b(?:relax|chilled|soothing|mellow)\b", "relaxing"),
)
_DECADES: Final[dict[str, int]] = {
    "fifties": 1950, "50s": 1950, "sixties": 1960, "60s": 1960, "seventies": 1970, "70s": 1970,
    "eighties": 1980, "80s": 1980, "nineties": 1990, "90s": 1990, "two thousands": 2000,
    "2000s": 2000, "noughties": 2000,
}  # fmt: skip
_TENS: Final = dict(
    zip("56789", "fifties sixties seventies eighties nineties".split(), strict=True)
)
_PLAIN = re.compile(r"\b(?:music|songs?|tracks?|tunes?|hits?|stuff|something|playlists?|'s)\b")
_LEADING = re.compile(r"^(?:(?:some|any|the|my|a|an|more|please) )+")


def seed_songs() -> Mapping[str, Sequence[Row]]:
    """Return songs, playlists and ratings at the start."""
    keys = ("title", "artist", "album", "genre", "year", "plays")
    return {
        SONGS: [
            {**dict(zip(keys, row[:-1], strict=True)), "moods": row[-1].split()} for row in _LIBRARY
        ],
        PLAYLISTS: [{"name": name, "songs": list(songs)} for name, songs in _LISTS],
        RATINGS: [
            dict(zip(("kind", "name", "artist", "rating"), row, strict=True)) for row in _RATED
        ],
    }


def bare(text: str) -> str:
    """Return what a playlist or genre is called, without words such as "music"."""
    return _LEADING.sub("", " ".join(_PLAIN.sub(" ", text.casefold()).split()))


def of_genre(rows: Sequence[Row], text: str) -> list[Row]:
    """Return the songs of a genre, a mood or a decade, such as `nineties alternative`."""
    said = text.casefold()
    for pattern, genre in _GENRES:
        said = re.sub(pattern, genre, said)
    chosen = list(rows)
    for name, first in _DECADES.items():
        rest = re.sub(rf"\b{name}\b", " ", said)
        if rest != said:
            said = rest
            chosen = [row for row in chosen if first <= row["year"] < first + 10]
    said = bare(said)
    if not said:
        return chosen if len(chosen) < len(rows) else []
    found = find(chosen, said, "genre") or find(chosen, said, "moods")
    return found or [row for row in chosen if not meanings(said).isdisjoint(row["moods"])]


def described(world: World, rows: Sequence[Row], text: str) -> list[Row] | None:
    """Return songs picked and ordered by a description such as `most played` or `favorite`.

    Returns:
        The songs, or None where the text describes no choice of songs.
    """
    said = text.casefold()
    if re.search(r"\bfavou?rites?\b|\bliked?\b|\bloved?\b|\bbest\b", said):
        return [row for row in rows if _liked(world, row)]
    if re.search(r"\bmost\b|\btop\b|\bpopular\b|\bhits?\b|\bbiggest\b", said):
        return sorted(rows, key=lambda row: -row["plays"])
    if re.search(r"\bleast\b", said):
        return sorted(rows, key=lambda row: row["plays"])
    if re.search(r"\bnew(?:est)?\b|\blatest\b|\brecent\b|\blast\b", said):
        return sorted(rows, key=lambda row: -row["year"])
    if re.search(r"(?<!how )\bold(?:est)?\b|\bfirst\b", said):
        return sorted(rows, key=lambda row: row["year"])
    return of_genre(rows, said) or None


def _liked(world: World, song: Row) -> bool:
    own = {"song": song["title"], "artist": song["artist"], "genre": song["genre"]}
    verdicts: dict[str, bool] = {
        row["kind"]: row["rating"] == "like"
        for row in world.rows(RATINGS)
        if own.get(row["kind"]) == row["name"]
    }
    # What was said about the song itself counts before what was said about artist and genre.
    return verdicts["song"] if "song" in verdicts else any(verdicts.values())


def by_title(rows: Sequence[Row], title: str, artist: str | None) -> list[Row]:
    """Return the songs that a title means, those of the artist only if one is known."""
    found = pick(rows, title, "title")
    if artist is None:
        return found
    own = by_artist(rows, artist)
    return [row for row in found if row in own]


def by_artist(rows: Sequence[Row], artist: str) -> list[Row]:
    """Return the songs of an artist, in the library's order."""
    names = {row["artist"] for row in pick(rows, artist, "artist")}
    return [row for row in rows if row["artist"] in names]


def playlist(world: World, text: str) -> Row | None:
    """Return the playlist that a name means; "my playlist" means the favourites."""
    said = re.sub(r"\b([5-9])0s\b", lambda found: _TENS[found[1]], bare(text))
    said = said.replace("favorite", "favourite")
    rows = world.rows(PLAYLISTS)
    if said in {"", "my", "the", "favourite", "my favourite", "my favourites"}:
        return next((row for row in rows if row["name"] == FAVOURITES), None)
    return next(iter(pick(rows, said, "name")), None)
