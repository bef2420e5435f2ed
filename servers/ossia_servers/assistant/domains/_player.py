"""The house's one media player, which music, radio, podcasts and audiobooks share.

The music domain owns the table; starting anything replaces what is playing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ossia_servers.worlds.lookup import find
from ossia_servers.worlds.schema import Refusal, Row
from ossia_servers.worlds.synonyms import Synonyms
from ossia_servers.worlds.world import World

PLAYER: Final = "music.player"
"""The table with the player's one row."""

SKIP_MINUTES: Final = 1
"""How far rewinding and fast-forwarding go."""

_SPAN = re.compile(r"\b(?:second|minute)s?\b")
_WITHIN: Final = {"next": "forward", "previous": "rewind"}
_NOT = r"(?:off|no|not|stop|disable|without|un|don't|end|quit)[ -]?(?:the |to |on )?"
_SHUFFLE: Final = (
    ("unshuffle", rf"{_NOT}(?:shuffl\w*|random\w*)|shuffl\w* (?:mode )?off|in order"),
    ("shuffle", r"shuffl\w*|random\w*|mix\w*"),
)
_REPEAT: Final = (
    ("repeat off", rf"{_NOT}(?:repeat\w*|loop\w*)|(?:repeat|loop)\w* (?:mode )?off"),
    ("repeat all", r"(?:repeat|loop)\b.*\b(?:all|playlist|album|everything|songs)"),
    ("repeat one", r"(?:on|always) repeat|repeat (?:one|on|mode|this)|repeat\w*|loop\w*"),
)
_TRANSPORT: Final = (
    ("stop after", r"stop after|after (?:this|the current)[\w ]* stop"),
    ("restart", r"replay\w*|restart\w*|start(?:ing)? over|beginning|from the (?:start|top)"
                r"|again|once more|one more time|from scratch"),
    ("next", r"next|skip\w*(?! (?:ahead|forward|back))"),
    ("previous", r"previous|prior|last (?:song|track|one|episode|chapter)|go back|back"),
    ("rewind", r"rewind|backwards?"),
    ("forward", r"(?:fast )?forwards?|ahead"),
    ("pause", r"pause\w*|hold|freeze|break"),
    ("resume", r"resum\w*|continu\w*|unpause|carry on|keep\w*|left off|pick up|where i stopped"),
    ("stop", r"stop\w*|off|end|quit|close|halt|cancel|exit"),
    ("play", r"play(?:s|ing|ed|back)?|start\w*|on|open|begin"),
)  # fmt: skip


def read_setting(text: str) -> tuple[str, ...]:
    """Return what a player setting asks for, in the order in which to do it.

    Args:
        text: what the user said, such as `next song` or `always repeat and shuffled`.

    Returns:
        At most one each of: `unshuffle` or `shuffle`; `repeat off`, `repeat all` or `repeat one`;
        `stop after`, `restart`, `next`, `previous`, `rewind`, `forward`, `pause`, `resume`, `stop`
        or `play`. Empty when the text is no setting.
    """
    said = text.casefold()
    found: list[str] = []
    for table in (_SHUFFLE, _REPEAT, _TRANSPORT):
        for action, pattern in table:
            rest = re.sub(rf"\b(?:{pattern})\b", " ", said)
            if rest != said:
                found.append(action)
                said = rest
                break
    if _SPAN.search(text.casefold()):
        # "Back" by seconds or minutes stays in what is playing.
        found = [_WITHIN.get(action, action) for action in found]
    # In "play on shuffle" and "turn off repeat" the rest of the words adds nothing.
    return tuple(
        action
        for action in found
        if len(found) == 1 or action not in ("play", *(["stop"] if _is_off(found) else []))
    )


def _is_off(actions: Sequence[str]) -> bool:
    return not {"unshuffle", "repeat off"}.isdisjoint(actions)


def player(world: World) -> Row:
    """Return the player's row."""
    return world.rows(PLAYER)[0]


def start(
    world: World,
    source: str,
    title: str,
    *,
    creator: str = "",
    collection: str = "",
    minute: float = 0,
    place: str = "",
    queue: Sequence[str] = (),
) -> Row:
    """Play something instead of what is playing.

    Args:
        world: the world to change.
        source: `music`, `radio`, `podcast` or `audiobook`.
        title: the song, episode, chapter or station.
        creator: artist, author or host.
        collection: playlist, genre, podcast or book that the title belongs to.
        minute: where to begin.
        place: where to play; where the player plays already if empty.
        queue: songs to come, the present one included.

    Returns:
        The player's new row.
    """
    row = player(world)
    return world.change(
        PLAYER,
        row["id"],
        source=source,
        title=title,
        creator=creator,
        collection=collection,
        minute=minute,
        status="playing",
        next_up="",
        queue=list(queue),
        place=place or row["place"],
    )


def operate(world: World, actions: Sequence[str]) -> Row:
    """Carry out settings that mean the same whatever is playing.

    Args:
        world: the world to change.
        actions: what `read_setting` returned; `next` and `previous` are for the caller.

    Returns:
        The player's new row.

    Raises:
        Refusal: nothing has been played that could go on.
    """
    row = player(world)
    if not row["title"] and set(actions) & {"resume", "play", "restart", "rewind", "forward"}:
        raise Refusal.conflict("There is nothing to go on with.")
    changes: dict[str, object] = {}
    for action in actions:
        match action:
            case "shuffle" | "unshuffle":
                changes["shuffle"] = action == "shuffle"
            case "repeat off" | "repeat one" | "repeat all":
                changes["repeat"] = action.removeprefix("repeat ")
            case "stop after":
                changes["status"] = "playing to its end"
            case "restart":
                changes |= {"status": "playing", "minute": 0}
            case "resume" | "play":
                changes["status"] = "playing"
            case "pause":
                changes["status"] = "paused"
            case "stop":
                changes["status"] = "stopped"
            case "rewind":
                changes["minute"] = max(0, row["minute"] - SKIP_MINUTES)
            case "forward":
                changes["minute"] = row["minute"] + SKIP_MINUTES
    return world.change(PLAYER, row["id"], **changes)


def describe(row: Row) -> str:
    """Return the player's state as a sentence."""
    if not row["title"]:
        return "Nothing is playing."
    by = f" by {row['creator']}" if row["creator"] else ""
    told = row["collection"] and row["collection"].casefold() not in row["title"].casefold()
    of = f" from {row['collection']}" if told else ""
    return f"{row['title']}{by}{of} is {row['status']}."


def pick(
    rows: Sequence[Row], text: str, *columns: str, same: tuple[Synonyms, ...] = ()
) -> list[Row]:
    """Return the rows that a user may mean, those called exactly so before all others.

    Unlike `find` alone this knows names that hold nothing but filler words ("All of Me").
    """
    said = " ".join(text.casefold().split())
    exact = [row for row in rows if any(str(row[column]).casefold() == said for column in columns)]
    return exact or find(rows, text, *columns, same=same)


def titled(text: str) -> str:
    """Return a name that only the user knows the way titles are written."""
    small = {"a", "an", "the", "of", "and", "in", "on", "to", "for", "with", "by", "from", "at"}
    parts = text.split()
    return " ".join(
        part if index and part in small else part[:1].upper() + part[1:]
        for index, part in enumerate(parts)
    )


def on_air(world: World, station: str) -> Row:
    """Return the song that a radio station plays this hour."""
    songs = world.rows("music.songs")
    return world.random("on air", station, world.now.isoformat()[:13]).choice(songs)
