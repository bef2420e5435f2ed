"""Truths of the templates with sentences of their own: from the prompt's words to requests."""

from __future__ import annotations

from datetime import timedelta

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.office import Office, Row, read_day, text
from ossia_dataset.workbench.templates import acts, calls
from ossia_dataset.workbench.templates.calls import METRICS
from ossia_dataset.workbench.templates.form import Truth, Values

Found = tuple[Request, ...] | None


def of_act(act: acts.Act) -> Truth:
    """Return the truth of a template that asks for one act without a condition."""

    def truth(office: Office, values: Values) -> Found:
        return tuple(act(office, values)) or None

    return truth


def top_source(office: Office, values: Values) -> Found:
    """The plot of the strongest source; two equally strong ones make no task."""
    rows = office.between(read_day(values["day_from"]), read_day(values["day_to"]))
    counts: dict[str, int] = {}
    for row in rows:
        counts[text(row, "traffic_source")] = counts.get(text(row, "traffic_source"), 0) + 1
    best = sorted(counts, key=lambda name: -counts[name])[:2]
    if len(best) < 2 or counts[best[0]] == counts[best[1]]:
        return None
    value = calls.source_value(best[0])
    return (calls.plot(value, values["day_from"], values["day_to"], values["plot"]),)


def risers(office: Office, values: Values) -> Found:
    """A plot for each of two numbers that rose."""
    first, last = read_day(values["past_day"]), read_day(values["past_day2"])
    if last - first < timedelta(days=3):
        return None
    rose = []
    if office.day_count(last) > office.day_count(first):
        rose.append(METRICS["total visits"])
    engaged = [
        office.day_count(day, lambda row: row["user_engaged"] == "True") for day in (first, last)
    ]
    if engaged[1] > engaged[0]:
        rose.append(METRICS["engaged users"])
    return tuple(
        calls.plot(value, values["past_day"], values["past_day2"], values["plot"]) for value in rose
    )


def _next(office: Office, values: Values) -> Row | None:
    coming = office.coming(values["person"])
    return coming[0] if coming else None


def cancel_next(office: Office, values: Values) -> Found:
    """The next meeting with somebody is cancelled."""
    row = _next(office, values)
    return None if row is None else (calls.delete_event(row),)


def rename_next(office: Office, values: Values) -> Found:
    """The next meeting with somebody gets another name."""
    row = _next(office, values)
    if row is None:
        return None
    return (calls.update_event(row, "event_name", values["event_new"]),)


def move_first(office: Office, values: Values) -> Found:
    """The first meeting of a day starts at another time, when nothing else is on."""
    day = read_day(values["work_day"])
    rows = office.on(day)
    if not rows or not calls.is_free(office, day, values["time"], "60"):
        return None
    start = calls.moment(values["work_day"], values["time"])
    return (calls.update_event(rows[0], "event_start", start),)


def cancel_all(office: Office, values: Values) -> Found:
    """All coming meetings with somebody are cancelled."""
    return tuple(map(calls.delete_event, office.coming(values["person"]))) or None


def cancel_after(office: Office, values: Values) -> Found:
    """The meetings of a day from a time on are cancelled."""
    rows = office.on(read_day(values["work_day"]))
    return tuple(
        calls.delete_event(row) for row in rows if f"{office.start(row):%H:%M}" >= values["time"]
    )


def duration(office: Office, values: Values) -> Found:
    """The next meeting of a name gets another length."""
    found = (e for name in office.people for e in office.coming(name))
    rows = sorted((e for e in found if e["event_name"] == values["event"]), key=office.start)
    if not rows or rows[0]["duration"] == values["minutes"]:
        return None
    return (calls.update_event(rows[0], "duration", values["minutes"]),)


def hand_over(office: Office, values: Values) -> Found:
    """The next meeting with somebody is with somebody else."""
    row = _next(office, values)
    if row is None or values["person"] == values["other"]:
        return None
    return (calls.update_event(row, "participant_email", office.people[values["other"]]),)


def first_free(office: Office, values: Values) -> Found:
    """A meeting at the first free half hour."""
    start = office.first_free(read_day(values["work_day"]))
    if start is None:
        return None
    address = office.people[values["person"]]
    return (calls.create_event(values["event_new"], address, start.isoformat(sep=" "), "30"),)


def _delete(row: Row) -> Request:
    return calls.call(calls.EMAIL, "delete_email", email_id=text(row, "email_id"))


def _forward(row: Row, address: str) -> Request:
    email_id = text(row, "email_id")
    return calls.call(calls.EMAIL, "forward_email", email_id=email_id, recipient=address)


def delete_last(office: Office, values: Values) -> Found:
    """The newest letter of somebody goes."""
    return tuple(map(_delete, office.received(values["person"])[:1])) or None


def forward_last(office: Office, values: Values) -> Found:
    """The newest letter of somebody is passed on."""
    if values["person"] == values["other"]:
        return None
    address = office.people[values["other"]]
    return tuple(_forward(row, address) for row in office.received(values["person"])[:1]) or None


