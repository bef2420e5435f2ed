"""Music: play it, ask about it, rate it, keep playlists.

The domain owns the one player of the house (`music.player`), which radio, podcasts and audiobooks
take over when they start. What the library does not hold is streamed under the name that was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ossia_servers.assistant.domains._collection import (
    WHICH_PLAYLIST,
    current_title,
    fill_playlist,
    means_current,
    rate,
    song_called,
)
from ossia_servers.assistant.domains._player import (
    PLAYER,
    describe,
    on_air,
    operate,
    player,
    read_setting,
    start,
    titled,
)
from ossia_servers.assistant.domains._songs import (
    PLAYLISTS,
    RATINGS,
    SONG_TABLES,
    SONGS,
    bare,
    by_artist,
    by_title,
    described,
    of_genre,
    playlist,
    seed_songs,
)
from ossia_servers.assistant.positions import position
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import listing
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

_THAT_ARTIST = re.compile(
    r"(?:by )?(?:the )?(?:this|that|same|current) ?(?:artist|singer|band|group|guy|one)?"
)
_TRACK = re.compile(
    r"(?:the )?(?:track|song|number)(?: number)? [a-z0-9 ]+|(?:the )?\w+ (?:track|song)"
)
_QUEUEING = re.compile(r"\bnext\b|\bafter\b|\bqueue\b|\blater\b")
_FACTS: Final = (
    ("artist", r"artist|singer|sings?|sang|band|who|group|performer|musician|composer|author"),
    ("album", r"album|record|cd|disc"),
    ("genre", r"genre|type|kind|style|category"),
    ("year", r"year|when|released?|old|date"),
    ("plays", r"how often|how many times|plays|play count"),
    ("title", r"song|title|name|track|music|tune"),
)  # fmt: skip


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    playing = {
        "source": "music",
        "title": "Feeling Good",
        "creator": "Nina Simone",
        "collection": "Morning",
        "minute": 2,
        "status": "playing",
        "shuffle": False,
        "repeat": "off",
        "next_up": "",
        "queue": ["Here Comes the Sun", "Spring", "Feeling Good", "Three Little Birds"],
        "place": "living room",
    }
    return {PLAYER: [playing], **seed_songs()}


def _selection(world: World, params: Params) -> tuple[list[Row], str] | None:
    """Return the library's songs that a request means, and the collection they come from.

    None means that nothing was chosen; no songs mean that the library does not hold them.
    """
    rows = world.rows(SONGS)
    artist, title = params.text("artist_name"), params.text("song_name")
    name, genre = params.text("playlist_name"), params.text("music_genre")
    if artist is not None and _THAT_ARTIST.fullmatch(artist.casefold()):
        artist = player(world)["creator"] or None
    if "playlist" in (setting := params.text("player_setting") or "") and not read_setting(setting):
        name = name or setting
    numbered = name is not None and title is not None and _TRACK.fullmatch(title.casefold())
    if title is not None and not numbered and not means_current(title):
        return by_title(rows, title, artist)[:1], ""
    if name is not None:
        chosen = playlist(world, name)
        if chosen is not None:
            songs = [song for item in chosen["songs"] if (song := song_called(world, item))]
            return songs, chosen["name"]
        return by_artist(rows, name) or of_genre(rows, name), titled(bare(name) or name)
    if artist is not None:
        rows = by_artist(rows, artist)
    if genre is not None:
        rows = of_genre(rows, genre)
    descriptor = params.text("descriptor")
    if descriptor is not None and (chosen_rows := described(world, rows, descriptor)) is not None:
        rows = chosen_rows
    elif artist is None and genre is None:
        return _present_queue(world) if "index" in params else None
    if genre is None and artist is None and bare(descriptor or "") in {r["genre"] for r in rows}:
        genre = descriptor
    return rows, titled(bare(genre or "") or genre or "")


def _present_queue(world: World) -> tuple[list[Row], str]:
    row = player(world)
    songs = [song for item in row["queue"] if (song := song_called(world, item)) is not None]
    return songs, str(row["collection"])


def _index(params: Params, count: int) -> int:
    """Return which of some songs is meant, counted from nought; the first if none is said.

    Raises:
        Refusal: there are fewer songs.
    """
    said = params.text("index")
    if said is None and "playlist_name" in params:
        said = params.first("song_name", "descriptor", "player_setting")
    number = position(said) if said is not None else None
    if number is None:
        return 0
    if not 1 <= abs(number) <= count:
        raise Refusal.not_found(f"There are only {count} songs.")
    return number % count if number < 0 else number - 1


def _play(world: World, params: Params) -> Reply:
    setting = params.text("player_setting") or ""
    chosen = _selection(world, params)
    actions = (*read_setting(setting), *_modes(read_setting(params.text("descriptor") or "")))
    if params.text("song_name") is not None and _QUEUEING.search(setting):
        return _queue(world, params)
    if chosen is None:
        return _go_on(world, actions)
    songs, collection = list(chosen[0]), chosen[1]
    if "shuffle" in actions:
        world.random("shuffle", collection, len(songs)).shuffle(songs)
    if songs:
        first = songs[_index(params, len(songs))]
        title, artist = str(first["title"]), str(first["artist"])
    else:
        artist = titled(params.text("artist_name") or "")
        title = titled(params.text("song_name") or "") or f"{collection or artist} Mix"
    queue = [str(song["title"]) for song in songs]
    row = start(world, "music", title, creator=artist, collection=collection, queue=queue)
    if modes := _modes(actions):
        row = operate(world, modes)
    return Reply(describe(row), [row])


def _modes(actions: Sequence[str]) -> list[str]:
    """Return those settings that say in which order and how often songs are played."""
    return [item for item in actions if item.startswith(("shuffle", "unshuffle", "repeat"))]


def _go_on(world: World, actions: Sequence[str]) -> Reply:
    """Carry out settings on what is there; without any, resume music or start the library."""
    row = player(world)
    if set(actions) - {"shuffle", "unshuffle", "play"}:
        return _operate(world, actions)
    if row["source"] != "music" or row["status"] != "paused":
        songs = [song for song in world.rows(SONGS) if song["title"] != row["title"]]
        if "shuffle" in actions:
            world.random("shuffle", "library").shuffle(songs)
        queue = [str(song["title"]) for song in songs]
        start(world, "music", queue[0], creator=str(songs[0]["artist"]), queue=queue)
    row = operate(world, [*actions, "resume"])
    return Reply(describe(row), [row])


def _queue(world: World, params: Params) -> Reply:
    said = params.text("song_name") or ""
    found = by_title(world.rows(SONGS), said, params.text("artist_name"))
    title = str(found[0]["title"]) if found else titled(said)
    if means_current(said):
        title = current_title(world) or title
    row = world.change(PLAYER, player(world)["id"], next_up=title)
    return Reply(f"{title} comes next.", [row])


def _operate(world: World, actions: Sequence[str]) -> Reply:
    steps = [action for action in actions if action in ("next", "previous")]
    if steps and player(world)["source"] != "music":
        raise Refusal.conflict("No music is playing.")
    for step in steps:
        _step(world, 1 if step == "next" else -1)
    row = operate(world, [action for action in actions if action not in steps])
    modes = "".join(
        [" Shuffling is on." if "shuffle" in actions else "",
         " Shuffling is off." if "unshuffle" in actions else "",
         f" Repeat: {row['repeat']}." if any("repeat" in item for item in actions) else ""]
    )  # fmt: skip
    return Reply(describe(row) + modes, [row])


def _step(world: World, by: int) -> None:
    """Go to another song of the queue, which begins again behind its end."""
    row = player(world)
    queue = row["queue"] or [song["title"] for song in world.rows(SONGS)]
    at = queue.index(row["title"]) if row["title"] in queue else -1
    title = row["next_up"] if by > 0 and row["next_up"] else queue[(at + by) % len(queue)]
    song = song_called(world, title)
    world.change(
        PLAYER,
        row["id"],
        title=title,
        creator="" if song is None else song["artist"],
        next_up="" if by > 0 else row["next_up"],
        status="playing",
        minute=0,
    )


_SETTING: Final = ("player_setting", "descriptor", "query")


def _settings(world: World, params: Params) -> Reply:
    said = params.first(*_SETTING) or ""
    actions = read_setting(said)
    if not actions:
        raise Refusal(f"The player knows no setting '{said}'.")
    if any(name in params for name in ("artist_name", "song_name", "playlist_name", "music_genre")):
        return _play(world, params)
    return _operate(world, actions)


def _query(world: World, params: Params) -> Reply:
    said = f"{params.text('query') or ''} {params.text('descriptor') or ''}".casefold()
    rows = world.rows(SONGS)
    if params.text("playlist_name") is not None:
        row = playlist(world, params.text("playlist_name") or "")
        if row is None:
            return Reply("You have no such playlist.", [])
        return Reply(f"{row['name']} holds {listing(row['songs'])}.", [row])
    if re.search(r"\bplaylists\b", said):
        lists = world.rows(PLAYLISTS)
        return Reply(f"You have {listing([row['name'] for row in lists])}.", lists)
    title, artist = params.text("song_name"), params.text("artist_name")
    if title is not None and not means_current(title):
        found = by_title(rows, title, artist)
        return _facts(found[0], said, "artist") if found else Reply("I do not know it.", [])
    if artist is not None or params.text("music_genre") is not None:
        chosen = _selection(world, params) or ([], "")
        return _told(chosen[0], "You have no such music.")
    if re.search(r"\b(?:types?|genres?|kinds?)\b", said) and "favo" in said:
        liked = [row for row in world.rows(RATINGS) if row["rating"] == "like"]
        genres = [row for row in liked if row["kind"] == "genre"]
        return Reply(f"You like {listing([row['name'] for row in genres])}.", genres)
    if (some := described(world, rows, said)) is not None and not re.search(r"\bthis\b", said):
        return _told(some[:5], "There is none.")
    return _playing_now(world, said)


def _playing_now(world: World, said: str) -> Reply:
    row = player(world)
    if not row["title"] or row["status"] == "stopped":
        return Reply("Nothing is playing.", [])
    if row["source"] == "radio":
        return _facts(on_air(world, row["title"]), said, "title")
    song = song_called(world, row["title"]) if row["source"] == "music" else None
    known = {"title": row["title"], "artist": row["creator"], "album": row["collection"]}
    return _facts(song or known, said, "title")


def _facts(song: Mapping[str, Any], said: str, default: str) -> Reply:
    """Answer with the one fact about a song that was asked for."""
    wanted = next(
        (name for name, pattern in _FACTS if re.search(rf"\b(?:{pattern})\b", said)), default
    )
    by = f" by {song['artist']}" if song["artist"] else ""
    value = song.get(wanted) or None
    told = "" if wanted in ("title", "artist") else f" Its {wanted} is {value or 'not known'}."
    return Reply(f"It is {song['title']}{by}.{told}", {wanted: value})


def _told(songs: Sequence[Row], none: str) -> Reply:
    names = [f"{row['title']} by {row['artist']}" for row in songs]
    return Reply(f"That is {listing(names)}." if names else none, list(songs))


DOMAIN = Domain(
    name="music",
    description="Music, playlists and the player of the house.",
    fields=(
        Field("player_setting", Kind.TEXT, "what the player does, such as shuffle or next"),
        Field("descriptor", Kind.TEXT, "which music, such as most played"),
        Field("artist_name", Kind.NAME, "singer, band or composer"),
        Field("song_name", Kind.NAME, "title of a song"),
        Field("playlist_name", Kind.NAME, "a playlist of the user"),
        Field("music_genre", Kind.NAME, "genre, mood or decade", example="jazz"),
        Field("query", Kind.TEXT, "what is asked, such as artist name"),
        Field("index", Kind.TEXT, "which song of the playlist", example="two"),
    ),
    intents=(
        Intent("play_music", "Play music.", _play, writes=True),
        Intent("music_query", "Ask about music.", _query, writes=False),
        Intent(
            "music_settings", "Operate the player.", _settings, writes=True, required=(_SETTING,)
        ),
        Intent("music_likeness", "Say that music is good.", rate("like"), writes=True),
        Intent("music_dislikeness", "Say that music is bad.", rate("dislike"), writes=True),
        Intent(
            "playlists_createoradd",
            "Make or fill a playlist.",
            fill_playlist,
            writes=True,
            asks=(WHICH_PLAYLIST,),
        ),
    ),
    tables=(
        Table(
            PLAYER,
            "player",
            {
                "source": Match.EXACT,
                "title": Match.CASEFOLD,
                "creator": Match.CASEFOLD,
                "collection": Match.CASEFOLD,
                "minute": Match.NUMBER,
                "status": Match.EXACT,
                "shuffle": Match.EXACT,
                "repeat": Match.EXACT,
                "next_up": Match.CASEFOLD,
                # What follows is the player's choice; what was asked for is in the other columns.
                "queue": Match.IGNORABLE,
                "place": Match.CASEFOLD,
            },
        ),
        *SONG_TABLES,
    ),
    seed=_seed,
)
