"""The calendar: meetings with one participant each."""

from __future__ import annotations

from ossia_servers.workbench.extras import Invented, extras_table
from ossia_servers.workbench.forms import ADDRESS, MINUTES, MOMENT, SEARCH, START, digits
from ossia_servers.workbench.patterns import read_pattern
from ossia_servers.workbench.records import Records, needs, within
from ossia_servers.workbench.texts import moment, read_moment
from ossia_servers.workbench.tool import Given, Parameter, Tool, Toolkit
from ossia_servers.worlds.schema import Match, Reply, Row, Table
from ossia_servers.worlds.world import World

EVENTS = Table(
    "calendar.events",
    "event",
    {
        "event_id": Match.IGNORABLE,
        "event_name": Match.LOWER,
        "participant_email": Match.LOWER,
        "event_start": Match.LOWER,
        "duration": Match.LOWER,
    },
)
EXTRAS = extras_table("calendar.extras")
SHOWN = 5
"""Most events of one search."""

RECORDS = Records(
    EVENTS,
    "event",
    "an event",
    Parameter("event_id", "8-digit id of the event", digits(8)),
    extras=EXTRAS,
)


def search(world: World, given: Given) -> Reply:
    """Events whose name or participant holds the pattern and whose start lies in the bounds."""
    wanted = read_pattern(given.get("query", ""), ignore_case=True)
    first, last = given.get("time_min"), given.get("time_max")
    after = moment(first, "time_min") if first else None
    before = moment(last, "time_max") if last else None

    def keep(row: Row) -> bool:
        named = wanted.found_in(row["event_name"]) or wanted.found_in(row["participant_email"])
        # An event whose start was overwritten with no time lies in no bounds.
        return named and within(read_moment(row["event_start"]), after, before)

    found = RECORDS.search(world, keep, SHOWN)
    if not found:
        return Reply("No events found.")
    return Reply(f"{len(found)} events found.", found)


def create(world: World, given: Given) -> Reply:
    """Add an event; only presence is checked, as published."""
    needs(
        given,
        {
            "event_name": "Event name",
            "participant_email": "Participant email",
            "event_start": "Event start",
            "duration": "Event duration",
        },
    )
    values = {parameter.name: given[parameter.name] for parameter in _NEW}
    values["participant_email"] = values["participant_email"].lower()
    event_id = RECORDS.add(world, values)
    return Reply(f"Event {event_id} created.", event_id)


def _stored(world: World, field: str, value: str) -> str:
    return value.lower() if field == "participant_email" else value


_NEW = (
    Parameter("event_name", "name of the event"),
    Parameter("participant_email", "address of the participant", ADDRESS),
    Parameter("event_start", "start, YYYY-MM-DD HH:MM:SS", START),
    Parameter("duration", "length in minutes", MINUTES),
)
SEARCH_EVENTS = Tool(
    "search_events",
    "Finds events by name or participant and start; tells the first 5.",
    (
        Parameter("query", "words of the event's name or participant's address", SEARCH),
        Parameter("time_min", "earliest start, YYYY-MM-DD HH:MM:SS", MOMENT),
        Parameter("time_max", "latest start, YYYY-MM-DD HH:MM:SS", MOMENT),
    ),
    search,
)
CREATE_EVENT = Tool(
    "create_event",
    "Creates an event and tells its id.",
    _NEW,
    create,
    writes=True,
    needed=tuple(parameter.name for parameter in _NEW),
)


def calendar_toolkit(invented: Invented) -> Toolkit:
    """Return the calendar.

    Args:
        invented: what an update does with a field that events do not have.
    """
    tools = (
        RECORDS.information(),
        SEARCH_EVENTS,
        CREATE_EVENT,
        RECORDS.delete(),
        RECORDS.update(_stored, invented),
    )
    return Toolkit("calendar", "Meetings with colleagues.", tools, (EVENTS, EXTRAS))
