"""What the user thinks of music, and the playlists; served by the `music` domain."""

from __future__ import annotations

import re
from typing import Final

from ossia_servers.assistant.domains._player import on_air, player, titled
from ossia_servers.assistant.domains._songs import (
    FAVOURITES,
    PLAYLISTS,
    RATINGS,
    SONGS,
    bare,
    by_artist,
    by_title,
    of_genre,
    playlist,
)
from ossia_servers.worlds.domain import Handler
from ossia_servers.worlds.lookup import listing
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Refusal, Reply, Row
from ossia_servers.worlds.world import World

_CURRENT = re.compile(
    r"(?!(?:one|now|the)$)"
    r"(?:(?:this|that|the|currently|current|playing|now|song|track|one|it|music|tune)\s*)+"
)


def means_current(text: str) -> bool:
    """Return whether a title is only a way to say "the song that is playing"."""
    return _CURRENT.fullmatch(text.casefold()) is not None


def current_title(world: World) -> str | None:
    """Return the title of the song that plays or is paused, if one is."""
    row = player(world)
    playing = row["source"] == "music" and row["status"] != "stopped"
    return str(row["title"]) if playing and row["title"] else None


def song_called(world: World, title: str) -> Row | None:
    """Return the library's song with exactly this title, or None."""
    return next((row for row in world.rows(SONGS) if row["title"] == title), None)


def remember(world: World, kind: str, name: str, artist: str, rating: str) -> Row:
    """Keep a rating, instead of an earlier one of the same thing.

    Args:
        world: the world to change.
        kind: `song`, `artist`, `playlist` or `genre`.
        name: what is rated.
        artist: whose song it is, if it is one.
        rating: `like` or `dislike`.

    Returns:
        The rating's row.
    """
    for row in world.rows(RATINGS):
        if (row["kind"], row["name"].casefold()) == (kind, name.casefold()):
            return world.change(RATINGS, row["id"], rating=rating)
    return world.add(RATINGS, kind=kind, name=name, artist=artist, rating=rating)


def rate(rating: str) -> Handler:
    """Return the handler that remembers a rating, `like` or `dislike`."""

    def handle(world: World, params: Params) -> Reply:
        kind, name, artist = _rated(world, params)
        row = remember(world, kind, name, artist, rating)
        return Reply(f"I will remember that you {rating} {name}.", [row])

    return handle


def _rated(world: World, params: Params) -> tuple[str, str, str]:
    """Return kind, name and artist of what is to be rated; the present song by default."""
    title, artist = params.text("song_name"), params.text("artist_name")
    songs = world.rows(SONGS)
    if title is not None and not means_current(title):
        found = by_title(songs, title, artist)
        if found:
            return "song", str(found[0]["title"]), str(found[0]["artist"])
        return "song", titled(title), titled(artist or "")
    if artist is not None and not re.search(r"\b(?:this|that)\b", artist):
        known = by_artist(songs, artist)
        return "artist", str(known[0]["artist"]) if known else titled(artist), ""
    if (name := params.text("playlist_name")) is not None:
        row = playlist(world, name)
        return "playlist", titled(name) if row is None else str(row["name"]), ""
    if (genre := params.text("music_genre")) is not None:
        return "genre", bare(genre) or genre.casefold(), ""
    row = player(world)
    if row["source"] == "radio" and row["status"] == "playing":
        song = on_air(world, row["title"])
        return "song", str(song["title"]), str(song["artist"])
    if current_title(world) is None:
        raise Refusal.conflict("No music is playing.")
    return ("artist", row["creator"], "") if artist else ("song", row["title"], row["creator"])


WHICH_PLAYLIST: Final = Ask(
    "What shall the playlist be called?",
    ("playlist_name", "song_name", "artist_name", "music_genre", "descriptor", "query"),
    missing=("playlist_name",),
)
"""What `fill_playlist` asks back; music without a playlist goes to the favourites."""


def fill_playlist(world: World, params: Params) -> Reply:
    """Make a playlist, or put songs into one; the present song where none was named."""
    name = params.text("playlist_name")
    row = playlist(world, name or FAVOURITES)
    songs = _songs_to_add(world, params)
    if row is None:
        made = world.add(PLAYLISTS, name=titled(bare(name or "") or FAVOURITES), songs=songs)
        with_them = f" with {listing(songs)}" if songs else ""
        return Reply(f"I made the playlist {made['name']}{with_them}.", [made])
    if not songs and (current := current_title(world)) is not None:
        songs = [current]
    if not songs:
        raise Refusal.conflict("No music is playing that could be added.")
    new = [song for song in songs if song not in row["songs"]]
    row = world.change(PLAYLISTS, row["id"], songs=[*row["songs"], *new])
    return Reply(f"{listing(songs)} is in {row['name']}.", [row])


def _songs_to_add(world: World, params: Params) -> list[str]:
    rows = world.rows(SONGS)
    title, artist = params.text("song_name"), params.text("artist_name")
    current = current_title(world)
    if title is not None and means_current(title):
        return [current] if current else []
    if title is not None:
        found = by_title(rows, title, artist)
        return [str(found[0]["title"]) if found else titled(title)]
    if artist is not None:
        return [str(row["title"]) for row in by_artist(rows, artist)] or [titled(artist)]
    if (genre := params.text("music_genre")) is not None:
        return [str(row["title"]) for row in of_genre(rows, genre)]
    said = params.first("descriptor", "query")
    if said is not None and current is not None and means_current(said):
        return [current]
    return []
