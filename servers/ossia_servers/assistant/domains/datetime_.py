"""Dates and times: what time it is somewhere, what day a date is, and times between zones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from ossia_dataset.normalise import normalise_place
from ossia_dataset.normalise.values import DateValue, TimeValue
from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.assistant.domains._speech import counted
from ossia_servers.assistant.domains._zones import UTC, Zone, zone_of_name, zone_of_place
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Field, Kind, Match, Refusal, Reply
from ossia_servers.worlds.world import World

# A comma stands between a city and its country, so it parts no places.
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
# Two weeks hold every day that a recurrence may fall on.
_HORIZON_DAYS: Final = 14


@dataclass(frozen=True, slots=True)
class _Where:
    """A zone under the name that the user knows it by."""

    label: str
    zone: Zone


def _home(world: World) -> _Where:
    return _Where(world.home, zone_of_place(world.home) or UTC)


def _place(world: World, text: str) -> _Where:
    place = normalise_place(text, world.home)
    if place == world.home:
        return _home(world)
    zone = zone_of_place(place)
    if zone is None:
        raise Refusal.not_found(f"I do not know the time zone of {place}.")
    return _Where(place, zone)


def _named(world: World, text: str) -> _Where:
    zone = zone_of_name(text, world.home)
    if zone is None:
        raise Refusal.not_found(f"I do not know the time zone '{text}'.")
    return _Where(zone.name, zone)


def _query(world: World, params: Params) -> Reply:
    place, zone = params.text("place_name"), params.text("time_zone")
    if place is not None and normalise_place(place, world.home) == world.home:
        # At home it is what it is without a place.
        place = None
    clock = simulated.time_asked(world, params) or params.time("time2")
    if clock is not None and clock.single is not None and (place is not None or zone is not None):
        # "What time is it in Tokyo when it is five here" asks for a conversion.
        return _convert(world, params)
    where = _home(world)
    if place is not None:
        where = _place(world, place)
    elif zone is not None:
        where = _named(world, zone)
    now = where.zone.from_utc(_home(world).zone.to_utc(world.now))
    when = params.date()
    if when is not None and when.single not in (now.date(), world.today):
        return _day(where, now, when)
    facts = {"place": where.label, "zone": where.zone.name, **_moment(now)}
    away = f" in {where.label}" if where.label not in (world.home, where.zone.name) else ""
    return Reply(
        f"It is {now:%H:%M} on {now:%A}, {now:%B} {now.day} {now.year}{away} ({where.zone.name}).",
        facts,
    )


def _moment(moment: datetime) -> dict[str, Any]:
    return {
        "date": moment.date().isoformat(),
        "weekday": f"{moment:%A}",
        "time": moment.strftime("%H:%M"),
    }


def _day(where: _Where, now: datetime, when: DateValue) -> Reply:
    """Say what day a date is, and how far away."""
    today = now.date()
    first, last = when.start or when.end, when.end or when.start
    if when.recurrence is not None:
        first = last = _next(today, when)
    if first is None or last is None:
        raise Refusal.not_found(f"I find no day that is {when}.")
    days = [
        {"date": day.isoformat(), "weekday": f"{day:%A}", "days_away": (day - today).days}
        for day in ((first,) if first == last else (first, last))
    ]
    told = [f"{day:%A}, {day:%B} {day.day} {day.year}" for day in (first, last)]
    facts = {"place": where.label, "days": days}
    if first != last:
        return Reply(f"That is from {told[0]} to {told[1]}.", facts)
    distance = (first - today).days
    away = f"{counted(abs(distance), 'day')} {'ago' if distance < 0 else 'away'}"
    return Reply(f"{told[0]} is {away}.", facts)


def _next(today: date, when: DateValue) -> date | None:
    ahead = (today + timedelta(days=number) for number in range(_HORIZON_DAYS))
    return next((day for day in ahead if when.contains(day)), None)


_BETWEEN: Final = Ask(
    "Between which time zones or places?",
    ("time_zone", "place_name", "time_zone2"),
    missing=("time_zone", "place_name"),
)


def _convert(world: World, params: Params) -> Reply:
    first, second, directed = _pair(world, params)
    given = params.date()
    clock = simulated.time_asked(world, params) or params.time("time2")
    here = _home(world).zone.to_utc(world.now)
    day = given.single if given is not None and given.single is not None else None
    local = first.zone.from_utc(here)
    if day is not None:
        local = datetime.combine(day, local.time())
    difference = second.zone.from_utc(first.zone.to_utc(local)) - local
    hours = difference.total_seconds() / 3600
    readings = [_reading(first, second, clock, local)]
    if clock is not None and not directed:
        # "Five in Berlin" and "five here" are said with the same slots, so both are answered.
        readings.append(_reading(second, first, clock, local))
    told = "; ".join(
        f"{item['time']} in {item['from']} is {item['converted']} in {item['to']}"
        + _shift(item["days_later"])
        for item in readings
    )
    count = f"{abs(hours):g} hour{'s' * (abs(hours) != 1)}"
    ahead = f"{count} {'ahead of' if hours > 0 else 'behind'}"
    relation = f"{second.label} is {ahead} {first.label}" if hours else "There is no difference"
    return Reply(
        f"{told}. {relation}.",
        {
            "between": [first.label, second.label],
            "hours": hours,
            "readings": readings,
        },
    )


def _pair(world: World, params: Params) -> tuple[_Where, _Where, bool]:
    """The two zones of a conversion, and whether the request says which comes first."""
    place, zone = params.text("place_name"), params.text("time_zone")
    target = params.text("time_zone2")
    if target is not None:
        source = _named(world, zone) if zone is not None else None
        if source is None:
            source = _place(world, place) if place is not None else _home(world)
        return source, _named(world, target), True
    if place is not None and zone is not None:
        first, second = _place(world, place), _named(world, zone)
        # "Berlin" and "central european" name one thing: it is compared with home.
        if first.zone != second.zone:
            return first, second, False
        return _home(world), first, False
    both = _two(world, params)
    if both is not None:
        return *both, True
    if place is not None:
        return _home(world), _place(world, place), False
    # One of the three was given: `_BETWEEN` asks for it.
    return _home(world), _named(world, zone or ""), False


def _two(world: World, params: Params) -> tuple[_Where, _Where] | None:
    """Two places or zones that were said in one slot: "new york and lagos"."""
    for name, read in (("place_name", _place), ("time_zone", _named)):
        parts = _AND.split(params.text(name) or "")
        if len(parts) == 2:
            return read(world, parts[0]), read(world, parts[1])
    return None


def _reading(source: _Where, target: _Where, clock: TimeValue | None, local: datetime) -> Any:
    """One time in one zone, and the same moment in another."""
    start = clock.start if clock is not None else local.time()
    end = clock.end if clock is not None else local.time()
    there = [_there(source, target, local.date(), moment) for moment in (start, end)]
    converted = [moment for moment in there if moment is not None]
    said = str(clock) if clock is not None else local.strftime("%H:%M")
    ends = [moment.strftime("%H:%M") if moment is not None else "" for moment in there]
    return {
        "from": source.label,
        "to": target.label,
        "time": said,
        "converted": ends[0] if ends[0] == ends[1] else "..".join(ends),
        "days_later": (converted[0].date() - local.date()).days,
    }


def _there(source: _Where, target: _Where, day: date, moment: time | None) -> datetime | None:
    if moment is None:
        return None
    return target.zone.from_utc(source.zone.to_utc(datetime.combine(day, moment)))


def _shift(days: int) -> str:
    return {0: "", 1: " the next day", -1: " the day before"}.get(days, f" {days} days later")


DOMAIN = Domain(
    name="datetime",
    description="Dates, days of the week, and times around the world.",
    fields=(
        Field("place_name", Kind.PLACE, "a city, state or country", example="Tokyo"),
        Field("descriptor", Kind.TEXT, "what is asked of the date", Match.IGNORABLE),
        Field("time_zone", Kind.NAME, "a time zone, or the one to convert from", example="eastern"),
        Field("time_zone2", Kind.NAME, "the time zone to convert to", example="gmt"),
        Field("date", Kind.DATE, "the day asked about"),
        Field("time", Kind.TIME, "the time to convert"),
        Field("time2", Kind.TIME, "a second time"),
    ),
    intents=(
        Intent("datetime_query", "Say the time or the day.", _query, writes=False),
        Intent(
            "datetime_convert",
            "Convert times between zones.",
            _convert,
            writes=False,
            asks=(_BETWEEN,),
        ),
    ),
)
