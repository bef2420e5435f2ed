"""The weather: a simulated forecast for any place, day and time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import Any, Final

from ossia_dataset.normalise import TimeValue
from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Reply
from ossia_servers.worlds.world import World

Facts = dict[str, Any]
"""One row of a forecast."""

_ASPECTS: Final[Mapping[str, frozenset[str]]] = {
    "snow": meanings(
        "snow snowing snowy snowfall snowstorm blizzard sleet flurry ski skiing snowboard sled"
    ),
    "rain": meanings(
        "rain raining rainy umbrella raincoat wet shower storm stormy thunderstorm boot boots"
        " precipitation drizzle poncho galoshes rainfall thunder lightning hail pour pouring"
        " rainstorm wellies"
    ),
    "fog": meanings("fog foggy mist misty haze hazy"),
    "wind": meanings("wind windy breezy breeze gale gust gusty kite sail sailing"),
    "sun": meanings(
        "sun sunny sunglasses glasses sunscreen sunblock suncream clear shades uv sunshine bright"
    ),
    "frost": meanings("freezing freeze frost frosty ice icy"),
    "cold": meanings(
        "cold colder chilly jacket coat sweater jumper scarf gloves cool cooler clothes hoodie hat"
    ),
    "warm": meanings(
        "warm warmer hot hotter shorts sandals swim swimming beach heat heatwave summery bikini"
        " mild"
    ),
    "cloud": meanings("cloud clouds cloudy overcast"),
    "humidity": meanings("humid humidity muggy damp moist"),
    "nice": meanings("nice good pleasant fine lovely beautiful dry picnic hike walk great outside"),
}
"""What a user may ask about the weather, and the words that give it away."""

_SKIES: Final = ("sunny", "mostly sunny", "partly cloudy", "cloudy", "overcast", "foggy")
_LIKELY: Final = 50
"""Chance of rain or snow, in percent, from which on it is expected."""


@dataclass(frozen=True, slots=True)
class _Climate:
    """Mean temperatures of a place in degrees Fahrenheit."""

    january: float
    july: float

    def mean(self, day: date) -> float:
        """Return the usual temperature of a day: a year's wave that is lowest in mid January."""
        wave = math.cos((day.timetuple().tm_yday - 15) / 365 * 2 * math.pi)
        return (self.january + self.july) / 2 + wave * (self.january - self.july) / 2


def _climate(world: World, where: str) -> _Climate:
    known = simulated.known("climates", where)
    if known is not None:
        return _Climate(*known)
    stream = world.random("climate", simulated.key(where))
    january = stream.uniform(20, 65)
    return _Climate(january, min(92.0, january + stream.uniform(12, 45)))


def _condition(rain: int, snow: int, sky: float, wind: int) -> str:
    if snow >= _LIKELY:
        return "snow" if snow >= 75 else "light snow"
    if rain >= 85:
        return "thunderstorms" if wind >= 18 else "heavy rain"
    if rain >= _LIKELY:
        return "rain" if rain >= 70 else "light rain"
    return _SKIES[min(int(sky * len(_SKIES)), len(_SKIES) - 1)]


def _day(world: World, where: str, day: date) -> Facts:
    stream = world.random("weather", simulated.key(where), day)
    mean = _climate(world, where).mean(day) + stream.gauss(0, 5)
    spread = stream.uniform(5, 11)
    low, high = round(mean - spread), round(mean + spread)
    # Squaring makes dry days the rule.
    falling = round(stream.random() ** 2 * 100)
    snow = falling if high <= 38 else falling // 2 if low <= 30 else 0
    rain = max(0, falling - snow)
    wind, sky = round(stream.gammavariate(3, 3)), stream.random()
    return {
        "place": where,
        "date": day.isoformat(),
        "condition": _condition(rain, snow, sky, wind),
        "high": high,
        "low": low,
        "rain_chance": rain,
        "snow_chance": snow,
        "wind": wind,
        "humidity": round(35 + falling * 0.5 + stream.uniform(-8, 8)),
    }


def _temperature(facts: Facts, moment: time) -> int:
    """Return the temperature at a time: lowest at four in the morning, highest at four p.m."""
    hours = moment.hour + moment.minute / 60
    share = (1 + math.cos((hours - 16) / 24 * 2 * math.pi)) / 2
    low, high = int(facts["low"]), int(facts["high"])
    return round(low + (high - low) * share)


def _at(facts: Facts, wanted: TimeValue) -> Facts:
    ends = [moment for moment in (wanted.start, wanted.end) if moment is not None]
    marks = [_temperature(facts, moment) for moment in ends]
    if wanted.contains(time(16)):
        marks.append(facts["high"])
    return {**facts, "time": str(wanted), "high": max(marks), "low": min(marks)}


