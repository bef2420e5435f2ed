"""Drawing what a task is about: one value for each placeholder, from the office or from lists."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.generated import (
    BOARDS,
    FIRST_DAY,
    LAST_DAY,
    LISTS,
    PRODUCTS,
    SOURCES,
    STATUSES,
    names,
)
from ossia_dataset.workbench.office import Office, say_day, text
from ossia_dataset.workbench.templates.calls import METRICS, PLOTS

_Draw = Callable[[Office, random.Random], str]

_TOLD_APART = (("metric", "metric2", tuple(METRICS)), ("status", "status_new", STATUSES))
_TIMES = tuple(f"{hour:02d}:{minute:02d}" for hour in range(9, 17) for minute in (0, 30))


def draw(office: Office, rng: random.Random, placeholders: Sequence[str]) -> Mapping[str, str]:
    """Return a value for each placeholder.

    Args:
        office: whose people, tasks and customers are named.
        rng: where the choice comes from.
        placeholders: as the templates name them.

    Raises:
        KeyError: a placeholder is unknown.
    """
    values = {name: _DRAWS[name](office, rng) for name in placeholders}
    if "day_from" in values:
        first, last = sorted(rng.sample(range((LAST_DAY - FIRST_DAY).days), 2))
        values["day_from"], values["day_to"] = (
            say_day(FIRST_DAY + timedelta(days=n)) for n in (first, last)
        )
    return values


def told_apart(values: Mapping[str, str]) -> Mapping[str, str]:
    """Return the values of a task with nothing to do, without a wish for one thing twice.

    Where a condition does not hold, nothing that is wished for under it is looked at. Nothing is
    drawn again, so that all other tasks stay what they are.

    Args:
        values: as `draw` returns them.
    """
    apart = dict(values)
    for first, second, options in _TOLD_APART:
        if first in apart and apart[first] == apart.get(second):
            apart[second] = options[(options.index(apart[first]) + 1) % len(options)]
    return apart


def _one_of(options: Sequence[str]) -> _Draw:
    return lambda office, rng: rng.choice(options)


def _new(kind: str) -> _Draw:
    return lambda office, rng: rng.choice(names()["new"][kind])


def _past(office: Office, rng: random.Random) -> str:
    return say_day(LAST_DAY - timedelta(days=rng.randrange(45)))


def _work_day(office: Office, rng: random.Random) -> str:
    days = (NOW.date() + timedelta(days=n) for n in range(1, 30))
    return say_day(rng.choice([day for day in days if day.weekday() < 5]))


def _due_day(office: Office, rng: random.Random) -> str:
    return say_day(date(2023, 12, 4) + timedelta(days=rng.randrange(25)))


def _person(office: Office, rng: random.Random) -> str:
    return rng.choice(tuple(office.people))


def _assignee(office: Office, rng: random.Random) -> str:
    return rng.choice(office.assignees)


def _carer(office: Office, rng: random.Random) -> str:
    return rng.choice(office.carers)


def _task(office: Office, rng: random.Random) -> str:
    return text(rng.choice(office.tasks), "task_name")


def _customer(office: Office, rng: random.Random) -> str:
    return text(rng.choice(office.customers), "customer_name")


_DRAWS: Mapping[str, _Draw] = {
    "assignee": _assignee,
    "assignee2": _assignee,
    "board": _one_of(BOARDS),
    "body": _new("bodies"),
    "carer": _carer,
    "carer2": _carer,
    "count": _one_of([str(n) for n in range(6, 17)]),
    "customer": _customer,
    "customer_new": _new("customers"),
    "day_from": _past,
    "day_to": _past,
    "due_day": _due_day,
    "event": lambda office, rng: rng.choice(names()["events"]),
    "event_new": _new("events"),
    "list": _one_of(LISTS),
    "list_new": _one_of(LISTS),
    "metric": _one_of(tuple(METRICS)),
    "metric2": _one_of(tuple(METRICS)),
    "minutes": _one_of(("30", "60", "90")),
    "other": _person,
    "past_day": _past,
    "past_day2": _past,
    "person": _person,
    "plot": _one_of(tuple(PLOTS)),
    "product": _one_of(PRODUCTS),
    "seconds": _one_of([str(n) for n in range(24, 38)]),
    "source": _one_of(SOURCES),
    "source2": _one_of(SOURCES),
    "status": _one_of(STATUSES),
    "status_new": _one_of(STATUSES),
    "subject": lambda office, rng: rng.choice(names()["subjects"]),
    "subject_new": _new("subjects"),
    "task": _task,
    "task_new": _new("tasks"),
    "time": _one_of(_TIMES),
    "work_day": _work_day,
}
"""How each placeholder is drawn; the days of a range are put in order after that."""
