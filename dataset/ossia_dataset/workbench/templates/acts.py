"""Acts: what is to be done under a condition. An empty list means that the words make no sense."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.office import Office, read_day, text
from ossia_dataset.workbench.templates import calls
from ossia_dataset.workbench.templates.form import Values

Act = Callable[[Office, Values], list[Request]]


def plot(office: Office, values: Values) -> list[Request]:
    """A plot over several days."""
    metric = calls.METRICS[values["metric"]]
    return [calls.plot(metric, values["day_from"], values["day_to"], values["plot"])]


def plot_day(office: Office, values: Values) -> list[Request]:
    """A plot of one day."""
    day, metric = values["past_day"], calls.METRICS[values["metric"]]
    return [calls.plot(metric, day, day, values["plot"])]


def plot_source(office: Office, values: Values) -> list[Request]:
    """A plot of the visits from one source."""
    value = calls.source_value(values["source"])
    return [calls.plot(value, values["day_from"], values["day_to"], values["plot"])]


def plot_two(office: Office, values: Values) -> list[Request]:
    """Two plots over the same days."""
    names = (values["metric"], values["metric2"])
    if names[0] == names[1]:
        return []
    return [
        calls.plot(calls.METRICS[name], values["day_from"], values["day_to"], values["plot"])
        for name in names
    ]


def task(office: Office, values: Values) -> list[Request]:
    """A new task."""
    return [calls.create_task(values, office.people[values["assignee"]])]


def task_other(office: Office, values: Values) -> list[Request]:
    """A new task for the second one named."""
    return [calls.create_task(values, office.people[values["assignee2"]])]


def _event(office: Office, values: Values, address: str) -> list[Request]:
    day = read_day(values["work_day"])
    if not calls.is_free(office, day, values["time"], values["minutes"]):
        return []
    start = calls.moment(values["work_day"], values["time"])
    return [calls.create_event(values["event_new"], address, start, values["minutes"])]


def event(office: Office, values: Values) -> list[Request]:
    """A new meeting."""
    return _event(office, values, office.people[values["person"]])


def event_assignee(office: Office, values: Values) -> list[Request]:
    """A new meeting with the one who has tasks."""
    return _event(office, values, office.people[values["assignee"]])


def event_carer(office: Office, values: Values) -> list[Request]:
    """A new meeting with the one who cares for a customer."""
    customer = office.customer(values["customer"])
    return [] if customer is None else _event(office, values, text(customer, "assigned_to_email"))


def letter(office: Office, values: Values) -> list[Request]:
    """A new letter."""
    return [calls.send(office.people[values["person"]], values)]


def letter_assignee(office: Office, values: Values) -> list[Request]:
    """A new letter to the one who has tasks."""
    return [calls.send(office.people[values["assignee"]], values)]


def letter_carer(office: Office, values: Values) -> list[Request]:
    """A new letter to the one who cares for a customer."""
    customer = office.customer(values["customer"])
    return [] if customer is None else [calls.send(text(customer, "assigned_to_email"), values)]


def status(office: Office, values: Values) -> list[Request]:
    """Another status of a customer."""
    customer = office.customer(values["customer"])
    if customer is None or customer["status"] == values["status_new"]:
        return []
    return [calls.update_customer(customer, "status", values["status_new"])]


def follow_up(office: Office, values: Values) -> list[Request]:
    """Another day by which to follow up."""
    customer, day = office.customer(values["customer"]), read_day(values["due_day"]).isoformat()
    if customer is None or customer["follow_up_by"] == day:
        return []
    return [calls.update_customer(customer, "follow_up_by", day)]


def hand_overdue(office: Office, values: Values) -> list[Request]:
    """Late tasks for somebody else; where there are none, the condition alone decides."""
    if values["assignee"] == values["assignee2"]:
        return []
    address = office.people[values["assignee2"]]
    return [
        calls.update_task(row, "assigned_to_email", address)
        for row in office.overdue(values["assignee"], values["board"])
    ]


def move_task(office: Office, values: Values) -> list[Request]:
    """Another list for a task."""
    row = office.task(values["task"])
    if row is None or row["list_name"] == values["list_new"]:
        return []
    return [calls.update_task(row, "list_name", values["list_new"])]


ACTS: Mapping[str, Act] = {
    act.__name__: act
    for act in (
        plot,
        plot_day,
        plot_source,
        plot_two,
        task,
        task_other,
        event,
        event_assignee,
        event_carer,
        letter,
        letter_assignee,
        letter_carer,
        status,
        follow_up,
        hand_overdue,
        move_task,
    )
}
"""Every act by its name in the file of sentences."""