_EXPECTED: Final[Mapping[str, Callable[[Facts], bool]]] = {
    "snow": lambda facts: facts["snow_chance"] >= _LIKELY,
    "rain": lambda facts: facts["rain_chance"] >= _LIKELY,
    "fog": lambda facts: facts["condition"] == "foggy",
    "wind": lambda facts: facts["wind"] >= 15,
    "sun": lambda facts: "sunny" in facts["condition"],
    "frost": lambda facts: facts["low"] <= 32,
    "cold": lambda facts: facts["low"] < 50,
    "warm": lambda facts: facts["high"] >= 72,
    "cloud": lambda facts: facts["condition"] in ("partly cloudy", "cloudy", "overcast"),
    "humidity": lambda facts: facts["humidity"] >= 65,
    "nice": lambda facts: (
        55 <= facts["high"] <= 86 and max(facts["rain_chance"], facts["snow_chance"]) < _LIKELY
    ),
}
"""Whether a forecast has what was asked about."""

_VERDICTS: Final = {
    "snow": ("snow is likely", "no snow is expected"),
    "rain": ("rain is likely", "rain is unlikely"),
    "fog": ("it will be foggy", "no fog is expected"),
    "wind": ("it will be windy", "there will be little wind"),
    "sun": ("it will be sunny", "there will be little sun"),
    "frost": ("it will freeze", "it will not freeze"),
    "cold": ("it will be cold", "it will not be cold"),
    "warm": ("it will be warm", "it will not be warm"),
    "cloud": ("there will be clouds", "there will be hardly a cloud"),
    "humidity": ("it will be humid", "it will not be humid"),
    "nice": ("it looks nice", "it does not look nice"),
}


def _sentence(facts: Facts) -> str:
    day = simulated.spoken_date(date.fromisoformat(facts["date"]))
    warmth = (
        f"{facts['low']} degrees"
        if facts["low"] == facts["high"]
        else f"{facts['low']} to {facts['high']} degrees"
    )
    when = f"{day}, {facts['time']}" if "time" in facts else day
    falling = (
        f"a {facts['snow_chance']} percent chance of snow"
        if facts["snow_chance"] > facts["rain_chance"]
        else f"a {facts['rain_chance']} percent chance of rain"
    )
    return (
        f"{when}: {facts['condition']}, {warmth}, {falling}, wind {facts['wind']} miles per hour,"
        f" humidity {facts['humidity']} percent"
    )


def _verdict(aspect: str, rows: list[Facts]) -> str:
    yes, no = _VERDICTS[aspect]
    fitting = [row for row in rows if _EXPECTED[aspect](row)]
    if not fitting:
        return f"No, {no}. "
    if len(rows) == 1:
        return f"Yes, {yes}. "
    named = ", ".join(date.fromisoformat(row["date"]).strftime("%A") for row in fitting[:7])
    return f"Yes, {yes} on {named}. "


def _query(world: World, params: Params) -> Reply:
    where = simulated.place(world, params.text("place_name"))
    at, wanted = simulated.time_asked(world, params), params.date()
    if wanted is None and at is not None:
        chosen = [simulated.time_of_day(world, at)]
    else:
        chosen = simulated.days(world, wanted)
    rows = [_day(world, where, day) for day in chosen]
    if at is not None:
        rows = [_at(row, at) for row in rows]
    descriptor = meanings(params.text("weather_descriptor") or "")
    aspect = simulated.pick(_ASPECTS, descriptor)
    verdict = _verdict(aspect, rows) if aspect else ""
    told = "; ".join(_sentence(row) for row in rows)
    if at is None and "time" in params and chosen == [world.today]:
        told += f"; it is {_temperature(rows[0], world.now.time())} degrees now"
    return Reply(f"{verdict}{where}: {told}.", rows)


DOMAIN = Domain(
    name="weather",
    description="The weather of any place, now, later and before.",
    fields=(
        Field("place_name", Kind.PLACE, "city or region", example="Chicago, Illinois"),
        Field("date", Kind.DATE, "day or days of the forecast", example="2026-03-14"),
        Field("time", Kind.TIME, "time or part of the day", example="06:00..12:00"),
        Field(
            "weather_descriptor",
            Kind.TEXT,
            "what of the weather is asked, such as rain, cold or umbrella",
            Match.FREE_TEXT,
            "rain",
        ),
    ),
    intents=(Intent("weather_query", "Tell the weather.", _query, writes=False),),
)
