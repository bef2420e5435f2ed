"""The house that the device domains share: its rooms, its seed devices, levels and moments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ossia_dataset.normalise import spoken_number
from ossia_dataset.normalise.values import DateValue, TimeValue
from ossia_servers.assistant.moments import next_day_at
from ossia_servers.worlds import synonyms
from ossia_servers.worlds.schema import Ask, Asked, Refusal, Row
from ossia_servers.worlds.world import World

HERE: Final = "living room"
"""The room that "here" means: where the assistant stands."""

OWN: Final = "bedroom"
"""The room that "my room" means."""

FLOORS: Final[dict[str, tuple[str, ...]]] = {
    "upstairs": ("bedroom", "kids room", "guest room", "bathroom", "office", "attic", "balcony"),
    "downstairs": ("living room", "kitchen", "dining room", "hallway", "laundry room"),
    "outside": ("porch", "garden"),
    "below": ("garage", "basement"),
}
"""Rooms by floor."""

ROOMS: Final = tuple(room for rooms in FLOORS.values() for room in rooms)
"""Every room of the house."""

_ALIASES: Final = synonyms.ROOMS.others()
_FLOOR_ALIASES: Final[dict[str, str]] = {
    "upper floor": "upstairs", "first floor": "upstairs", "ground floor": "downstairs",
    "outdoors": "outside", "outdoor": "outside", "exterior": "outside", "up stairs": "upstairs",
    "down stairs": "downstairs", "second floor": "upstairs", "underground": "below",
}  # fmt: skip

_WHOLE = re.compile(
    r"\b(house|home|everywhere|apartment|flat|all|every|each|whole|entire|rooms|inside|indoors)\b"
)
_HERE = re.compile(r"\b(here|this|current|room)\b")

WHAT_CHANGES: Final = Ask(
    "What shall I change about the lights?",
    ("color_type", "change_to"),
    unless=("change_amount", "setting", "item_name"),
    when=Asked.LATER,
)
WHAT_LEVEL: Final = Ask(
    "To what level shall I set the volume?",
    ("change_to",),
    unless=("change_amount", "setting"),
    when=Asked.LATER,
)
ASKS: Final[Mapping[str, tuple[Ask, ...]]] = {
    "iot_hue_lightchange": (WHAT_CHANGES,),
    "iot_hue_lightother": (WHAT_CHANGES,),
    "audio_volume_other": (WHAT_LEVEL,),
}
"""What intents of the house ask back; the others need to be told nothing."""


def split_rooms(text: str) -> tuple[frozenset[str], str]:
    """Return the rooms that a text names, and what is left of it: `desk lamp` of the `office`."""
    said = " ".join(text.casefold().replace("_", " ").replace("\u2019", "'").split())
    names = {**{room: room for room in ROOMS}, **_ALIASES}
    found: set[str] = set()
    for name in sorted(names, key=len, reverse=True):
        rest = re.sub(rf"\b{re.escape(name)}(?:s|'s)?(?!\w)", " ", said)
        if rest != said:
            found.add(names[name])
            said = rest
    if not found:
        floors = {**{floor: floor for floor in FLOORS}, **_FLOOR_ALIASES}
        for name, floor in floors.items():
            rest = re.sub(rf"\b{name}\b", " ", said)
            if rest != said:
                found.update(FLOORS[floor])
                said = rest
    return frozenset(found), " ".join(said.split())


def rooms_of(text: str) -> frozenset[str] | None:
    """Return the rooms that a user means.

    Args:
        text: what the user said, such as `upstairs bathroom`, `my room` or `the whole house`.

    Returns:
        Names out of `ROOMS`; empty when the house has no such room; None for the whole house.
    """
    found, said = split_rooms(text)
    if found:
        return found
    if _WHOLE.search(said):
        return None
    if re.search(r"\bmy room\b", said):
        return frozenset({OWN})
    return frozenset({HERE}) if _HERE.search(said) else frozenset()


def place_name(text: str | None) -> str:
    """Return the name under which a place in the house is stored.

    Args:
        text: what the user said, or None where nothing was said.

    Returns:
        A room, several joined by `and`, `house`, the text itself where no room is known, or
        the empty string.
    """
    if text is None:
        return ""
    rooms = rooms_of(text)
    if rooms is None:
        return "house"
    return " and ".join(sorted(rooms)) or text.casefold()


_LEVEL_WORDS: Final[tuple[tuple[str, float], ...]] = (
    (r"max|maximum|full|fullest|highest|brightest|loudest|all the way|top", 100.0),
    (r"min|minimum|lowest|dimmest|softest|quietest", 10.0),
    (r"half|halfway|middle|medium|normal|moderate|mid", 50.0),
    (r"zero|off|nothing|silent|mute|none", 0.0),
    (r"very low|very dim", 10.0),
    (r"low|dim|soft|quiet", 25.0),
    (r"high|bright|loud", 80.0),
)
_AMOUNT_WORDS: Final[tuple[tuple[str, float], ...]] = (
    (r"slight|slightly|little|bit|touch|tad|some|notch|small", 10.0),
    (r"lot|much|way|significantly|considerably|plenty", 40.0),
    (r"half", 50.0),
    (r"quarter", 25.0),
)
_UNIT = re.compile(
    r"\b(to|by|at|of|the|level|levels|brightness|volume|notches|steps?|points?|more|less|out of"
    r" (?:ten|10|a hundred|one hundred|100))\b"
)
_PERCENT = re.compile(r"percent|per cent|%|hundred|\b100\b")


def level(text: str) -> float | None:
    """Return the level that a text names, from 0 to 100.

    A bare number below ten counts on a scale of ten, a fraction is one of the whole; everything
    else is percent.

    Args:
        text: what the user said, such as `fifty percent`, `level five` or `maximum`.

    Returns:
        The level, or None where the text names none.
    """
    said = text.casefold()
    number = spoken_number(" ".join(_UNIT.sub(" ", said).split()) or "-")
    if number is None:
        return _by_word(said, _LEVEL_WORDS)
    if not _PERCENT.search(said) and 0 < number < 10:
        number *= 100 if number < 1 else 10
    return min(100.0, max(0.0, number))


def amount(text: str) -> float | None:
    """Return by how many of 100 points a text says to change something.

    Args:
        text: what the user said, such as `a little`, `ten percent` or `two levels`.

    Returns:
        The points, or None where the text names none.
    """
    said = text.casefold()
    number = spoken_number(" ".join(_UNIT.sub(" ", said).split()) or "-")
    if number is None:
        return _by_word(said, _AMOUNT_WORDS)
    if not _PERCENT.search(said) and 0 < number < 10:
        number *= 100 if number < 1 else 10
    return min(100.0, abs(number))


_UP = re.compile(r"\b(?:up|brighter|lighter|louder|higher|increase|raise|more|stronger|plus)\b")
_DOWN = re.compile(
    r"\b(?:down|dimmer|darker|softer|quieter|lower|decrease|reduce|less|weaker|minus)\b"
)


def direction(text: str) -> int:
    """Return 1 where a text asks for more, -1 where it asks for less, 0 where for neither."""
    said = text.casefold()
    return bool(_UP.search(said)) - bool(_DOWN.search(said))


def _by_word(said: str, table: Sequence[tuple[str, float]]) -> float | None:
    return next((value for pattern, value in table if re.search(rf"\b(?:{pattern})\b", said)), None)


@dataclass(frozen=True, slots=True)
class Moment:
    """When something in the house is to happen."""

    date: str
    """A date in normal form."""
    time: str
    """A time in normal form, or empty where only the day was said."""
    at_once: bool
    """Whether it begins now."""


def moment(world: World, date: DateValue | None, time: TimeValue | None) -> Moment | None:
    """Return when a request is to be carried out.

    A recurrence always lies ahead; a range of times that has begun means now, until its end.

    Args:
        world: whose clock counts.
        date: the request's date.
        time: the request's time.

    Returns:
        The moment, or None for now and nothing more.

    Raises:
        Refusal: the moment has passed.
    """
    if date is not None and date.end is not None and date.end < world.today:
        raise Refusal.conflict(f"{date} has passed.")
    clock = str(time) if time is not None else ""
    if date is not None and (date.recurrence is not None or not date.contains(world.today)):
        return Moment(str(date), clock, False)
    if time is None:
        return None
    now = world.now.time().replace(second=0, microsecond=0)
    if time.contains(now):
        return Moment(str(world.today), clock, True) if time.is_range else None
    if date is None:
        return Moment(str(next_day_at(world.now, time)), clock, False)
    if date.single is None:
        return Moment(str(date), clock, False)
    if time.start is None or time.start < now:
        raise Refusal.conflict(f"{clock} has passed today.")
    return Moment(str(world.today), clock, False)


def when_told(date: str, time: str) -> str:
    """Return a date and a time in normal form as a phrase: `on 2026-03-14 at 07:30`."""
    day = date if date.startswith("every") else f"on {date}"
    if ".." not in time:
        return f"{day} at {time}" if time else day
    first, _, last = time.partition("..")
    return " ".join([day, *([f"from {first}"] if first else []), *([f"to {last}"] if last else [])])


_COLORS: Final = frozenset(
    "red green blue yellow orange purple pink white violet turquoise cyan magenta teal lime gold"
    " amber brown lavender indigo peach coral crimson scarlet maroon navy olive silver beige cream"
    " mint rose aqua lilac rainbow".split()
)
_SHADES: Final = frozenset(
    "light dark deep pale bright neon soft warm cool hot sky baby royal pastel ocean forest".split()
)
_COLOR_ALIASES: Final[dict[str, str]] = {
    "warm": "warm white", "cool": "cool white", "cold": "cool white", "daylight": "cool white",
    "normal": "warm white", "default": "warm white", "regular": "warm white", "golden": "gold",
    "grey": "silver", "gray": "silver", "dark": "dark blue", "black": "dark blue",
    "romantic": "soft red", "relaxing": "soft orange", "cozy": "soft orange", "calm": "soft blue",
    "cosy": "soft orange",
    "sunset": "orange", "candle": "amber", "party": "rainbow", "disco": "rainbow",
    "colorful": "rainbow", "colourful": "rainbow", "multicolored": "rainbow",
}  # fmt: skip


def color(text: str) -> str | None:
    """Return the lamp colour that a text names.

    Args:
        text: what the user said, such as `light green` or `something romantic`.

    Returns:
        A colour with its shade if one was said, or None where the text names no colour.
    """
    said = re.findall(r"[a-z]+", text.casefold())
    named = next((word for word in reversed(said) if word in _COLORS), None)
    if named is not None:
        before = said[: said.index(named)]
        shade = before[-1] if before and before[-1] in _SHADES else ""
        return f"{shade} {named}".strip()
    return next((_COLOR_ALIASES[word] for word in said if word in _COLOR_ALIASES), None)


def seed_lights() -> list[Row]:
    """Return the lamps of the house at the start."""
    rows = (
        ("living room", "ceiling light", True, 80, "warm white"),
        ("living room", "floor lamp", False, 40, "warm white"),
        ("kitchen", "ceiling light", True, 90, "white"),
        ("kitchen", "counter light", False, 60, "white"),
        ("bedroom", "ceiling light", False, 60, "warm white"),
        ("bedroom", "bedside lamp", True, 30, "orange"),
        ("bathroom", "ceiling light", True, 70, "white"),
        ("hallway", "ceiling light", True, 50, "warm white"),
        ("office", "ceiling light", False, 75, "cool white"),
        ("office", "desk lamp", True, 65, "cool white"),
        ("dining room", "pendant lamp", False, 55, "warm white"),
        ("kids room", "ceiling light", False, 70, "yellow"),
        ("kids room", "night light", True, 15, "pink"),
        ("guest room", "ceiling light", False, 60, "warm white"),
        ("porch", "porch light", True, 40, "warm white"),
        ("garden", "garden lights", False, 45, "warm white"),
        ("garage", "ceiling light", False, 100, "white"),
        ("basement", "ceiling light", False, 80, "white"),
        ("attic", "ceiling light", False, 80, "white"),
        ("laundry room", "ceiling light", False, 85, "white"),
        ("balcony", "string lights", False, 35, "warm white"),
    )
    keys = ("room", "name", "on", "brightness", "color")
    return [dict(zip(keys, row, strict=True)) for row in rows]


def seed_sockets() -> list[Row]:
    """Return the smart sockets of the house at the start, each called by what is plugged in."""
    rows = (
        ("living room", "smart plug", False),
        ("living room", "television", True),
        ("living room", "christmas tree", False),
        ("kitchen", "kettle", False),
        ("kitchen", "dishwasher", True),
        ("bedroom", "fan", False),
        ("bedroom", "phone charger", True),
        ("bedroom", "smart plug", True),
        ("bathroom", "water heater", False),
        ("office", "printer", True),
        ("office", "space heater", False),
        ("kids room", "humidifier", True),
        ("laundry room", "washing machine", True),
        ("garden", "sprinkler", False),
        ("garage", "car charger", False),
    )
    return [dict(zip(("room", "name", "on"), row, strict=True)) for row in rows]


def seed_speakers() -> list[Row]:
    """Return the loudspeakers of the house at the start."""
    rows = (
        ("living room", "speaker", 40, False),
        ("living room", "television", 30, False),
        ("kitchen", "speaker", 50, False),
        ("bedroom", "speaker", 20, False),
        ("office", "speaker", 35, False),
    )
    return [dict(zip(("room", "name", "volume", "muted"), row, strict=True)) for row in rows]
