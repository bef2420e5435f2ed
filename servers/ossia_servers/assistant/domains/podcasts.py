"""Podcasts: play, move between episodes, download, subscribe.

Podcasts play on the house's one player (`music.player`, a fact of the same world). A show that is
not among the user's own is streamed under the name that was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from ossia_servers.assistant.domains._player import (
    SKIP_MINUTES,
    describe,
    operate,
    pick,
    player,
    read_setting,
    start,
    titled,
)
from ossia_servers.assistant.positions import position
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.synonyms import TOPICS
from ossia_servers.worlds.world import World

SHOWS: Final = "podcasts.shows"
EPISODES: Final = "podcasts.episodes"

_GENERIC = re.compile(
    r"\b(?:podcasts?|shows?|series|episodes?|the|a|an|my|named|called|from|of|by|about|some|please"
    r"|next|previous|last|latest|newest|first|this|that|new|recent|most|one|something|anything|any"
    r"|good|on)\b"
)
_EDGES = re.compile(r"^(?:the |a |my )?(?:podcast |show )?(?:named |called )?| (?:podcast|show)s?$")
_NEWEST = re.compile(r"\blatest\b|\bnew(?:est)?\b|\brecent\b|\btoday'?s?\b|\blast\b|\bcurrent\b")
_OLDEST = re.compile(r"\bfirst\b|\boldest\b|\bpilot\b")
_EPISODE = re.compile(
    r"\b(?:episode|ep|part|chapter|section|number|no|one)\b"
    r"|^(?:the )?(?:[a-z]+|[0-9]+(?:st|nd|rd|th)?)$"
)
"""Texts that may number an episode; a number in others is one of minutes or steps."""
_SHOWS: Final = (
    ("Morning Byte", "Lena Ortiz", "technology news", 2, 14, 1, True),
    ("Tiny Histories", "Sam Whitlock", "history", 3, 0, 4, True),
    ("Kitchen Science", "Priya Nair", "science food cooking", 1, 21, 6, False),
    ("The Long Trail", "Joe Adler", "travel outdoors", 2, 5, 9, False),
    ("Cold Harbor", "Mina Sato", "crime mystery", 1, 33, 12, True),
    ("Half Time Talk", "Dre Coleman", "sports football", 4, 2, 3, False),
    ("Laugh Track", "Becky Moon", "comedy funny", 2, 0, 15, False),
    ("Slow Waters", "Ivo Lindt", "sleep meditation relaxing", 1, 8, 2, False),
)
_TITLES: Final[dict[str, tuple[str, ...]]] = {
    "Morning Byte": ("Chips for All", "The Quiet Laptop", "Robots at Work", "Passwords No More"),
    "Tiny Histories": ("The Lost Map", "Salt Roads", "A Clock for Venice", "The Paper Bridge"),
    "Kitchen Science": ("Why Bread Rises", "The Perfect Egg", "Hot and Sour"),
    "The Long Trail": ("Across the Pyrenees", "Night Trains", "Islands in Winter"),
    "Cold Harbor": ("The Empty Boat", "A Second Witness", "Low Tide"),
    "Half Time Talk": ("Cup Fever", "The Transfer", "Penalties", "A New Coach", "Derby Day"),
    "Laugh Track": ("Bad Neighbors", "Airport Stories", "My First Job"),
    "Slow Waters": ("Rain on Leaves", "The Slow River", "Counting Boats"),
}


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    shows, episodes = [], []
    for name, host, topic, at, minute, days_ago, subscribed in _SHOWS:
        heard = (context.now - timedelta(days=days_ago)).isoformat()[:16]
        shows.append(
            {
                "name": name,
                "host": host,
                "topic": topic,
                "at": at,
                "minute": minute,
                "subscribed": subscribed,
                "heard": heard,
            }
        )
        titles = _TITLES[name]
        for number, title in enumerate(titles, start=1):
            released = context.now.date() - timedelta(days=7 * (len(titles) - number) + 1)
            episodes.append(
                {
                    "show": name,
                    "number": number,
                    "title": title,
                    "date": released.isoformat(),
                    "downloaded": False,
                }
            )
    return {SHOWS: shows, EPISODES: episodes}


def _episodes(world: World, show: Row) -> list[Row]:
    return [row for row in world.rows(EPISODES) if row["show"] == show["name"]]


def _show(world: World, params: Params) -> Row | str:
    """Return the show that a request means, or the name of one that is not the user's own.

    Without a name that is the one on the player, or else the one heard last.
    """
    rows = world.rows(SHOWS)
    name = params.text("podcast_name")
    bare = " ".join(_GENERIC.sub(" ", (name or "").casefold()).split())
    if name is not None and bare:
        found = pick(rows, name, "name") or pick(rows, bare, "name", "host")
        found = found or find(rows, bare, "topic", same=(TOPICS,))
        return found[0] if found else titled(_EDGES.sub("", name.casefold()).strip() or bare)
    topic = _GENERIC.sub(" ", (params.text("podcast_descriptor") or "").casefold())
    if topic.strip():
        about = find(rows, topic, "topic", same=(TOPICS,)) or find(rows, topic, "name")
        if about:
            return about[0]
    on = player(world)
    if on["source"] == "podcast":
        own = [row for row in rows if row["name"] == on["collection"]]
        return own[0] if own else str(on["collection"])
    return max(rows, key=lambda row: str(row["heard"]))


def _number(texts: Sequence[str]) -> int | None:
    """Return the number of the episode that a text names, from the end if it is below nought."""
    found = (position(text) for text in texts if _EPISODE.search(text))
    return next((number for number in found if number is not None), None)


def _episode(world: World, show: Row, texts: Sequence[str], actions: Sequence[str]) -> Row:
    """Return the episode that a request means; the one that was reached, by default.

    Raises:
        Refusal: the show has no such episode.
    """
    episodes = _episodes(world, show)
    number, said = _number(texts), " ".join(texts)
    if number is not None:
        number = len(episodes) + 1 + number if number < 0 else number
    elif _OLDEST.search(said):
        number = 1
    elif _NEWEST.search(said):
        number = len(episodes)
    else:
        number = show["at"] + ("next" in actions) - ("previous" in actions)
    found = [row for row in episodes if row["number"] == number]
    if not found:
        raise Refusal.not_found(f"{show['name']} has no such episode; it has {len(episodes)}.")
    return found[0]


def _play(world: World, params: Params) -> Reply:
    given = (params.text("player_setting"), params.text("podcast_descriptor"))
    said = " ".join(text for text in given if text is not None).casefold()
    name = (params.text("podcast_name") or "").casefold()
    actions = read_setting(f"{said} {name if _NEWEST.search(name) else ''}")
    if {"stop", "pause"} & set(actions):
        row = operate(world, actions)
        return Reply(describe(row), [row])
    show = _show(world, params)
    if isinstance(show, str):
        return _stream(world, show, actions, _number((said, name)))
    if re.search(r"\b(?:un)?subscrib|\bfollow", said):
        row = world.change(SHOWS, show["id"], subscribed="unsub" not in said)
        state = "subscribed to" if row["subscribed"] else "no longer subscribed to"
        return Reply(f"You are {state} {show['name']}.", [row])
    episode = _episode(world, show, (said, name), actions)
    if "download" in said:
        episode = world.change(EPISODES, episode["id"], downloaded=True)
        if "play" not in said:
            return Reply(f"{episode['title']} of {show['name']} is downloaded.", [episode])
    minute = 0 if episode["number"] != show["at"] else _minute(show, actions)
    world.change(
        SHOWS,
        show["id"],
        at=episode["number"],
        minute=minute,
        heard=world.now.isoformat()[:16],
    )
    title, host = str(episode["title"]), str(show["host"])
    row = start(world, "podcast", title, creator=host, collection=str(show["name"]), minute=minute)
    return Reply(describe(row), [row])


def _minute(show: Row, actions: Sequence[str]) -> float:
    """Return where to go on within the episode that was reached."""
    minute = float(show["minute"])
    if "restart" in actions:
        return 0
    return max(0, minute + SKIP_MINUTES * (("forward" in actions) - ("rewind" in actions)))


def _stream(world: World, name: str, actions: Sequence[str], number: int | None) -> Reply:
    """Play a show of which nothing but the name is known."""
    on = player(world)
    if number is not None and number > 0:
        row = start(world, "podcast", f"Episode {number}", collection=name)
    elif on["source"] == "podcast" and on["collection"] == name:
        if {"next", "previous"} & set(actions):
            raise Refusal.not_found(f"I know no other episode of {name}.")
        row = operate(world, ["resume", *actions])
    else:
        row = start(world, "podcast", "Latest Episode", collection=name)
    return Reply(describe(row), [row])


DOMAIN = Domain(
    name="podcasts",
    description="Podcasts, on the player of the house.",
    fields=(
        Field("podcast_name", Kind.NAME, "name of the show"),
        Field("player_setting", Kind.TEXT, "what the player does, such as next or download"),
        Field("podcast_descriptor", Kind.TEXT, "which episode or topic, such as latest"),
    ),
    intents=(Intent("play_podcasts", "Play or manage podcasts.", _play, writes=True),),
    tables=(
        Table(
            SHOWS,
            "show",
            {
                "name": Match.CASEFOLD,
                "host": Match.CASEFOLD,
                "topic": Match.CASEFOLD,
                "at": Match.NUMBER,
                "minute": Match.NUMBER,
                "subscribed": Match.EXACT,
                "heard": Match.EXACT,
            },
        ),
        Table(
            EPISODES,
            "episode",
            {
                "show": Match.CASEFOLD,
                "number": Match.NUMBER,
                "title": Match.CASEFOLD,
                "date": Match.DATETIME,
                "downloaded": Match.EXACT,
            },
        ),
    ),
    seed=_seed,
)
