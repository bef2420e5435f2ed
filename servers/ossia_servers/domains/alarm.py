"""Alarms: set, list, change and remove them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ossia_servers.domain import (
    Domain,
    Field,
    Intent,
    Kind,
    Match,
    Refusal,
    Reply,
    Row,
    SeedContext,
    Table,
)
from ossia_servers.lookup import find
from ossia_servers.moments import date_fits, next_day_at, time_fits
from ossia_servers.params import Params
from ossia_servers.worlds import World

ALARMS = "alarm.alarms"


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    return {
        ALARMS: [
            {"time": "07:00", "date": "every weekday", "name": "get up"},
            {"time": "09:30", "date": "every weekend", "name": "yoga"},
            {"time": "18:00", "date": "every monday", "name": "take out the bins"},
            {"time": "21:00", "date": "every day", "name": "medicine"},
        ]
    }


def _chosen(world: World, params: Params) -> list[Row]:
    """Alarms that the name, the time and the date of a request point at."""
    rows = world.rows(ALARMS)
    name = params.text("event_name")
    if name is not None and (named := find(rows, name, "name")):
        rows = named
    elif name is not None and "time" not in params and "date" not in params:
        return []
    time, date = params.time(), params.date()
    if time is not None:
        rows = [row for row in rows if time_fits(row["time"], time)]
    if date is not None:
        exact = [row for row in rows if row["date"] == str(date)]
        rows = exact or [row for row in rows if date_fits(row["date"], date)]
    return rows


def _set(world: World, params: Params) -> Reply:
    time = params.time() or params.time("from_time")
    if time is None or time.single is None:
        return Reply.ask("For what time shall I set the alarm?", "time")
    date = params.date()
    day = str(date) if date is not None else next_day_at(world.now, time).isoformat()
    row = world.add(
        ALARMS, time=str(time), date=day, name=params.first("event_name", "descriptor") or ""
    )
    return Reply(f"Your alarm is set for {row['time']}, {row['date']}.", [row])


def _query(world: World, params: Params) -> Reply:
    rows = _chosen(world, params)
    if not rows:
        return Reply("You have no such alarm.", [])
    told = "; ".join(f"{row['time']} {row['date']} {row['name']}".strip() for row in rows)
    return Reply(f"You have {len(rows)} alarm(s): {told}.", rows)


def _remove(world: World, params: Params) -> Reply:
    rows = _chosen(world, params)
    if not rows:
        raise Refusal.not_found("No alarm fits that.")
    removed = [world.remove(ALARMS, row["id"]) for row in rows]
    return Reply(f"{len(removed)} alarm(s) removed.", removed)


def _change(world: World, params: Params) -> Reply:
    new = params.time("to_time") or params.time()
    if new is None or new.single is None:
        return Reply.ask("To what time shall I change the alarm?", "to_time")
    old = params.time("from_time")
    rows = world.rows(ALARMS)
    name = params.text("event_name")
    if name is not None:
        rows = find(rows, name, "name")
    if old is not None:
        rows = [row for row in rows if row["time"] == str(old)]
    if not rows:
        raise Refusal.not_found("No alarm fits that.")
    if len(rows) > 1:
        return Reply.ask("Which alarm shall I change?", "event_name", "from_time")
    row = world.change(ALARMS, rows[0]["id"], time=str(new))
    return Reply(f"The alarm now rings at {row['time']}.", [row])


DOMAIN = Domain(
    name="alarm",
    description="Alarms on the user's clock.",
    fields=(
        Field("event_name", Kind.NAME, "what the alarm is for", Match.FREE_TEXT),
        Field("descriptor", Kind.TEXT, "which alarms, such as all", Match.IGNORABLE),
        Field("date", Kind.DATE, "day or recurrence"),
        Field("time", Kind.TIME, "when it rings"),
        Field("from_time", Kind.TIME, "the time before a change"),
        Field("to_time", Kind.TIME, "the time after a change"),
    ),
    intents=(
        Intent("alarm_set", "Set a new alarm.", _set, writes=True),
        Intent("alarm_query", "List alarms.", _query, writes=False),
        Intent("alarm_remove", "Remove alarms.", _remove, writes=True),
        Intent("alarm_change", "Change the time of an alarm.", _change, writes=True),
    ),
    tables=(
        Table(
            ALARMS,
            "alarm",
            {"time": Match.DATETIME, "date": Match.DATETIME, "name": Match.FREE_TEXT},
        ),
    ),
    seed=_seed,
)
