"""The calendar: meetings with one participant each."""

from __future__ import annotations

from ossia_servers.domain import Match, Refusal, Reply, Table
from ossia_servers.workbench.extras import Invented, extras_table
from ossia_servers.workbench.forms import ADDRESS, MINUTES, MOMENT, SEARCH, START, digits, one_of
from ossia_servers.workbench.texts import holds, moment, pattern, read_moment
from ossia_servers.workbench.tool import (
    Given,
    Parameter,
    Tool,
    Toolkit,
    bad,
    find,
    next_id,
    visible,
)
from ossia_servers.worlds.state import World

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

_ID = Parameter("event_id", "8-digit id of the event", digits(8))


def information(world: World, given: Given) -> Reply:
    """One field of one event."""
    event_id, field = given.get("event_id"), given.get("field")
    if not event_id:
        raise bad("Event ID not provided.")
    if not field:
        raise bad("Field not provided.")
    row = find(world, EVENTS.name, "event_id", event_id)
    if row is None:
        raise Refusal.not_found("Event not found.")
    if field not in visible(row):
        raise Refusal.not_found("Field not found.")
    return Reply(f"{field}: {row[field]}", {field: row[field]})


def search(world: World, given: Given) -> Reply:
    """Events whose name or participant holds the pattern and whose start lies in the bounds."""
    wanted = pattern(given.get("query", ""))
    first, last = given.get("time_min"), given.get("time_max")
    after = moment(first, "time_min") if first else None
    before = moment(last, "time_max") if last else None
    found = []
    for row in world.rows(EVENTS.name):
        if not (holds(wanted, row["event_name"]) or holds(wanted, row["participant_email"])):
            continue
        start = read_moment(row["event_start"])
        # An event whose start was overwritten with no time lies in no bounds.
        if (after and (start is None or start < after)) or (
            before and (start is None or start > before)
        ):
            continue
        found.append(visible(row))
        if len(found) == SHOWN:
            break
    if not found:
        return Reply("No events found.")
    return Reply(f"{len(found)} events found.", found)


def create(world: World, given: Given) -> Reply:
    """Add an event; only presence is checked, as published."""
    asked = {
        "event_name": "Event name",
        "participant_email": "Participant email",
        "event_start": "Event start",
        "duration": "Event duration",
    }
    for name, said in asked.items():
        if not given.get(name):
            raise bad(f"{said} not provided.")
    event_id = next_id(world, EVENTS.name, "event_id", 8)
    world.add(
        EVENTS.name,
        event_id=event_id,
        event_name=given["event_name"],
        participant_email=given["participant_email"].lower(),
        event_start=given["event_start"],
        duration=given["duration"],
    )
    return Reply(f"Event {event_id} created.", event_id)


def delete(world: World, given: Given) -> Reply:
    """Remove an event."""
    event_id = given.get("event_id")
    if not event_id:
        raise bad("Event ID not provided.")
    row = find(world, EVENTS.name, "event_id", event_id)
    if row is None:
        raise Refusal.not_found("Event not found.")
    world.remove(EVENTS.name, row["id"])
    return Reply("Event deleted successfully.")


def calendar_toolkit(invented: Invented) -> Toolkit:
    """Return the calendar.

    Args:
        invented: what an update does with a field that events do not have.
    """

    def update(world: World, given: Given) -> Reply:
        event_id, field, value = (given.get(n) for n in ("event_id", "field", "new_value"))
        if not event_id or not field or not value:
            raise bad("Event ID, field, or new value not provided.")
        row = find(world, EVENTS.name, "event_id", event_id)
        if row is None:
            raise Refusal.not_found("Event not found.")
        if field == "participant_email":
            value = value.lower()
        if field in visible(row):
            world.change(EVENTS.name, row["id"], **{field: value})
        else:
            invented(world, row, field, value)
        return Reply("Event updated successfully.")

    field = Parameter(
        "field",
        "event_id, event_name, participant_email, event_start or duration",
        one_of(tuple(EVENTS.columns)),
    )
    tools = (
        Tool(
            "get_event_information_by_id",
            "Tells one field of an event.",
            (_ID, field),
            information,
            needed=("event_id", "field"),
        ),
        Tool(
            "search_events",
            "Finds events by name or participant and start; tells the first 5.",
            (
                Parameter("query", "words of the event's name or participant's address", SEARCH),
                Parameter("time_min", "earliest start, YYYY-MM-DD HH:MM:SS", MOMENT),
                Parameter("time_max", "latest start, YYYY-MM-DD HH:MM:SS", MOMENT),
            ),
            search,
        ),
        Tool(
            "create_event",
            "Creates an event and tells its id.",
            (
                Parameter("event_name", "name of the event"),
                Parameter("participant_email", "address of the participant", ADDRESS),
                Parameter("event_start", "start, YYYY-MM-DD HH:MM:SS", START),
                Parameter("duration", "length in minutes", MINUTES),
            ),
            create,
            writes=True,
            needed=("event_name", "participant_email", "event_start", "duration"),
        ),
        Tool(
            "delete_event", "Deletes an event.", (_ID,), delete, writes=True, needed=("event_id",)
        ),
        Tool(
            "update_event",
            "Changes one field of an event.",
            (_ID, field, Parameter("new_value", "the field's new value")),
            update,
            writes=True,
            needed=("event_id", "field", "new_value"),
        ),
    )
    return Toolkit("calendar", "Meetings with colleagues.", tools, (EVENTS, EXTRAS))