def reply_last(office: Office, values: Values) -> Found:
    """The newest letter of somebody is answered."""
    rows = office.received(values["person"])
    if not rows:
        return None
    email_id = text(rows[0], "email_id")
    return (calls.call(calls.EMAIL, "reply_email", email_id=email_id, body=values["body"]),)


def delete_subject(office: Office, values: Values) -> Found:
    """All letters of somebody under a subject go."""
    return tuple(map(_delete, office.received(values["person"], values["subject"]))) or None


def forward_subject(office: Office, values: Values) -> Found:
    """The newest letter of somebody under a subject is passed on."""
    rows = office.received(values["person"], values["subject"])
    if not rows or values["person"] == values["other"]:
        return None
    return (_forward(rows[0], office.people[values["other"]]),)


def _since(office: Office, values: Values) -> list[Row]:
    day = read_day(values["past_day"]).isoformat()
    return [row for row in office.received(values["person"]) if text(row, "sent_datetime") >= day]


def forward_since(office: Office, values: Values) -> Found:
    """All letters of somebody since a day are passed on."""
    if values["person"] == values["other"]:
        return None
    address = office.people[values["other"]]
    return tuple(_forward(row, address) for row in _since(office, values)) or None


def delete_since(office: Office, values: Values) -> Found:
    """All letters of somebody since a day go."""
    return tuple(map(_delete, _since(office, values))) or None


def assign(office: Office, values: Values) -> Found:
    """A task goes to somebody else."""
    row, address = office.task(values["task"]), office.people[values["assignee"]]
    if row is None or row["assigned_to_email"] == address:
        return None
    return (calls.update_task(row, "assigned_to_email", address),)


def delete_task(office: Office, values: Values) -> Found:
    """A task goes."""
    row = office.task(values["task"])
    if row is None:
        return None
    return (calls.call(calls.PROJECTS, "delete_task", task_id=text(row, "task_id")),)


def hand_overdue(office: Office, values: Values) -> Found:
    """Late tasks go to somebody else, if there are any."""
    if values["assignee"] == values["assignee2"]:
        return None
    return tuple(acts.hand_overdue(office, values))


def postpone(office: Office, values: Values) -> Found:
    """Late tasks of the Backlog are due on another day, if there are any."""
    day = read_day(values["due_day"]).isoformat()
    rows = office.overdue(values["assignee"], values["board"], "Backlog")
    return tuple(calls.update_task(row, "due_date", day) for row in rows)


def add_customer(office: Office, values: Values) -> Found:
    """A new customer."""
    if office.customer(values["customer_new"]) is not None:
        return None
    return (
        calls.call(
            calls.CUSTOMERS,
            "add_customer",
            customer_name=values["customer_new"],
            assigned_to_email=office.people[values["carer"]],
            status=values["status"],
        ),
    )


def _delete_customer(row: Row) -> Request:
    customer_id = text(row, "customer_id")
    return calls.call(calls.CUSTOMERS, "delete_customer", customer_id=customer_id)


def delete_customer(office: Office, values: Values) -> Found:
    """A customer goes."""
    row = office.customer(values["customer"])
    return None if row is None else (_delete_customer(row),)


def reassign(office: Office, values: Values) -> Found:
    """Customers of somebody, by status and product, go to somebody else."""
    if values["carer"] == values["carer2"]:
        return None
    address = office.people[values["carer2"]]
    rows = office.customers_of(
        values["carer"], status=values["status"], product_interest=values["product"]
    )
    return tuple(calls.update_customer(r, "assigned_to_email", address) for r in rows) or None


def delete_all(office: Office, values: Values) -> Found:
    """Customers of somebody, by status, go."""
    rows = office.customers_of(values["carer"], status=values["status"])
    return tuple(map(_delete_customer, rows)) or None


def cancel_write(office: Office, values: Values) -> Found:
    """The next meeting with somebody is cancelled, by letter."""
    found = cancel_next(office, values)
    if found is None:
        return None
    return (*found, calls.send(office.people[values["person"]], values))


def day_letters(office: Office, values: Values) -> Found:
    """One letter to each participant of a day's meetings."""
    rows = office.on(read_day(values["work_day"]))
    addresses = dict.fromkeys(text(row, "participant_email") for row in rows)
    return tuple(calls.send(address, values) for address in addresses) or None


def meet_sender(office: Office, values: Values) -> Found:
    """A meeting with whoever wrote last about something."""
    rows = [row for name in office.people for row in office.received(name, values["subject"])]
    day = read_day(values["work_day"])
    if not rows or not calls.is_free(office, day, values["time"], values["minutes"]):
        return None
    newest = max(rows, key=lambda row: text(row, "sent_datetime"))
    start = calls.moment(values["work_day"], values["time"])
    address = text(newest, "sender/recipient")
    return (calls.create_event(values["event_new"], address, start, values["minutes"]),)


def hand_customers(office: Office, values: Values) -> Found:
    """Customers go to somebody else, who is told by letter."""
    found = reassign(office, values)
    if found is None:
        return None
    return (*found, calls.send(office.people[values["carer2"]], values))


def cancel_task(office: Office, values: Values) -> Found:
    """A task in the place of the next meeting with somebody."""
    found = cancel_next(office, values)
    if found is None:
        return None
    return (*found, calls.create_task(values, office.people[values["assignee"]]))
