"""Databases of an office of our own: made from names of our own, and the same for the same seed."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib import resources
from typing import Any, Final

from ossia_dataset.randomness import seeded_random
from ossia_dataset.tasks import TaskError
from ossia_dataset.workbench.database import NOW, Cell, Database

GENERATOR_VERSION: Final = 1
"""Raised whenever the same seed would give other rows."""

LISTS: Final = ("Backlog", "In Progress", "In Review", "Completed")
BOARDS: Final = ("Back end", "Front end", "Design")
STATUSES: Final = ("Qualified", "Won", "Lost", "Lead", "Proposal")
PRODUCTS: Final = ("Software", "Hardware", "Services", "Consulting", "Training")
SOURCES: Final = ("direct", "referral", "search engine", "social media")

FIRST_DAY: Final = date(2023, 9, 1)
"""The first day of the visits."""
LAST_DAY: Final = NOW.date() - timedelta(days=1)
"""The last full day."""

EVENTS, EMAILS, VISITS, TASKS, CUSTOMERS = 300, 500, 1000, 300, 200

_SEED = re.compile(rf"office-{GENERATOR_VERSION}-(\d{{1,9}})")
_Row = Mapping[str, Cell]


def office_seed(number: int) -> str:
    """Return the name of a generated start state."""
    return f"office-{GENERATOR_VERSION}-{number}"


def is_generated(seed: str) -> bool:
    """Return whether a start state is made here, and not read from a file."""
    return seed.startswith("office-")


@cache
def names() -> Mapping[str, Any]:
    """Return the names and texts that rows are made of."""
    source = resources.files("ossia_dataset") / "data" / "workbench" / "names.toml"
    return tomllib.loads(source.read_text("utf-8"))


def colleague(name: str) -> str:
    """Return the address of a colleague, by first and last name."""
    return f"{name.lower().replace(' ', '.')}@{names()['domain']}"


@cache
def generated_database(seed: str) -> Database:
    """Return the databases of a seed.

    Args:
        seed: as `office_seed` names it.

    Raises:
        TaskError: the seed is none of this version of the generator.
    """
    found = _SEED.fullmatch(seed)
    if found is None:
        raise TaskError(
            f"no office is called '{seed}'; this generator makes office-{GENERATOR_VERSION}-NUMBER"
        )
    people = [colleague(name) for name in names()["people"]]
    tables: dict[str, Sequence[_Row]] = {
        "analytics.visits": list(_visits(_stream(seed, "visits"))),
        "calendar.events": list(_events(_stream(seed, "events"), people)),
        "company_directory.people": [{"email_address": person} for person in people],
        "customer_relationship_manager.customers": list(
            _customers(_stream(seed, "customers"), people[:8])
        ),
        "email.emails": list(_emails(_stream(seed, "emails"), people)),
        "project_management.tasks": list(_tasks(_stream(seed, "tasks"), people[6:16])),
    }
    return Database(release=seed, tables={name: tuple(rows) for name, rows in tables.items()})


def _stream(seed: str, table: str) -> random.Random:
    return seeded_random("office", seed, table)


def _visits(rng: random.Random) -> Iterator[_Row]:
    days = (LAST_DAY - FIRST_DAY).days + 1
    for _ in range(VISITS):
        yield {
            "date_of_visit": (FIRST_DAY + timedelta(days=rng.randrange(days))).isoformat(),
            "visitor_id": f"{rng.randrange(10_000):04d}",
            "page_views": str(rng.randint(1, 18)),
            "session_duration_seconds": str(rng.randint(1, 60)),
            "traffic_source": rng.choice(SOURCES),
            "user_engaged": str(rng.random() < 0.45),
        }


def _events(rng: random.Random, people: Sequence[str]) -> Iterator[_Row]:
    """Meetings on working days, none of them overlapping, in order of their start."""
    workdays = [
        day
        for day in (date(2023, 9, 25) + timedelta(days=n) for n in range(100))
        if day.weekday() < 5
    ]
    slots = [(day, half) for day in workdays for half in range(9)]
    chosen = sorted(rng.sample(slots, EVENTS))
    ids = rng.sample(range(EVENTS), EVENTS)
    for (day, hour), number in zip(chosen, ids, strict=True):
        start = datetime.combine(day, time(9 + hour, rng.choice((0, 30)) if hour < 8 else 0))
        # A meeting that starts at half past leaves before the next one can begin.
        duration = "30" if start.minute else rng.choice(("30", "60"))
        yield {
            "event_id": f"{number:08d}",
            "event_name": rng.choice(names()["events"]),
            "participant_email": rng.choice(people),
            "event_start": start.isoformat(sep=" "),
            "duration": duration,
        }


def _emails(rng: random.Random, people: Sequence[str]) -> Iterator[_Row]:
    seconds = int((NOW - datetime(2023, 10, 1)).total_seconds())
    # No two letters of one moment, so that "the last one" is one.
    moments = sorted(rng.sample(range(seconds), EMAILS))
    ids = rng.sample(range(EMAILS), EMAILS)
    for moment, number in zip(moments, ids, strict=True):
        person = rng.choice(people)
        first = person.partition(".")[0].title()
        incoming = rng.random() < 0.8
        greeting, sign = ("Hello Robin", first) if incoming else (f"Hello {first}", "Robin")
        yield {
            "email_id": f"{number:08d}",
            "inbox/outbox": "inbox" if incoming else "outbox",
            "sender/recipient": person,
            "subject": rng.choice(names()["subjects"]),
            "sent_datetime": (datetime(2023, 10, 1) + timedelta(seconds=moment)).isoformat(sep=" "),
            "body": f"{greeting}, {rng.choice(names()['bodies'])} Regards, {sign}",
        }


def _tasks(rng: random.Random, people: Sequence[str]) -> Iterator[_Row]:
    texts = [(board, text) for board in BOARDS for text in names()["tasks"][board]]
    places = names()["places"]
    # Each text occurs for several places, so that a task's name is its own.
    named = [(board, f"{text} for {place}") for board, text in texts for place in places]
    chosen = rng.sample(named, TASKS)
    ids = rng.sample(range(TASKS), TASKS)
    for (board, text), number in zip(chosen, ids, strict=True):
        yield {
            "task_id": f"{number:08d}",
            "task_name": text,
            "assigned_to_email": rng.choice(people),
            "list_name": rng.choices(LISTS, weights=(3, 3, 2, 4))[0],
            "due_date": (date(2023, 11, 20) + timedelta(days=rng.randrange(26))).isoformat(),
            "board": board,
        }


def _customers(rng: random.Random, people: Sequence[str]) -> Iterator[_Row]:
    everybody = [
        (first, last) for first in names()["customers_first"] for last in names()["customers_last"]
    ]
    chosen = rng.sample(everybody, CUSTOMERS)
    for number, (first, last) in enumerate(chosen):
        phone = f"555-{rng.randrange(1000):03d}-{rng.randrange(10_000):04d}"
        yield {
            "customer_id": f"{number:08d}",
            "assigned_to_email": rng.choice(people),
            "customer_name": f"{first} {last}",
            "customer_email": f"{first}.{last}@{rng.choice(names()['companies'])}.test".lower(),
            "customer_phone": phone if rng.random() < 0.7 else None,
            "last_contact_date": (NOW.date() - timedelta(days=rng.randrange(1, 60))).isoformat(),
            "product_interest": rng.choice(PRODUCTS),
            "status": rng.choice(STATUSES),
            "follow_up_by": (NOW.date() + timedelta(days=rng.randrange(30))).isoformat(),
            "notes": rng.choice(names()["notes"]) if rng.random() < 0.6 else None,
        }
