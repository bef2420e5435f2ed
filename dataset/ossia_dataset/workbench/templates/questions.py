"""Questions: which look-up finds the answer, and the facts that it has to tell."""

from __future__ import annotations

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.office import Office, Row, read_day, text
from ossia_dataset.workbench.templates import calls
from ossia_dataset.workbench.templates.form import Values

Found = tuple[Request, ...] | None
Facts = tuple[str, ...]


def _first_name(address: str) -> str:
    """What tells a person, in an answer with the name and in one with the address."""
    return address.partition(".")[0].title()


def next_meeting(office: Office, values: Values) -> Found:
    """The coming meetings with somebody."""
    if not office.coming(values["person"]):
        return None
    found = calls.call(
        calls.CALENDAR,
        "search_events",
        query=office.people[values["person"]],
        time_min=NOW.isoformat(sep=" "),
    )
    return (found,)


def next_meeting_facts(office: Office, values: Values) -> Facts:
    """Day and time of the next one."""
    start = office.start(office.coming(values["person"])[0])
    return start.date().isoformat(), f"{start:%H:%M}"


def visits(office: Office, values: Values) -> Found:
    """The visits of a day; none, or as many as the day's number, could be told by chance."""
    day = read_day(values["past_day"])
    if office.day_count(day) in (0, day.day):
        return None
    bounds = {"time_min": day.isoformat(), "time_max": day.isoformat()}
    return (calls.call(calls.ANALYTICS, "total_visits_count", **bounds),)


def visits_facts(office: Office, values: Values) -> Facts:
    """Their number."""
    return (str(office.day_count(read_day(values["past_day"]))),)


def customer(office: Office, values: Values) -> Found:
    """A customer."""
    if office.customer(values["customer"]) is None:
        return None
    return (calls.call(calls.CUSTOMERS, "search_customers", customer_name=values["customer"]),)


def _customer(office: Office, values: Values) -> Row:
    row = office.customer(values["customer"])
    if row is None:
        raise ValueError(f"no customer is called {values['customer']}")
    return row


def carer_facts(office: Office, values: Values) -> Facts:
    """Who cares for the customer."""
    return (_first_name(text(_customer(office, values), "assigned_to_email")),)


def status_facts(office: Office, values: Values) -> Facts:
    """The customer's status and product."""
    row = _customer(office, values)
    return text(row, "status"), text(row, "product_interest")


def task(office: Office, values: Values) -> Found:
    """A task."""
    if office.task(values["task"]) is None:
        return None
    return (calls.call(calls.PROJECTS, "search_tasks", task_name=values["task"]),)


def task_facts(office: Office, values: Values) -> Facts:
    """Who does it and until when."""
    row = office.task(values["task"])
    if row is None:
        raise ValueError(f"no task is called {values['task']}")
    return _first_name(text(row, "assigned_to_email")), text(row, "due_date")


def last_letter(office: Office, values: Values) -> Found:
    """The letters of somebody."""
    if not office.received(values["person"]):
        return None
    address = office.people[values["person"]]
    return (calls.call(calls.EMAIL, "search_emails", query=address),)


def last_letter_facts(office: Office, values: Values) -> Facts:
    """The subject of the newest."""
    return (text(office.received(values["person"])[0], "subject"),)


def _open_tasks(office: Office, values: Values) -> int:
    return sum(
        row["assigned_to_email"] == office.people[values["assignee"]]
        and row["list_name"] == values["list"]
        and row["board"] == values["board"]
        for row in office.tasks
    )


def open_tasks(office: Office, values: Values) -> Found:
    """Somebody's tasks in a list of a board; none or one is too easily guessed."""
    if _open_tasks(office, values) < 2:
        return None
    return (
        calls.call(
            calls.PROJECTS,
            "search_tasks",
            assigned_to_email=office.people[values["assignee"]],
            list_name=values["list"],
            board=values["board"],
        ),
    )


def open_tasks_facts(office: Office, values: Values) -> Facts:
    """Their number."""
    return (str(_open_tasks(office, values)),)


def _two_numbers(office: Office, values: Values) -> tuple[int, int]:
    day = read_day(values["past_day"])
    return (
        office.day_count(day, lambda row: row["user_engaged"] == "True"),
        office.day_count(day, lambda row: row["traffic_source"] == values["source"]),
    )


def engaged(office: Office, values: Values) -> Found:
    """Engaged users and visits from a source; equal numbers could be told as one."""
    first, second = _two_numbers(office, values)
    date = read_day(values["past_day"])
    if not first or not second or len({first, second, date.day}) < 3:
        return None
    day = date.isoformat()
    bounds = {"time_min": day, "time_max": day}
    return (
        calls.call(calls.ANALYTICS, "engaged_users_count", **bounds),
        calls.call(
            calls.ANALYTICS, "traffic_source_count", **bounds, traffic_source=values["source"]
        ),
    )


def engaged_facts(office: Office, values: Values) -> Facts:
    """Both numbers."""
    return tuple(map(str, _two_numbers(office, values)))
