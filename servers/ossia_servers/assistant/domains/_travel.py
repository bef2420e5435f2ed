"""Simulated travel: how far places are apart, when something leaves, and how the roads are."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from datetime import date, time
from typing import Any, Final

from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.worlds.lookup import meanings
from ossia_servers.worlds.world import World


@dataclass(frozen=True, slots=True)
class _Line:
    """How one kind of transport runs."""

    agency: str
    mph: float
    first: int
    """Hour of the first departure of a day."""
    every: tuple[int, int]
    """Least and most minutes between two departures."""
    per_mile: float
    base: float


LINES: Final = {
    "train": _Line("Amtrak", 62, 5, (45, 110), 0.22, 9),
    "bus": _Line("Greyhound", 45, 6, (60, 150), 0.12, 6),
    "flight": _Line("Delta", 430, 6, (120, 240), 0.16, 60),
    "ferry": _Line("Harbor Ferries", 18, 7, (60, 90), 0.5, 5),
    "subway": _Line("Metro", 24, 5, (8, 20), 0, 3),
    "tram": _Line("Metro", 14, 5, (10, 20), 0, 3),
}
"""What runs to a timetable."""

_KINDS: Final = {
    "flight": meanings("flight plane airplane aeroplane fly flying air airline"),
    "bus": meanings("bus buses coach"),
    "subway": meanings("subway metro underground tube"),
    "tram": meanings("tram streetcar trolley"),
    "ferry": meanings("ferry ferries boat ship"),
    "train": meanings("train rail railway amtrak railroad"),
}

_STREETS: Final = (
    "Main Street",
    "River Road",
    "Highway 9",
    "the Ring Road",
    "Park Avenue",
    "Route 22",
)
_INCIDENTS: Final = ("an accident", "road works", "a stalled truck", "a closed lane")


@dataclass(frozen=True, slots=True)
class Departure:
    """One departure of a timetable."""

    type: str
    agency: str
    from_place: str
    to_place: str
    date: str
    time: str
    minutes: int
    price: float

    def row(self) -> dict[str, Any]:
        """Return the departure as JSON values."""
        return asdict(self)


def kind_of(text: str | None) -> str | None:
    """Return which of `LINES` a user means, None for taxis, cars and anything else."""
    return simulated.pick(_KINDS, meanings(text or ""))


def miles(world: World, first: str, second: str) -> float:
    """Return the distance of two places: the same both ways, near within one town."""
    ends = sorted((simulated.key(first), simulated.key(second)))
    positions = [_position(place) for place in (first, second)]
    if ends[0] != ends[1] and positions[0] is not None and positions[1] is not None:
        # Roads and rails are about a fifth longer than the straight line.
        return round(1.2 * _straight(positions[0], positions[1]), 1)
    stream = world.random("distance", *ends)
    # A place with a state or country is a town; anything else is somewhere around.
    far = "," in first and "," in second and ends[0] != ends[1]
    return round(stream.uniform(60, 600) if far else stream.uniform(0.5, 18), 1)


def _position(place: str) -> tuple[float, float] | None:
    known = simulated.known("coordinates", place)
    return None if known is None else (known[0], known[1])


def _straight(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return the great-circle distance of two positions in degrees, in miles."""
    (north1, east1), (north2, east2) = (map(math.radians, each) for each in (first, second))
    inside = (
        math.sin((north2 - north1) / 2) ** 2
        + math.cos(north1) * math.cos(north2) * math.sin((east2 - east1) / 2) ** 2
    )
    return 2 * 3959 * math.asin(math.sqrt(inside))


def departures(
    world: World, kind: str, agency: str | None, origin: str, target: str, day: date
) -> list[Departure]:
    """Return a day's timetable between two places, in order of time.

    Args:
        world: whose simulation is asked.
        kind: one of `LINES`.
        agency: who runs it; None means the usual one.
        origin: where it leaves.
        target: where it goes.
        day: the day.
    """
    line = LINES[kind]
    stream = world.random("timetable", kind, simulated.key(origin), simulated.key(target), day)
    distance = miles(world, origin, target)
    minute = line.first * 60 + stream.randrange(60)
    found: list[Departure] = []
    while minute < 23 * 60 and len(found) < 60:
        price = (line.base + line.per_mile * distance) * stream.choice((0.9, 1.0, 1.0, 1.25))
        found.append(
            Departure(
                kind,
                agency or line.agency,
                origin,
                target,
                day.isoformat(),
                f"{minute // 60:02}:{minute % 60:02}",
                round(distance / line.mph * 60) + 8,
                round(price, 2),
            )
        )
        minute += stream.randrange(*line.every)
    return found


def directions(world: World, origin: str, target: str) -> dict[str, Any]:
    """Return the way from one place to another."""
    distance = miles(world, origin, target)
    stream = world.random("way", simulated.key(origin), simulated.key(target))
    return {
        "from_place": origin,
        "to_place": target,
        "miles": distance,
        "via": stream.sample(_STREETS, 2),
        "drive_minutes": round(distance * (2.4 if distance < 30 else 1.0)) + 3,
        "transit_minutes": round(distance * (3.5 if distance < 30 else 1.2)) + 9,
        "walk_minutes": round(distance * 20),
    }


def traffic(world: World, where: str, day: date, at: time) -> dict[str, Any]:
    """Return how the roads of a place or a route are at a time."""
    stream = world.random("traffic", simulated.key(where), day, at.hour)
    rush = day.weekday() < 5 and at.hour in (7, 8, 9, 16, 17, 18)
    load = stream.random() + (0.4 if rush else 0) - (0.4 if at.hour < 6 else 0)
    level = "heavy" if load > 0.85 else "moderate" if load > 0.45 else "light"
    delay = max(0, round((load - 0.3) * 30))
    jammed = level == "heavy" or stream.random() < 0.15
    return {
        "place": where,
        "date": day.isoformat(),
        "time": at.strftime("%H:%M"),
        "level": level,
        "delay_minutes": delay,
        "incident": f"{stream.choice(_INCIDENTS)} on {stream.choice(_STREETS)}" if jammed else "",
    }
