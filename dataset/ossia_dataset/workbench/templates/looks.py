"""Looks: the questions that tell whether a condition holds."""

from __future__ import annotations

from collections.abc import Mapping

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.office import Office, read_day
from ossia_dataset.workbench.templates import calls
from ossia_dataset.workbench.templates.form import Looks, Values

Found = tuple[Request, ...]

_VISITS, _ENGAGED = "total_visits_count", "engaged_users_count"


def _measured(tool: str, first: str, last: str | None = None, **arguments: str) -> Request:
    """Ask the analytics for a number by day, from a day to another, or of one day; as said."""
    bounds = {
        "time_min": read_day(first).isoformat(),
        "time_max": read_day(last or first).isoformat(),
    }
    return calls.call(calls.ANALYTICS, tool, **bounds, **arguments)


def more_visits(office: Office, values: Values) -> Found:
    """The visits of the day."""
    return (_measured(_VISITS, values["past_day"]),)


def short_sessions(office: Office, values: Values) -> Found:
    """The mean session of the day."""
    return (_measured("get_average_session_duration", values["past_day"]),)


def source_leads(office: Office, values: Values) -> Found:
    """The visits of the day from each of two sources."""
    return tuple(
        _measured("traffic_source_count", values["past_day"], traffic_source=values[name])
        for name in ("source", "source2")
    )


def fewer_engaged(office: Office, values: Values) -> Found:
    """The engaged users of both days."""
    return tuple(_measured(_ENGAGED, values[name]) for name in ("past_day", "past_day2"))


def busy_day(office: Office, values: Values) -> Found:
    """The visits of each day between two."""
    return (_measured(_VISITS, values["day_from"], values["day_to"]),)


def visits_fell(office: Office, values: Values) -> Found:
    """The visits of both days."""
    return tuple(_measured(_VISITS, values[name]) for name in ("past_day", "past_day2"))


def half_engaged(office: Office, values: Values) -> Found:
    """The engaged users of the day, and all of its visits."""
    return tuple(_measured(tool, values["past_day"]) for tool in (_ENGAGED, _VISITS))


def risers(office: Office, values: Values) -> Found:
    """Visits and engaged users, each of both days."""
    return (*visits_fell(office, values), *fewer_engaged(office, values))


def not_met(office: Office, values: Values) -> Found:
    """The meetings with somebody from the day on until now."""
    return (
        calls.call(
            calls.CALENDAR,
            "search_events",
            query=office.people[values["person"]],
            time_min=calls.moment(values["past_day"], "00:00"),
            time_max=NOW.isoformat(sep=" "),
        ),
    )


def _starting(day: str, first: str, last: str) -> Request:
    return calls.call(
        calls.CALENDAR,
        "search_events",
        time_min=calls.moment(day, first),
        time_max=calls.moment(day, last),
    )


def slot_free(office: Office, values: Values) -> Found:
    """The meeting that starts at the moment."""
    return (_starting(values["work_day"], values["time"], values["time"]),)


def not_written(office: Office, values: Values) -> Found:
    """The newest letters from and to somebody."""
    address = office.people[values["person"]]
    return (calls.call(calls.EMAIL, "search_emails", query=address),)


def _tasks(office: Office, assignee: str, **columns: str) -> Request:
    address = office.people[assignee]
    return calls.call(calls.PROJECTS, "search_tasks", assigned_to_email=address, **columns)


def owes_tasks(office: Office, values: Values) -> Found:
    """Somebody's tasks of the board."""
    return (_tasks(office, values["assignee"], board=values["board"]),)


def fewer_tasks(office: Office, values: Values) -> Found:
    """The tasks that each of two has in the list."""
    return tuple(
        _tasks(office, values[name], list_name=values["list"]) for name in ("assignee", "assignee2")
    )


def customer(office: Office, values: Values) -> Found:
    """The customer."""
    return (calls.call(calls.CUSTOMERS, "search_customers", customer_name=values["customer"]),)


LOOKS: Mapping[str, Looks] = {
    "more_visits": more_visits,
    "short_sessions": short_sessions,
    "source_leads": source_leads,
    "fewer_engaged": fewer_engaged,
    "busy_day": busy_day,
    "visits_fell": visits_fell,
    "half_engaged": half_engaged,
    "not_met": not_met,
    "slot_free": slot_free,
    "not_written": not_written,
    "owes_tasks": owes_tasks,
    "fewer_tasks": fewer_tasks,
    "stale_customer": customer,
    "customer_is": customer,
}
"""The looks of every condition, by its name in the file of sentences."""
