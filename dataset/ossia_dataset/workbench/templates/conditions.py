"""Conditions: what the user wants to have checked, and whether it holds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from ossia_dataset.workbench.office import SHOWN, Office, Row, read_day, text
from ossia_dataset.workbench.templates.form import Condition, Values


def _engaged(row: Row) -> bool:
    return row["user_engaged"] == "True"


def more_visits(office: Office, values: Values) -> bool | None:
    """More visits on a day than a number."""
    return office.day_count(read_day(values["past_day"])) > int(values["count"])


def short_sessions(office: Office, values: Values) -> bool | None:
    """A mean session shorter than so many seconds; a day without visits has none."""
    rows = office.by_day.get(read_day(values["past_day"]), ())
    if not rows:
        return None
    total = sum(int(text(row, "session_duration_seconds")) for row in rows)
    return total < int(values["seconds"]) * len(rows)


def source_leads(office: Office, values: Values) -> bool | None:
    """More visits from one source than from another."""
    day = read_day(values["past_day"])
    sources = [row["traffic_source"] for row in office.by_day.get(day, ())]
    first, second = (sources.count(values[name]) for name in ("source", "source2"))
    return None if values["source"] == values["source2"] else first > second


def fewer_engaged(office: Office, values: Values) -> bool | None:
    """Fewer engaged users on one day than on another."""
    first, second = (
        office.day_count(read_day(values[name]), _engaged) for name in ("past_day", "past_day2")
    )
    return None if values["past_day"] == values["past_day2"] else first < second


def busy_day(office: Office, values: Values) -> bool | None:
    """A day between two with more visits than a number."""
    first, last = read_day(values["day_from"]), read_day(values["day_to"])
    days = [day for day in office.by_day if first <= day <= last]
    return any(office.day_count(day) > int(values["count"]) for day in days)


def visits_fell(office: Office, values: Values) -> bool | None:
    """Fewer visits on one day than on another."""
    first, second = (office.day_count(read_day(values[name])) for name in ("past_day", "past_day2"))
    return None if values["past_day"] == values["past_day2"] else first < second


def half_engaged(office: Office, values: Values) -> bool | None:
    """Fewer than half of a day's visits by engaged users; a day without visits has no share."""
    day = read_day(values["past_day"])
    visits = office.day_count(day)
    return None if not visits else 2 * office.day_count(day, _engaged) < visits


def not_met(office: Office, values: Values) -> bool | None:
    """No meeting with somebody from a day on until now; who was never met has no last meeting."""
    if not office.met_since(values["person"], date.min):
        return None
    return not office.met_since(values["person"], read_day(values["past_day"]))


def slot_free(office: Office, values: Values) -> bool | None:
    """No meeting that starts at a moment."""
    clock = values["time"]
    starts = {f"{office.start(event):%H:%M}" for event in office.on(read_day(values["work_day"]))}
    return clock not in starts


def not_written(office: Office, values: Values) -> bool | None:
    """The last letter of somebody is from before a day."""
    letters = office.received(values["person"])
    # Whoever looks for it finds the newest letters of both directions, and no more.
    if not letters or letters[0] not in office.exchanged(values["person"])[:SHOWN]:
        return None
    return text(letters[0], "sent_datetime")[:10] < read_day(values["past_day"]).isoformat()


def owes_tasks(office: Office, values: Values) -> bool | None:
    """Somebody is late with a task of a board."""
    return bool(office.overdue(values["assignee"], values["board"]))


def fewer_tasks(office: Office, values: Values) -> bool | None:
    """Somebody has fewer tasks in a list than somebody else."""
    if values["assignee"] == values["assignee2"]:
        return None
    first, second = (
        sum(
            row["assigned_to_email"] == office.people[values[name]]
            and row["list_name"] == values["list"]
            for row in office.tasks
        )
        for name in ("assignee", "assignee2")
    )
    return first < second


def stale_customer(office: Office, values: Values) -> bool | None:
    """The last contact with a customer was before a day."""
    row = office.customer(values["customer"])
    if row is None:
        return None
    return text(row, "last_contact_date") < read_day(values["past_day"]).isoformat()


def customer_is(office: Office, values: Values) -> bool | None:
    """A customer has a status."""
    row = office.customer(values["customer"])
    return None if row is None else row["status"] == values["status"]


CONDITIONS: Mapping[str, Condition] = {
    condition.__name__: condition
    for condition in (
        more_visits,
        short_sessions,
        source_leads,
        fewer_engaged,
        busy_day,
        visits_fell,
        half_engaged,
        not_met,
        slot_free,
        not_written,
        owes_tasks,
        fewer_tasks,
        stale_customer,
        customer_is,
    )
}
"""Every condition by its name in the file of sentences."""
