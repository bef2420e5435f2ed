"""Places in normal form, with a small gazetteer of well-known ones."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

_HERE: Final = frozenset(
    f"{before}{place}"
    for before in ("", "in ", "around ", "near ", "at ", "close to ")
    for place in (
        "here", "me", "my area", "me area", "our area", "this area", "the area", "my city",
        "our city", "this city", "my town", "our town", "this town", "my location", "our location",
        "this location", "this place", "my place", "my current location", "current location",
        "the current location", "my neighborhood", "my neighbourhood", "the neighborhood",
        "this neighborhood", "my region", "my vicinity", "the vicinity", "my current area",
        "where i am", "where i live",
    )
    if before or place != "me"
) | {
    "near", "nearby", "near by", "nearest", "close by", "closeby", "close", "closest", "local",
    "locally", "area", "town", "in town", "city", "nearest place", "vicinity", "neighborhood",
}  # fmt: skip
_ROOMS: Final = frozenset(
    (
        "kitchen", "living room", "livingroom", "bedroom", "bathroom", "hall", "hallway", "den",
        "porch", "room", "garage", "basement", "attic", "dining room", "garden", "yard",
        "backyard", "front yard", "house", "home", "patio", "balcony", "study", "nursery",
        "laundry room", "family room", "guest room", "upstairs", "downstairs", "stairs", "entrance",
        "toilet", "lounge", "deck", "driveway", "closet", "playroom",
    )
)  # fmt: skip
_ROOM_WORDS: Final = frozenset(
    "my our the this whole entire upstairs downstairs master main guest kids front back all in at "
    "of every each big small".split()
)
_LOWER_WORDS: Final = frozenset("of the and in on at de la by".split())
# Abbreviations of states that are words as well; they count only after a comma.
_PLAIN_WORDS: Final = frozenset("in or me hi ok oh ma pa la de co id al us ms mo".split())
_LEADING = re.compile(r"^(?:in|at|to|from|near|around|for)\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the gazetteer.

    Attributes:
        name: Its name, such as ``Dallas``.
        region: The state or country around it; empty for states and countries themselves.
    """

    name: str
    region: str

    @property
    def full(self) -> str:
        """The normal form."""
        return f"{self.name}, {self.region}" if self.region else self.name


@dataclass(frozen=True, slots=True)
class _Gazetteer:
    cities: dict[str, Place]
    regions: dict[str, Place]


def normalise_place(text: str, home: str) -> str:
    """Bring a place to normal form.

    Args:
        text: Words of a user.
        home: The home location, for "here", "nearby" and the like.

    Returns:
        The home location; a place inside the house as it is; ``City, Region`` or ``City, Country``
        for a known city; otherwise the words in title case. Empty for an empty text.
    """
    words = " ".join(text.split())
    if _fold(words) in _HERE:
        return home
    if is_house_place(words):
        return words
    known = _find(words)
    return known.full if known is not None else _title(words)


def canonical_place(text: str) -> str:
    """Reduce a place to what two ways of naming it have in common.

    Args:
        text: A place, in normal form or not.

    Returns:
        The case-folded name without the region around it: equal for "Dallas" and "dallas, texas".
        Empty for an empty text.
    """
    words = " ".join(text.split())
    known = _find(words)
    if known is not None:
        return _fold(known.name)
    parts = [part for part in map(_fold, words.split(",")) if part]
    return parts[0] if parts else ""


def is_house_place(text: str) -> bool:
    """Say whether a place is one inside the house or around it, such as ``the upstairs bathroom``.

    Args:
        text: Words of a user.

    Returns:
        True if it is a room or the like.
    """
    words = _fold(text).split()
    while len(words) > 1 and words[0] in _ROOM_WORDS:
        words = words[1:]
    return " ".join(words) in _ROOMS or " ".join(words).removesuffix("s") in _ROOMS


def _find(words: str) -> Place | None:
    """Find a known city, state or country; a region may follow it, with or without a comma."""
    first, comma, rest = words.partition(",")
    if comma:
        return _with_region(_fold(first), _fold(rest), known_only=False)
    folded = _fold(words)
    for candidate in (folded, _LEADING.sub("", folded), folded.removeprefix("the ")):
        found = _look_up(candidate) or _without_comma(candidate)
        if found is not None:
            return found
    return None


def _look_up(name: str) -> Place | None:
    gazetteer = _gazetteer()
    if name in gazetteer.cities:
        return gazetteer.cities[name]
    return None if name in _PLAIN_WORDS and name != "us" else gazetteer.regions.get(name)


def _without_comma(folded: str) -> Place | None:
    parts = folded.split(" ")
    for cut in range(1, len(parts)):
        name, region = " ".join(parts[:cut]), " ".join(parts[cut:])
        found = _with_region(name, region, known_only=region in _PLAIN_WORDS or len(parts) > 3)
        if found is not None:
            return found
    return None


def _with_region(name: str, region: str, known_only: bool) -> Place | None:
    gazetteer = _gazetteer()
    around = gazetteer.regions.get(region.split(",")[0].strip())
    city = gazetteer.cities.get(name)
    if around is None or not name:
        return None
    if city is None and known_only:
        return None
    if city is None and name in gazetteer.regions:
        return None
    return Place(city.name if city is not None else _title(name), around.name)


def _title(words: str) -> str:
    return " ".join(
        word if index and word in _LOWER_WORDS else word[:1].upper() + word[1:]
        for index, word in enumerate(words.split())
    )


@lru_cache(maxsize=4096)
def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    kept = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(kept.replace(".", "").casefold().split())


@cache
def _gazetteer() -> _Gazetteer:
    text = files("ossia_dataset.normalise").joinpath("gazetteer.txt").read_text("utf-8")
    cities: dict[str, Place] = {}
    regions: dict[str, Place] = {}
    section = ""
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            continue
        region, _, names = line.rpartition(": ")
        for entry in names.split(", "):
            name, *others = entry.split("=")
            table = cities if section == "cities" else regions
            for known_as in (name, *others):
                table.setdefault(_fold(known_as), Place(name, region))
    return _Gazetteer(cities, regions)
