"""Alarms: set, list, change and remove them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from ossia_dataset.normalise.values import DateValue, TimeValue
from ossia_servers.assistant.domains._occurrence import (
    happens,
    picked,
    take_out,
    time_asked,
    time_meant,
)
from ossia_servers.assistant.domains._speech import counted, spoken_date, spoken_time
from ossia_servers.assistant.moments import next_day_at, time_fits
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing, meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Asked, Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

ALARMS = "alarm.alarms"

# What any alarm is for: such a name tells no alarm apart.
_GENERIC = frozenset({"alarm", "alert", "clock", "reminder", "wake", "up"})


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    alarms = (
        ("07:00", "every weekday", "get up"),
        ("09:30", "every weekend", "yoga"),
        ("18:00", "every monday", "take out the bins"),
        ("21:00", "every day", "medicine"),
        ("16:15", "every wednesday", "pick up the kids"),
        ("12:30", "every friday", "lunch with the team"),
    )
    return {
        ALARMS: [
            {"time": time, "date": date, "name": name, "skipped": []} for time, date, name in alarms
        ]
    }


def _told(world: World, row: Row) -> str:
    name = f" ({row['name']})" if row["name"] else ""
    return f"{spoken_time(row['time'])} {spoken_date(row['date'], world.now)}{name}"


def _named(rows: list[Row], name: str | None) -> list[Row]:
    """Alarms of that name; one that says no more than "wake up alarm" points at all."""
    if name is None or meanings(name) <= _GENERIC:
        return rows
    return find(rows, name, "name")


def _at(rows: list[Row], time: TimeValue | None) -> list[Row]:
    return rows if time is None else [row for row in rows if time_fits(row["time"], time)]


def _chosen(world: World, params: Params, time: TimeValue | None) -> list[Row]:
    """Alarms that the name, the date and the descriptor of a request point at, and a time."""
    rows = _at(_named(world.rows(ALARMS), params.text("event_name")), time)
    date = params.date()
    if date is not None:
        rows = [row for row in rows if happens(row, date)]
    return picked(rows, params.text("descriptor"), world.now)


_WHEN: Final = Ask(
    "For what time shall I set the alarm?", ("time", "to_time", "from_time"), missing=("time",)
)
_NEW_TIME: Final = Ask(
    "To what time shall I change the alarm?",
    ("to_time", "time", "date"),
    missing=("to_time",),
    when=Asked.LATER,
)
_WHICH: Final = Ask(
    "Which alarm shall I change?",
    ("event_name", "from_time"),
    unless=("descriptor", "date", "time"),
    when=Asked.MAYBE,
)


def _set(world: World, params: Params) -> Reply:
    time = params.time() or params.time("to_time") or params.time("from_time")
    if time is None or time.single is None:
        return _WHEN.reply()
    date = params.date()
    if date is None:
        day = next_day_at(world.now, time)
        date = DateValue(day, day)
    elif date.single and datetime.combine(date.single, time.single) <= world.now:
        raise Refusal.conflict(f"{time} {spoken_date(str(date), world.now)} has passed already.")
    name = params.text("event_name") or ""
    name = "" if meanings(name) <= _GENERIC else name
    row = world.add(ALARMS, time=str(time), date=str(date), name=name, skipped=[])
    return Reply(f"Your alarm is set for {_told(world, row)}.", [row])


def _query(world: World, params: Params) -> Reply:
    rows = _chosen(world, params, time_asked(params))
    if not rows:
        return Reply("You have no such alarm.", [])
    told = listing([_told(world, row) for row in rows])
    return Reply(f"You have {counted(len(rows), 'alarm')}: {told}.", rows)


def _remove(world: World, params: Params) -> Reply:
    rows = _chosen(world, params, time_meant(params))
    if not rows:
        raise Refusal.not_found("You have no such alarm.")
    gone = take_out(world, ALARMS, rows, params.date())
    told = listing([_told(world, row) for row in rows])
    noun = "alarm" if len(rows) == 1 else "alarms"
    if all(world.get(ALARMS, row["id"]) is None for row in gone):
        return Reply(f"I have removed the {noun} at {told}.", gone)
    day = spoken_date(str(params.date()), world.now)
    return Reply(f"I will skip the {noun} at {told} {day}.", gone)


def _change(world: World, params: Params) -> Reply:
    new, old = params.time("to_time"), params.time("from_time")
    if new is None:
        # "change my seven o'clock alarm" tells the old time only together with a new one.
        new = params.time()
    else:
        old = old or params.time()
    date = params.date()
    rows = _at(_named(world.rows(ALARMS), params.text("event_name")), old)
    if date is not None and new is not None:
        rows = [row for row in rows if happens(row, date)]
    rows = picked(rows, params.text("descriptor"), world.now)
    if not rows:
        raise Refusal.not_found("You have no such alarm to change.")
    if new is not None and new.single is None:
        return Reply.ask("To exactly what time shall I change the alarm?", "to_time")
    if new is None and date is None:
        return _NEW_TIME.reply()
    if len(rows) > 1:
        return _WHICH.reply()
    # A day named with the new time says which alarm is meant; a day alone is the new day.
    values = {"date": str(date)} if new is None else {"time": str(new)}
    row = world.change(ALARMS, rows[0]["id"], **values)
    return Reply(f"The alarm is now set for {_told(world, row)}.", [row])


DOMAIN = Domain(
    name="alarm",
    description="Alarms on the user's clock.",
    fields=(
        Field("event_name", Kind.NAME, "what the alarm is for", Match.THING, "yoga"),
        Field("descriptor", Kind.TEXT, "which alarms, such as all or next"),
        Field("date", Kind.DATE, "day or recurrence"),
        Field("time", Kind.TIME, "when it rings"),
        Field("from_time", Kind.TIME, "the time before a change, or the start of a stretch"),
        Field("to_time", Kind.TIME, "the time after a change, or the end of a stretch"),
    ),
    intents=(
        Intent("alarm_set", "Set a new alarm.", _set, writes=True, asks=(_WHEN,)),
        Intent("alarm_query", "List alarms.", _query, writes=False),
        Intent("alarm_remove", "Remove alarms.", _remove, writes=True),
        Intent(
            "alarm_change",
            "Change the time or the day of an alarm.",
            _change,
            writes=True,
            asks=(_NEW_TIME, _WHICH),
        ),
    ),
    tables=(
        Table(
            ALARMS,
            "alarm",
            {
                "time": Match.DATETIME,
                "date": Match.DATETIME,
                "name": Match.THING,
                "skipped": Match.EXACT,
            },
        ),
    ),
    seed=_seed,
)
