"""Which lamps, sockets and loudspeakers of the house a request means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ossia_servers.assistant.domains._house import rooms_of, split_rooms
from ossia_servers.worlds import synonyms
from ossia_servers.worlds.lookup import meanings, same_words
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Refusal, Row
from ossia_servers.worlds.world import World

LIGHTS: Final = "iot.lights"
SOCKETS: Final = "iot.sockets"
SPEAKERS: Final = "iot.speakers"

_GENERIC: Final[dict[str, re.Pattern[str]]] = {
    table: re.compile(
        rf"\b(?:{kinds}|all|every|each|whole|house|device|smart|room|both)(?:e?s|'s)?\b"
    )
    for table, kinds in {
        LIGHTS: r"hue|philips|light|lighting|lamp|bulb|led|brightness|color|colour",
        SOCKETS: r"wemo|plug|socket|outlet|switch|power|wall",
        SPEAKERS: r"volume|sound|audio|music|speaker|loudspeaker|system|player|radio|stereo|olly"
        r"|assistant|voice|media|song|podcast|audiobook",
    }.items()
}
"""Words that say what kind of device is meant, not which one."""

_SPEAKER = re.compile(r"\b(?:speaker|olly|assistant|voice)\b")
"""Words for a loudspeaker in the words that the servers use; a television is none."""


def devices(world: World, params: Params, table: str) -> list[Row]:
    """Return the devices that a request means.

    Raises:
        Refusal: there is no such device, or none in that place.
    """
    kind = table.partition(".")[2]
    rows = world.rows(table)
    if (place := params.text("house_place")) is not None:
        rooms = rooms_of(place)
        rows = rows if rooms is None else [row for row in rows if row["room"] in rooms]
        if not rows:
            raise Refusal.not_found(f"There are no {kind} in the place called '{place}'.")
    device = params.text("device_type") or ""
    said = same_words(device, synonyms.DEVICES)
    if table == SPEAKERS and _SPEAKER.search(said) and "television" not in said:
        rows = [row for row in rows if row["name"] == "speaker"]
    if _telling(table, said):
        return _called(table, rows, device)
    if table == SOCKETS and place is None and not re.search(r"\b(?:all|every|both)\b", said):
        # "The socket" without more means one into which nothing in particular is plugged.
        return [row for row in rows if row["name"] == "smart plug"]
    return rows


def _telling(table: str, said: str) -> frozenset[str]:
    """Return the words of a device that tell which one is meant."""
    return meanings(_GENERIC[table].sub(" ", said))


def _called(table: str, rows: Sequence[Row], device: str) -> list[Row]:
    """Return the devices of a name, which may name the room as well ("lounge lamp").

    Raises:
        Refusal: there are none.
    """
    rooms, rest = split_rooms(device)
    inside = [row for row in rows if row["room"] in rooms]
    possible = inside if rooms else rows
    for among, text in ((rows, device), (inside, rest)):
        wanted = _telling(table, same_words(text, synonyms.DEVICES))
        complete = [row for row in among if wanted <= meanings(f"{row['room']} {row['name']}")]
        partial = [row for row in possible if meanings(row["name"]) <= wanted]
        if complete or partial:
            return complete or partial
    kind = table.partition(".")[2]
    raise Refusal.not_found(f"There are no {kind} called '{device}' there.")
