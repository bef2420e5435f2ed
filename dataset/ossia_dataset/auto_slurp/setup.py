"""What has to exist in the world before a row's gold request can be served.

The published rows were said to somebody's own assistant: "remove the guest list" supposes that
there is one. The counterpart intent makes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from ossia_dataset.auto_slurp.asking import is_named
from ossia_dataset.normalise import WEEKDAYS, parse_date_value, parse_time_value
from ossia_dataset.tasks import Request

_WORDS: Final = re.compile(r"[A-Za-z]+(?: [A-Za-z]+){0,3}")
_RELATIVES: Final = frozenset(
    (
        "mother mom mum mommy father dad daddy parents wife husband partner girlfriend boyfriend "
        "sister brother grandmother grandma grandpa aunt uncle cousin family boss manager friend "
        "friends colleague colleagues coworker coworkers team doctor dentist landlord neighbor "
        "accountant client clients law plumber"
    ).split()
)
"""Whom the start state's contacts know by what they are to the user."""

_OTHER_EVENTS: Final = (
    ("piano lesson", "every tuesday", "17:30"),
    ("car inspection", "every thursday", "08:15"),
)
_LATE: Final = "20:00"
"""A time that is still ahead on most days, for things that get one because they need one."""


def setup_for(request: Request, now: datetime) -> tuple[Request, ...]:
    """Make what a gold request supposes.

    Args:
        request: The gold request.
        now: The task's frozen clock.

    Returns:
        The requests that make it, in order; none where the request supposes nothing in particular.
    """
    build = _BUILDERS.get(request.params["intent"])
    return build(request.params, now) if build is not None else ()


def _request(domain: str, intent: str, **params: str) -> Request:
    return Request(domain=domain, params={"intent": intent, **params})


def _day(params: Mapping[str, str], now: datetime) -> str:
    """A day that the date of a request covers; tomorrow where it has none."""
    if "date" not in params:
        return (now.date() + timedelta(days=1)).isoformat()
    value = parse_date_value(params["date"])
    if value.recurrence is not None:
        return params["date"]
    first, last = value.start or value.end, value.end or value.start
    if first is None or last is None:
        return params["date"]
    if first < now.date() <= last:
        first = now.date()
    return first.isoformat()


def _time(params: Mapping[str, str], *names: str) -> str:
    """A clock time that the time of a request covers; in the evening where it has none."""
    for name in names:
        if name in params:
            value = parse_time_value(params[name])
            found = value.start or value.end
            if found is not None:
                return found.strftime("%H:%M")
    return _LATE


def _event(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    kept = {
        name: params[name]
        for name in ("event_name", "person", "relation", "place_name")
        if name in params
    }
    if not kept and not params.keys() & {"date", "time", "from_time"}:
        return ()
    kept.setdefault("event_name", "appointment")
    time = _time(params, "time", "from_time")
    return (_request("calendar", "calendar_set", **kept, date=_day(params, now), time=time),)


def _only_event(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    made = _event(params, now)
    if not params.keys() & {"event_name", "person", "relation"}:
        return made
    # An event of the start state may bear the same name, and it is not told which one is meant; so
    # the calendar holds this one and others that are called differently.
    said = set(" ".join(params.values()).casefold().split())
    others = [
        _request("calendar", "calendar_set", event_name=name, date=day, time=time)
        for name, day, time in _OTHER_EVENTS
        if said.isdisjoint(name.split())
    ]
    return (_request("calendar", "calendar_remove", descriptor="all"), *made, *others)


def _only_alarm(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    made = _alarm(params, now)
    # Of several alarms the assistant would ask which one to change.
    return (_request("alarm", "alarm_remove", descriptor="all"), *made) if made else ()


def _alarm(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    if not params.keys() & {"event_name", "date", "time", "from_time"}:
        return ()
    kept = {"event_name": params["event_name"]} if "event_name" in params else {}
    time = _time(params, "from_time", "time")
    day = _day(params, now)
    value = parse_date_value(day)
    if value.single is not None and value.single < now.date():
        # No alarm is set for a day that is over, but one that comes every week fell on it.
        day = f"every {WEEKDAYS[value.single.weekday()]}"
    return (_request("alarm", "alarm_set", **kept, date=day, time=time),)


def _list(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    kept = {name: params[name] for name in ("list_name", "item_name") if name in params}
    if not kept:
        return ()
    kept.setdefault("item_name", "milk")
    return (_request("lists", "lists_createoradd", **kept),)


def _receiver(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    person = params.get("to_person") or params.get("person")
    relation = params.get("to_relation") or params.get("relation")
    if "email_address" in params or (relation is not None and person is not None):
        return ()
    who = person or relation
    if who is None or not _WORDS.fullmatch(who) or not is_named(who):
        return ()
    if person is None and not _RELATIVES.isdisjoint(who.casefold().split()):
        return ()
    address = f"{who.casefold().replace(' ', '.')}@mail.example"
    return (_request("email", "email_addcontact", person=who, email_address=address),)


def _plugged(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    kept = {name: params[name] for name in ("device_type", "house_place") if name in params}
    return (_request("iot", "iot_wemo_on", **kept),)


_BUILDERS: Final[Mapping[str, Callable[[Mapping[str, str], datetime], tuple[Request, ...]]]] = {
    "calendar_remove": _only_event,
    "calendar_query": _event,
    "alarm_remove": _alarm,
    "alarm_change": _only_alarm,
    "lists_remove": _list,
    "lists_query": _list,
    "email_sendemail": _receiver,
    "iot_wemo_off": _plugged,
}
