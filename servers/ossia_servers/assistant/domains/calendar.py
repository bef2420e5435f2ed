"""The calendar: enter, find and remove events and reminders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from ossia_dataset.normalise import canonical_place
from ossia_dataset.normalise.values import DateValue, TimeValue
from ossia_servers.assistant.domains._contacts import people, seed_contacts, split_relation
from ossia_servers.assistant.domains._occurrence import (
    happens,
    is_all,
    picked,
    take_out,
    time_asked,
    time_meant,
    upcoming,
)
from ossia_servers.assistant.domains._speech import counted, spoken_date, spoken_time
from ossia_servers.assistant.moments import next_day_at, time_fits
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing, meanings, split_items
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Asked, Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

EVENTS: Final = "calendar.events"

# What any entry may be called: such a name tells none apart.
_GENERIC: Final = frozenset(
    "event schedule calendar plan reminder anything something thing everything agenda activity"
    " entry item date planned scheduled going happening coming next upcoming".split()
)
_RHYTHMS: Final = {
    "daily": "every day",
    "weekly": "every week",
    "monthly": "every month",
    "yearly": "every year",
    "annual": "every year",
    "annually": "every year",
}
_POINTING: Final = frozenset({"this", "that", "it"})
_WITH = re.compile(r"(?P<name>\S.*?)\s+with\s+(?P<people>\S.*)", re.IGNORECASE)

_CLOSE: Final = frozenset({"mother", "father", "partner", "daughter", "son", "sister", "brother"})
_MONTHS: Final = (
    "January February March April May June July August September October November December"
).split()

_AHEAD: Final = (
    # days from today, how many days, time, name, people, place
    (-7, 1, "19:00", "parents evening", ("Megan Hayes",), ""),
    (-1, 1, "17:00", "haircut", (), ""),
    (0, 1, "14:00..15:00", "project meeting", ("John Smith", "Alice Novak"), ""),
    (0, 1, "18:30", "dinner", ("Sam Reyes",), ""),
    (1, 1, "11:00", "farmers market", (), ""),
    (1, 1, "15:30", "soccer game", ("Peter Hayes",), ""),
    (2, 1, "10:30", "brunch", ("Nancy Wright",), ""),
    (2, 1, "18:00", "family dinner", ("Linda Hayes", "George Hayes"), "Albany, New York"),
    (3, 1, "10:00..11:30", "budget meeting", ("Michael Chen",), ""),
    (4, 1, "09:00", "dentist appointment", ("Priya Patel",), ""),
    (5, 1, "19:30", "concert", ("Sarah Johnson",), "Boston, Massachusetts"),
    (6, 1, "12:30", "lunch", ("Emma Larsen",), ""),
    (6, 1, "17:30", "badminton", ("Alice Novak",), ""),
    (7, 1, "15:00", "design review meeting", ("Alice Novak",), ""),
    (8, 2, "", "fishing trip", ("Tom Baker",), ""),
    (9, 1, "20:00", "dinner", ("Sam Reyes",), ""),
    (10, 1, "16:00", "doctor appointment", ("Henry Walsh",), ""),
    (12, 1, "20:00", "birthday party", ("David Okafor",), ""),
    (17, 1, "08:15", "flight", (), "Denver, Colorado"),
    (18, 4, "", "conference", ("Michael Chen", "John Smith"), "Denver, Colorado"),
    (30, 1, "", "rent payment", ("Victor Stone",), ""),
    (75, 1, "", "wedding anniversary", ("Sam Reyes",), ""),
)
_REPEATED: Final = (
    ("every monday", "09:30", "team meeting", ("John Smith", "Alice Novak", "Michael Chen")),
    ("every tuesday", "19:00", "yoga class", ()),
    ("every thursday", "18:00", "guitar lesson", ()),
)


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    dated = []
    for offset, days, time, name, with_whom, place in _AHEAD:
        first = context.now.date() + timedelta(days=offset)
        date = str(DateValue(first, first + timedelta(days=days - 1)))
        dated.append(_values(name, date, time, list(with_whom), place))
    repeated = [
        _values(name, date, time, list(with_whom), "") for date, time, name, with_whom in _REPEATED
    ]
    return {EVENTS: [*dated, *repeated, *_birthdays(context)]}


def _birthdays(context: SeedContext) -> list[Row]:
    """The next birthdays of those who are close, as the contacts know them."""
    found = []
    for row in seed_contacts():
        if row["birthday"] and row["relation"] in _CLOSE:
            month, day = row["birthday"].split()
            date = context.now.date().replace(month=_MONTHS.index(month) + 1, day=int(day))
            if date < context.now.date():
                date = date.replace(year=date.year + 1)
            name = f"{row['name'].split()[0]}'s birthday"
            found.append(_values(name, date.isoformat(), "", [row["name"]], ""))
    return found


def _values(name: str, date: str, time: str, with_whom: list[str], place: str) -> Row:
    return {
        "name": name,
        "date": date,
        "time": time,
        "people": with_whom,
        "place": place,
        "skipped": [],
    }


def _told(world: World, row: Row) -> str:
    when = f" {spoken_date(row['date'], world.now)}"
    clock = f" {spoken_time(row['time'])}" if ".." in row["time"] else f" at {row['time']}"
    company = f" with {listing(row['people'])}" if row["people"] else ""
    place = f" in {row['place']}" if row["place"] else ""
    return f"{row['name']}{company}{place}{when}{clock if row['time'] else ''}"


def _names(world: World, person: str | None, relation: str | None) -> list[str]:
    """Full names of the people meant; who is no contact, or could be several, stays as said."""
    if person is not None and relation is not None:
        together = people(world, person, relation)
        if len(together) == 1:
            return [together[0]["name"]]
    found: list[str] = []
    for text in split_items(person or relation or ""):
        rows = people(world, text)
        plural = len(rows) > 1 and relation is not None
        found += [row["name"] for row in rows] if len(rows) == 1 or plural else [text]
    return found


def _company(world: World, params: Params) -> tuple[str, list[str]]:
    """Name of the event and who takes part: "lunch with tom" names both."""
    name = params.text("event_name") or ""
    person, relation = params.text("person"), params.text("relation")
    inside = _WITH.fullmatch(name)
    if inside is not None:
        name = inside["name"]
        if person is None and relation is None:
            person = inside["people"]
    return name, _names(world, person, relation)


_WHEN_IT_IS: Final = Ask(
    "When is it?",
    ("date", "time", "from_time", "to_time"),
    missing=("date", "time"),
    # "Monthly" is a date as well.
    unless=("descriptor",),
    when=Asked.LATER,
)


def _set(world: World, params: Params) -> Reply:
    name, with_whom = _company(world, params)
    time, date = time_meant(params), params.date()
    rhythm = _RHYTHMS.get((params.text("descriptor") or "").casefold())
    if date is None and rhythm is not None:
        date = DateValue(recurrence=rhythm)
    if date is None and time is None:
        if not name and not with_whom:
            return Reply.ask(
                "What shall I put into your calendar, and when?", "event_name", "date", "time"
            )
        return Reply.ask(f"When is {name or 'the meeting'}?", "date", "time")
    if date is None and time is not None:
        day = next_day_at(world.now, time)
        date = DateValue(day, day)
    row = world.add(
        EVENTS,
        **_values(
            name or ("meeting" if with_whom else "event"),
            str(date),
            str(time) if time is not None else "",
            with_whom,
            params.text("place_name") or "",
        ),
    )
    return Reply(f"I have put into your calendar: {_told(world, row)}.", [row])


def _called(world: World, rows: list[Row], name: str | None) -> list[Row]:
    said = meanings(name or "")
    if said <= _GENERIC:
        return rows
    # "yoga events" means what is called yoga.
    found = find(rows, " ".join(said - _GENERIC), "name", "people", "place")
    relation, rest = split_relation(name or "")
    if found or not relation:
        return found
    # "my husband's birthday" is kept under his name.
    related = {row["name"] for row in people(world, relation)}
    of_them = [row for row in rows if related & set(row["people"])]
    return find(of_them, rest, "name") if meanings(rest) else of_them


def _with(world: World, rows: list[Row], person: str | None, relation: str | None) -> list[Row]:
    said = [text for text in (person, relation) if text is not None]
    if not said:
        return rows
    names = {row["name"] for row in people(world, *said)}
    return [row for row in rows if names & set(row["people"])] or find(
        rows, said[0], "people", "name"
    )


def _found(world: World, params: Params, time: TimeValue | None) -> list[Row]:
    """The events at a time that a request points at, in the order in which they happen."""
    date, place = params.date(), params.text("place_name")
    rows = _called(world, world.rows(EVENTS), params.text("event_name"))
    rows = _with(world, rows, params.text("person"), params.text("relation"))
    if place is not None:
        wanted = canonical_place(place)
        # What has no place is where the user lives.
        home = wanted == canonical_place(world.home)
        rows = [
            row
            for row in rows
            if canonical_place(row["place"]) == wanted or (home and not row["place"])
        ]
    if time is not None:
        rows = [row for row in rows if time_fits(row["time"], time)]
    if date is not None:
        rows = [row for row in rows if happens(row, date)]
        first = date.start.isoformat() if date.start is not None else ""
        rows.sort(key=lambda row: (max(row["date"].removeprefix("every"), first), row["time"]))
    else:
        named = any(name in params for name in ("event_name", "person", "relation", "place_name"))
        rows = upcoming(rows, world.now) or (rows if named else [])
    return picked(rows, params.text("descriptor"), world.now)


def _query(world: World, params: Params) -> Reply:
    rows = (
        _found(world, params, time_asked(params))
        if params
        else upcoming(world.rows(EVENTS), world.now)
    )
    if not rows:
        return Reply("There is nothing like that in your calendar.", [])
    told = "; ".join(_told(world, row) for row in rows[:8])
    return Reply(f"Your calendar has {counted(len(rows), 'entry')}: {told}.", rows)


_REMOVING: Final = (
    # Of "this event" there is no telling which; of "my appointment" there may be several.
    Ask("Which event shall I remove?", ("event_name", "date"), when=Asked.MAYBE),
    Ask("Which of them shall I remove?", ("date", "time"), when=Asked.MAYBE),
)


def _remove(world: World, params: Params) -> Reply:
    descriptor, name = params.text("descriptor"), params.text("event_name")
    if descriptor is not None and _POINTING & set(descriptor.casefold().split()):
        narrow = {key for key in params.raw if key != "descriptor"}
        if not narrow:
            return _REMOVING[0].reply()
    everything = params.raw.keys() <= {"descriptor"} and (descriptor is None or is_all(descriptor))
    time = time_meant(params)
    rows = world.rows(EVENTS) if everything else _found(world, params, time)
    if not rows:
        raise Refusal.not_found("There is nothing like that in your calendar.")
    undated = params.date() is None and time is None
    if len(rows) > 1 and undated and name is not None and _singular(name) and descriptor is None:
        return Reply.ask(f"Which {name} shall I remove?", "date", "time")
    told = "; ".join(_told(world, row) for row in rows[:8])
    gone = take_out(world, EVENTS, rows, params.date())
    if all(world.get(EVENTS, row["id"]) is None for row in gone):
        return Reply(f"I have removed from your calendar: {told}.", gone)
    day = spoken_date(str(params.date()), world.now)
    return Reply(f"I have taken off your calendar {day}: {told}.", gone)


def _singular(name: str) -> bool:
    return not name.casefold().endswith("s") and not meanings(name) <= _GENERIC


DOMAIN = Domain(
    name="calendar",
    description="Events and reminders in the user's calendar.",
    fields=(
        Field("event_name", Kind.NAME, "what the event is", Match.THING, "dentist appointment"),
        Field("descriptor", Kind.TEXT, "which events, such as next or all"),
        Field("person", Kind.PERSON, "who takes part, by name", example="john"),
        Field("relation", Kind.PERSON, "who takes part, by relation", example="my boss"),
        Field("date", Kind.DATE, "day, days or recurrence"),
        Field("time", Kind.TIME, "when it starts, or part of the day"),
        Field("from_time", Kind.TIME, "when it starts"),
        Field("to_time", Kind.TIME, "when it ends"),
        Field("place_name", Kind.PLACE, "where it is", example="Boston"),
    ),
    intents=(
        Intent(
            "calendar_set", "Enter an event or a reminder.", _set, writes=True, asks=(_WHEN_IT_IS,)
        ),
        Intent("calendar_query", "Find events.", _query, writes=False),
        Intent("calendar_remove", "Remove events.", _remove, writes=True, asks=_REMOVING),
    ),
    tables=(
        Table(
            EVENTS,
            "event",
            {
                "name": Match.THING,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
                "people": Match.CASEFOLD,
                "place": Match.ALIAS,
                "skipped": Match.EXACT,
            },
        ),
    ),
    seed=_seed,
)
