"""What has to exist in the world before a row's gold request can be served.

The published rows were said to somebody's own assistant: "remove the guest list" supposes that
there is one. The counterpart intent makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from ossia_dataset.normalise import parse_date_value, parse_time_value
from ossia_dataset.tasks import Request

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
    first, last = value.start or value.end, value.end
    if first is not None and first < now.date() and (last is None or now.date() <= last):
        first = now.date()
    return first.isoformat() if first is not None else params["date"]


def _time(params: Mapping[str, str], *names: str) -> str:
    """A clock time that the time of a request covers; in the evening where it has none."""
    for name in names:
        if name in params:
            value = parse_time_value(params[name])
            found = value.start or value.end
            if found is not None:
                return found.strftime("%H:%M")
    return _LATE


def _calendar(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    if not params.keys() & {"event_name", "person", "relation", "place_name", "date", "time"}:
        return ()
    kept = {
        name: params[name]
        for name in ("event_name", "person", "relation", "place_name")
        if name in params
    }
    kept.setdefault("event_name", "appointment")
    time = _time(params, "time", "from_time")
    return (_request("calendar", "calendar_set", **kept, date=_day(params, now), time=time),)


def _alarm(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    if not params.keys() & {"event_name", "date", "time", "from_time"}:
        return ()
    kept = {"event_name": params["event_name"]} if "event_name" in params else {}
    time = _time(params, "from_time", "time")
    return (_request("alarm", "alarm_set", **kept, date=_day(params, now), time=time),)


def _list(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    kept = {name: params[name] for name in ("list_name", "item_name") if name in params}
    if not kept:
        return ()
    kept.setdefault("item_name", "milk")
    return (_request("lists", "lists_createoradd", **kept),)


_BUILDERS: Final[Mapping[str, Callable[[Mapping[str, str], datetime], tuple[Request, ...]]]] = {
    "calendar_remove": _calendar,
    "alarm_remove": _alarm,
    "alarm_change": _alarm,
    "lists_remove": _list,
    "lists_query": _list,
}
