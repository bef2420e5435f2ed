"""What the domains that answer from simulated knowledge share: places, days and seed files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

from ossia_dataset.normalise import DateValue, TimeValue, is_house_place, normalise_place
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.world import World

OPEN_DAYS: Final = 7
"""How many days of an open range or a recurrence are looked at."""

_DAWN: Final = time(0)
_MIDNIGHT: Final = time(23, 59)


@cache
def data(name: str) -> Any:
    """Return the content of a data file of the domains.

    Args:
        name: the file's name without `.json`.
    """
    text = (Path(__file__).parent / "_data" / f"{name}.json").read_text("utf-8")
    return json.loads(text)


def place(world: World, text: str | None) -> str:
    """Return a place in normal form; nothing, "here", "home" and the like are the home location.

    Args:
        world: whose home is meant.
        text: the place as given.
    """
    if text is None or is_house_place(text):
        return world.home
    where = normalise_place(text, world.home)
    # "The airport" is the airport, but The Hague is no Hague.
    return (where if "," in where else where.removeprefix("The ")) or world.home


def known(name: str, where: str) -> Any | None:
    """Return what a data file says of a town, None for places that it does not hold.

    Args:
        name: the data file, whose keys are towns in lower case without their region.
        where: a place in normal form; "Paris, Texas" is not the Paris of the file.
    """
    town = key(where.split(",")[0])
    return data(name).get(town) if normalise_place(town, "") == where else None


def days(world: World, wanted: DateValue | None, *, default: int = 1, most: int = 14) -> list[date]:
    """Return the days that a request is about, in order.

    Args:
        world: whose today counts.
        wanted: the request's date.
        default: how many days from today are meant when no date is given.
        most: the longest list.
    """
    if wanted is None:
        return _span(world.today, default)
    if wanted.recurrence is not None:
        return [day for day in _span(world.today, OPEN_DAYS) if wanted.contains(day)]
    if wanted.start is None:
        end = wanted.end or world.today
        # "until sunday" is about what is left of the time until then.
        start = min(world.today, end)
    else:
        start, end = wanted.start, wanted.end or _later(wanted.start, OPEN_DAYS - 1)
    return _span(start, min((end - start).days + 1, most))


def time_asked(world: World, params: Params) -> TimeValue | None:
    """Return the time of a request, None where it says no more than "now" or "all day".

    What is asked without a time is asked of now, and to say so must make no difference.
    """
    wanted, day = params.time(), params.date()
    if wanted is None or (wanted.start in (None, _DAWN) and wanted.end in (None, _MIDNIGHT)):
        return None
    of_today = day is None or (day.recurrence is None and day.contains(world.today))
    from_now = wanted.start == _now(world) and wanted.end in (None, wanted.start)
    return None if of_today and from_now else wanted


def last_known_day(world: World, wanted: DateValue | None) -> date:
    """Return the newest day of a date whose figures are known: nobody knows those of the future.

    Args:
        world: whose today counts.
        wanted: the request's date; none means today, and so does a recurrence.
    """
    if wanted is None or wanted.recurrence is not None:
        return world.today
    end = wanted.end or world.today
    return min(end, world.today)


def time_of_day(world: World, wanted: TimeValue) -> date:
    """Return the day on which a time comes, or is still going on, when no date was said."""
    end = wanted.end
    over = end is not None and (wanted.start is None or wanted.start <= end) and end < _now(world)
    return _later(world.today, 1) if over else world.today


def key(text: str) -> str:
    """Return a text as a key of a random stream: lower case, words and digits, without "the".

    "The airport" and "airport" are one place, and what is simulated of them must not differ.
    """
    return " ".join(word for word in _plain(text) if word != "the")


def title(text: str) -> str:
    """Return a name in title case, without spoiling apostrophes and inner capitals."""
    return " ".join(word[:1].upper() + word[1:] for word in text.split())


def strip_words(text: str, surplus: frozenset[str]) -> str:
    """Return a text's words in lower case without the surplus ones."""
    return " ".join(word for word in _plain(text) if word not in surplus)


def pick(options: Mapping[str, frozenset[str]], said: frozenset[str]) -> str | None:
    """Return the first option one of whose words was said, or None."""
    return next((name for name, known in options.items() if said & known), None)


def spoken_date(day: date) -> str:
    """Return a day as one would say it: "Saturday, March 14"."""
    return f"{day.strftime('%A, %B')} {day.day}"


def _plain(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _now(world: World) -> time:
    return world.now.time().replace(second=0, microsecond=0)


def _span(start: date, count: int) -> list[date]:
    room = (date.max - start).days + 1
    return [start + timedelta(days=number) for number in range(min(count, room))]


def _later(day: date, count: int) -> date:
    return day + timedelta(days=min(count, (date.max - day).days))
