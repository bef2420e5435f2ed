"""The published evaluator's semantics in plain Python, to hold the replay against.

Each action is evaluated by Python among the tools, and skipped where it raises. Tables are lists of
rows. Nothing here comes from the code that is tested, so that one mistake cannot be in both.

Simplifications, each of which both sides make, so that agreement proves nothing about them:

* New ids and the order of rows play no part in the comparison.
* The two bugs of the mailbox that no recorded verdict rests on are left out.
* Tools that only read take any argument and never raise. The published ones raise on a pattern or a
  date that cannot be read, which ends the text that they stand in, and with it a later call there.
* Names of Python's own (`print`, `len`) are unknown, while the published evaluator has them.
* Cells are texts. The published tables are frames of strings; a value of another type that a call
  passes is stored there as it is.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

CASE_COUNTS = ("status", "list_name", "board")
STATUSES = ("Qualified", "Won", "Lost", "Lead", "Proposal")
PRODUCTS = ("Software", "Hardware", "Services", "Consulting", "Training")
LISTS = ("Backlog", "In Progress", "In Review", "Completed")
BOARDS = ("Back end", "Front end", "Design")
VALUES = (
    *("total_visits", "session_duration_seconds", "user_engaged", "visits_direct"),
    *("visits_referral", "visits_search_engine", "visits_social_media"),
)
KINDS = ("bar", "line", "scatter", "histogram")
ID = {"event": "event_id", "email": "email_id", "task": "task_id", "customer": "customer_id"}

# Parameters in their order; those of tools that change nothing stand apart.
WRITES = {
    "calendar.create_event": "event_name participant_email event_start duration",
    "calendar.delete_event": "event_id",
    "calendar.update_event": "event_id field new_value",
    "email.send_email": "recipient subject body",
    "email.delete_email": "email_id",
    "email.forward_email": "email_id recipient",
    "email.reply_email": "email_id body",
    "analytics.create_plot": "time_min time_max value_to_plot plot_type",
    "project_management.create_task": "task_name assigned_to_email list_name due_date board",
    "project_management.delete_task": "task_id",
    "project_management.update_task": "task_id field new_value",
    "customer_relationship_manager.update_customer": "customer_id field new_value",
    "customer_relationship_manager.add_customer": "customer_name assigned_to_email status"
    " customer_email customer_phone last_contact_date product_interest notes follow_up_by",
    "customer_relationship_manager.delete_customer": "customer_id",
}
READS = {
    "calendar.get_event_information_by_id": "event_id field",
    "calendar.search_events": "query time_min time_max",
    "email.get_email_information_by_id": "email_id field",
    "email.search_emails": "query date_min date_max",
    "analytics.get_visitor_information_by_id": "visitor_id",
    "analytics.total_visits_count": "time_min time_max",
    "analytics.engaged_users_count": "time_min time_max",
    "analytics.traffic_source_count": "time_min time_max traffic_source",
    "analytics.get_average_session_duration": "time_min time_max",
    "project_management.get_task_information_by_id": "task_id field",
    "project_management.search_tasks": "task_name assigned_to_email list_name due_date board",
    "customer_relationship_manager.search_customers": "customer_name customer_email"
    " product_interest status assigned_to_email last_contact_date_min last_contact_date_max"
    " follow_up_by_min follow_up_by_max",
    "company_directory.find_email_address": "name",
}

Rows = list[dict[str, Any]]


class Office:
    """One run's tables, changed by the tools."""

    def __init__(self, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self.event: Rows = [dict(row) for row in tables["calendar.events"]]
        self.email: Rows = [dict(row) for row in tables["email.emails"]]
        self.task: Rows = [dict(row) for row in tables["project_management.tasks"]]
        self.customer: Rows = [
            dict(row) for row in tables["customer_relationship_manager.customers"]
        ]
        self.plot: Rows = []
        self.invented: set[tuple[str, str]] = set()

    def run(self, actions: Sequence[str]) -> None:
        for text in actions:
            try:
                # Line breaks are escaped first, so that they may stand inside a text.
                eval(text.replace("\n", "\\n"), {"__builtins__": {}}, self.tools())
            except Exception:  # noqa: BLE001
                continue

    def rows(self, *, lower: bool) -> Counter[Any]:
        """All rows, the ids of new ones left out."""
        found: Counter[Any] = Counter(self.invented)
        for kind in (*ID, "plot"):
            for row in getattr(self, kind):
                told = {k: v for k, v in row.items() if not (row.get("new") and k == ID.get(kind))}
                if lower:
                    told = {
                        k: v.lower() if isinstance(v, str) and k not in CASE_COUNTS else v
                        for k, v in told.items()
                    }
                found[kind, tuple(sorted(told.items(), key=str))] += 1
        return found

    def tools(self) -> dict[str, SimpleNamespace]:
        kits: dict[str, SimpleNamespace] = {}
        for name, parameters in {**WRITES, **READS}.items():
            kit, _, tool = name.partition(".")
            does = getattr(self, f"_{tool}") if name in WRITES else lambda **_: None
            function = SimpleNamespace(func=self._function(parameters.split(), does))
            setattr(kits.setdefault(kit, SimpleNamespace()), tool, function)
        return kits

    def _function(self, names: Sequence[str], does: Callable[..., None]) -> Callable[..., Any]:
        scope: dict[str, Any] = {"does": does}
        told = ", ".join(f"{name}=None" for name in names)
        exec(f"def func({told}):\n    does(**locals())\n    return 'answer'", scope)
        func: Callable[..., Any] = scope["func"]
        return func

    def _add(self, kind: str, **values: Any) -> None:
        rows: Rows = getattr(self, kind)
        number = max(int(row[ID[kind]]) for row in rows) + 1
        rows.append({ID[kind]: str(number).zfill(1 if kind == "email" else 8), **values, "new": 1})

    def _found(self, kind: str, record_id: str) -> Rows:
        return [row for row in getattr(self, kind) if row[ID[kind]] == record_id]

    def _remove(self, kind: str, record_id: str) -> None:
        if record_id:
            rows: Rows = getattr(self, kind)
            setattr(self, kind, [row for row in rows if row[ID[kind]] != record_id])

    def _change(self, kind: str, record_id: str, field: str, value: str) -> None:
        if not record_id or not field or not value:
            return
        if field in ("participant_email", "assigned_to_email", "customer_email"):
            value = value.lower()
        for row in self._found(kind, record_id):
            if field not in row:
                # The frame grows a column, which stays when the row is deleted.
                self.invented.add((kind, field))
            row[field] = value

    def _create_event(
        self, event_name: str, participant_email: str, event_start: str, duration: str
    ) -> None:
        if event_name and participant_email and event_start and duration:
            self._add(
                "event",
                event_name=event_name,
                participant_email=participant_email.lower(),
                event_start=event_start,
                duration=duration,
            )

    def _delete_event(self, event_id: str) -> None:
        self._remove("event", event_id)

    def _update_event(self, event_id: str, field: str, new_value: str) -> None:
        self._change("event", event_id, field, new_value)

    def _send_email(self, recipient: str, subject: str, body: str) -> None:
        if recipient and subject and body and "@" in recipient and "." in recipient:
            words = {"sender/recipient": recipient, "subject": subject, "body": body}
            sent = {"inbox/outbox": "outbox", "sent_datetime": "2023-11-30 00:00:00"}
            self._add("email", **words, **sent)

    def _delete_email(self, email_id: str) -> None:
        self._remove("email", email_id)

    def _forward_email(self, email_id: str, recipient: str) -> None:
        for row in self._found("email", email_id) if recipient else ():
            self._send_email(recipient, f"FW: {row['subject']}", row["body"])

    def _reply_email(self, email_id: str, body: str) -> None:
        for row in self._found("email", email_id):
            self._send_email(row["sender/recipient"], row["subject"], body)

    def _create_plot(
        self, time_min: str, time_max: str, value_to_plot: str, plot_type: str
    ) -> None:
        if time_min and time_max and value_to_plot in VALUES and plot_type in KINDS:
            path = f"plots/{time_min}_{time_max}_{value_to_plot}_{plot_type}.png"
            self.plot.append({"file_path": path})

    def _team(self) -> set[str]:
        return {str(row["assigned_to_email"]).lower() for row in self.task}

    def _create_task(self, **given: str) -> None:
        if all(given.values()) and given["assigned_to_email"].lower() in self._team():
            given["assigned_to_email"] = given["assigned_to_email"].lower()
            if given["list_name"] in LISTS and given["board"] in BOARDS:
                self._add("task", **given)

    def _delete_task(self, task_id: str) -> None:
        self._remove("task", task_id)

    def _update_task(self, task_id: str, field: str, new_value: str) -> None:
        allowed = {"list_name": LISTS, "board": BOARDS}
        if field == "assigned_to_email" and new_value and new_value.lower() not in self._team():
            return
        if field not in allowed or new_value in allowed[field]:
            self._change("task", task_id, field, new_value)

    def _update_customer(self, customer_id: str, field: str, new_value: str) -> None:
        allowed = {"status": STATUSES, "product_interest": PRODUCTS}
        if field not in allowed or new_value in allowed[field]:
            self._change("customer", customer_id, field, new_value)

    def _add_customer(self, **given: str | None) -> None:
        if given["customer_name"] and given["assigned_to_email"] and given["status"]:
            given["notes"] = given["notes"] or ""
            for name in ("assigned_to_email", "customer_email"):
                given[name] = (given[name] or "").lower() or given[name]
            self._add("customer", **given)

    def _delete_customer(self, customer_id: str) -> None:
        self._remove("customer", customer_id)


def verdicts(
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    predicted: Sequence[str],
    truth: Sequence[str],
    error: str,
) -> tuple[bool, bool]:
    """Whether a run is correct, and whether it has side effects."""
    start, ours, gold = Office(tables), Office(tables), Office(tables)
    ours.run(predicted)
    gold.run(truth)
    same = ours.rows(lower=True) == gold.rows(lower=True)
    changed = ours.rows(lower=False) != start.rows(lower=False)
    return same and not error, changed and not same
