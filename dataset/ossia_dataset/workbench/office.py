"""A database read as an office: people, days and the questions that truths rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from functools import cached_property

from ossia_dataset.workbench.database import NOW, Cell, Database

Row = Mapping[str, Cell]

_MONTHS = {"September": 9, "October": 10, "November": 11, "December": 12}
_MEETING_HOURS = range(9, 18)

SHOWN = 5
"""Most letters, or meetings, that one search tells."""


def say_day(day: date) -> str:
    """Return a day of the last months of the year as it is said, such as `November 21`."""
    return f"{day:%B} {day.day}"


def read_day(said: str) -> date:
    """Return the day that `say_day` has said.

    Raises:
        ValueError: the words are no day.
    """
    month, _, number = said.partition(" ")
    if month not in _MONTHS:
        raise ValueError(f"no day: {said!r}")
    return date(NOW.year, _MONTHS[month], int(number))


def text(row: Row, column: str) -> str:
    """Return a cell as a text; empty for no value."""
    return row[column] or ""


class Office:
    """Answers questions about one database by looking at its rows, without any tool."""

    def __init__(self, database: Database) -> None:
        self.events = database.tables["calendar.events"]
        self.emails = database.tables["email.emails"]
        self.visits = database.tables["analytics.visits"]
        self.tasks = database.tables["project_management.tasks"]
        self.customers = database.tables["customer_relationship_manager.customers"]
        self.people = {
            text(row, "email_address").partition(".")[0].title(): text(row, "email_address")
            for row in database.tables["company_directory.people"]
        }

    @cached_property
    def assignees(self) -> tuple[str, ...]:
        """First names of those who have tasks."""
        return self._first_names(text(row, "assigned_to_email") for row in self.tasks)

    @cached_property
    def carers(self) -> tuple[str, ...]:
        """First names of those who care for customers."""
        return self._first_names(text(row, "assigned_to_email") for row in self.customers)

    def _first_names(self, addresses: Iterable[str]) -> tuple[str, ...]:
        there = set(addresses)
        return tuple(name for name, address in self.people.items() if address in there)

    @cached_property
    def by_day(self) -> Mapping[date, tuple[Row, ...]]:
        """The visits of each day."""
        days: dict[date, list[Row]] = {}
        for row in self.visits:
            days.setdefault(date.fromisoformat(text(row, "date_of_visit")), []).append(row)
        return {day: tuple(rows) for day, rows in days.items()}

    def day_count(self, day: date, counts: Callable[[Row], bool] = lambda row: True) -> int:
        """Return how many visits of a day count."""
        return sum(counts(row) for row in self.by_day.get(day, ()))

    def between(self, first: date, last: date) -> tuple[Row, ...]:
        """Return the visits from one day to another, both included."""
        return tuple(
            row for day in sorted(self.by_day) if first <= day <= last for row in self.by_day[day]
        )

    def start(self, event: Row) -> datetime:
        """Return when a meeting starts."""
        return datetime.fromisoformat(text(event, "event_start"))

    def coming(self, person: str) -> tuple[Row, ...]:
        """Return the meetings with somebody that are still to come, the next one first."""
        address = self.people[person]
        found = (e for e in self.events if e["participant_email"] == address)
        return tuple(sorted((e for e in found if self.start(e) >= NOW), key=self.start))

    def met_since(self, person: str, day: date) -> bool:
        """Return whether there was a meeting with somebody from a day on until now."""
        address = self.people[person]
        return any(
            e["participant_email"] == address and day <= self.start(e).date() < NOW.date()
            for e in self.events
        )

    def on(self, day: date) -> tuple[Row, ...]:
        """Return the meetings of a day, the first one first."""
        return tuple(
            sorted((e for e in self.events if self.start(e).date() == day), key=self.start)
        )

    def first_free(self, day: date) -> datetime | None:
        """Return the first full or half hour of a day at which half an hour is free."""
        taken = [
            (self.start(e), self.start(e) + timedelta(minutes=int(text(e, "duration"))))
            for e in self.on(day)
        ]
        for hour in _MEETING_HOURS:
            for minute in (0, 30):
                begin = datetime.combine(day, time(hour, minute))
                end = begin + timedelta(minutes=30)
                if all(end <= first or begin >= last for first, last in taken):
                    return begin
        return None

    def exchanged(self, person: str) -> tuple[Row, ...]:
        """Return the letters from and to somebody, the newest first."""
        address = self.people[person]
        found = (row for row in self.emails if row["sender/recipient"] == address)
        return tuple(sorted(found, key=lambda row: text(row, "sent_datetime"), reverse=True))

    def received(self, person: str, subject: str | None = None) -> tuple[Row, ...]:
        """Return the letters that somebody sent, the newest first."""
        return tuple(
            row
            for row in self.exchanged(person)
            if row["inbox/outbox"] == "inbox" and (subject is None or row["subject"] == subject)
        )

    def overdue(self, person: str, board: str, in_list: str | None = None) -> tuple[Row, ...]:
        """Return somebody's tasks of a board that were due before today and are not completed."""
        return tuple(
            row
            for row in self.tasks
            if row["assigned_to_email"] == self.people[person]
            and row["board"] == board
            and text(row, "due_date") < NOW.date().isoformat()
            and (
                row["list_name"] != "Completed" if in_list is None else row["list_name"] == in_list
            )
        )

    def task(self, name: str) -> Row | None:
        """Return the task of a name."""
        return next((row for row in self.tasks if row["task_name"] == name), None)

    def customer(self, name: str) -> Row | None:
        """Return the customer of a name."""
        return next((row for row in self.customers if row["customer_name"] == name), None)

    def customers_of(self, carer: str, **columns: str) -> tuple[Row, ...]:
        """Return the customers that somebody cares for, with these values."""
        return tuple(
            row
            for row in self.customers
            if row["assigned_to_email"] == self.people[carer]
            and all(row[name] == value for name, value in columns.items())
        )
