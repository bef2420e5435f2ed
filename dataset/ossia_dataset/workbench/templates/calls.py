"""Requests to the office's tools, as truths are made of them."""

from __future__ import annotations

from datetime import date, datetime, time

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.office import Office, Row, read_day, text
from ossia_dataset.workbench.templates.form import Values

CALENDAR, EMAIL, ANALYTICS = "calendar", "email", "analytics"
PROJECTS, CUSTOMERS = "project_management", "customer_relationship_manager"

METRICS = {
    "total visits": "total_visits",
    "session durations": "session_duration_seconds",
    "engaged users": "user_engaged",
}
"""Values that can be plotted, by the words for them."""

PLOTS = {
    "bar chart": "bar",
    "line chart": "line",
    "scatter plot": "scatter",
    "histogram": "histogram",
}
"""Kinds of plots, by the words for them."""


def call(toolkit: str, tool: str, **arguments: str) -> Request:
    """Return a request to one tool."""
    return Request(domain=toolkit, params={"intent": tool, **arguments})


def plot(value: str, first: str, last: str, kind: str) -> Request:
    """Return the request for a plot; days and the kind as they are said."""
    return call(
        ANALYTICS,
        "create_plot",
        time_min=read_day(first).isoformat(),
        time_max=read_day(last).isoformat(),
        value_to_plot=value,
        plot_type=PLOTS[kind],
    )


def source_value(source: str) -> str:
    """Return the value to plot for a source of visits."""
    return "visits_" + source.replace(" ", "_")


def moment(day: str, clock: str) -> str:
    """Return a day as it is said, and a clock time, in the calendar's notation."""
    return datetime.combine(read_day(day), time.fromisoformat(clock)).isoformat(sep=" ")


def create_event(name: str, address: str, start: str, minutes: str) -> Request:
    """Return the request for a new meeting."""
    return call(
        CALENDAR,
        "create_event",
        event_name=name,
        participant_email=address,
        event_start=start,
        duration=minutes,
    )


def update_event(event: Row, field: str, value: str) -> Request:
    """Return the request for a change of a meeting."""
    event_id = text(event, "event_id")
    return call(CALENDAR, "update_event", event_id=event_id, field=field, new_value=value)


def delete_event(event: Row) -> Request:
    """Return the request that cancels a meeting."""
    return call(CALENDAR, "delete_event", event_id=text(event, "event_id"))


def send(address: str, values: Values) -> Request:
    """Return the request for a new letter with the drawn subject and text."""
    return call(
        EMAIL,
        "send_email",
        recipient=address,
        subject=values["subject_new"],
        body=values["body"],
    )


def create_task(values: Values, address: str) -> Request:
    """Return the request for the drawn new task."""
    return call(
        PROJECTS,
        "create_task",
        task_name=values["task_new"],
        assigned_to_email=address,
        list_name="Backlog",
        due_date=read_day(values["due_day"]).isoformat(),
        board=values["board"],
    )


def update_task(task: Row, field: str, value: str) -> Request:
    """Return the request for a change of a task."""
    task_id = text(task, "task_id")
    return call(PROJECTS, "update_task", task_id=task_id, field=field, new_value=value)


def update_customer(customer: Row, field: str, value: str) -> Request:
    """Return the request for a change of a customer."""
    customer_id = text(customer, "customer_id")
    return call(CUSTOMERS, "update_customer", customer_id=customer_id, field=field, new_value=value)


def is_free(office: Office, day: date, clock: str, minutes: str) -> bool:
    """Return whether no meeting overlaps a new one."""
    start = datetime.combine(day, time.fromisoformat(clock))
    for event in office.on(day):
        begin = office.start(event)
        lasts = (begin - start).total_seconds() / 60
        if -int(text(event, "duration")) < lasts < int(minutes):
            return False
    return True
