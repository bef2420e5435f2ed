"""What has to exist in the world before a row's gold request can be served.

The published rows were said to somebody's own assistant: "remove the guest list" supposes that
there is one. The counterpart intent makes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from ossia_dataset.assistant.auto_slurp.asking import is_named
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

_NUMBER: Final = "212 555 0199"
_OTHER_LIST: Final = "souvenirs"
_OTHER_STATION: Final = "lakeside radio"
_OTHER_ITEM: Final = "ruled notebook"
_OTHER_EVENTS: Final = (
    ("piano lesson", "every tuesday", "17:30"),
    ("car inspection", "every thursday", "08:15"),
)
_LAST_MINUTE: Final = "23:59"
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


def _time(params: Mapping[str, str], now: datetime, *names: str) -> str:
    """A clock time that the time of a request covers; late in the day where it has none."""
    for name in names:
        if name in params:
            value = parse_time_value(params[name])
            found = value.start or value.end
            if found is not None:
                return found.strftime("%H:%M")
    return _LATE if f"{now:%H:%M}" < _LATE else _LAST_MINUTE


def _event(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    kept = {
        name: params[name]
        for name in ("event_name", "person", "relation", "place_name")
        if name in params
    }
    if not kept and not params.keys() & {"date", "time", "from_time"}:
        return ()
    kept.setdefault("event_name", "appointment")
    time = _time(params, now, "time", "from_time")
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
    time = _time(params, now, "from_time", "time")
    day = _day(params, now)
    value = parse_date_value(day)
    if value.single is not None and value.single < now.date():
        # No alarm is set for a day that is over, but one that comes every week fell on it.
        day = f"every {WEEKDAYS[value.single.weekday()]}"
    return (_request("alarm", "alarm_set", **kept, date=day, time=time),)


def _list(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    kept = {"list_name": params["list_name"]} if "list_name" in params else {}
    if "item_name" not in params:
        if not kept:
            return ()
        # Where a day is asked for, something is due on it; what is removed by a day is the list.
        dated = params["intent"] == "lists_query" and "date" in params
        due = {"date": _day(params, now)} if dated else {}
        return (_request("lists", "lists_createoradd", **kept, item_name=_OTHER_ITEM, **due),)
    made = _request("lists", "lists_createoradd", **kept, item_name=params["item_name"])
    return (*_empty_lists(kept.get("list_name", "shopping")), made)


def _new_on_list(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    """Make sure that what is to be added is not there yet."""
    name = params.get("list_name", "shopping") if "item_name" in params else None
    return _empty_lists(name) if params.keys() & {"list_name", "item_name"} else ()


def _empty_lists(name: str | None) -> tuple[Request, ...]:
    """Take away the start state's lists, so that no item is on several; make other ones."""
    others = [_OTHER_LIST, *([name] if name is not None else [])]
    return (
        _request("lists", "lists_remove", descriptor="all"),
        *(
            _request("lists", "lists_createoradd", list_name=other, item_name=_OTHER_ITEM)
            for other in others
        ),
    )


def _receiver(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    if "email_address" in params:
        return ()
    return _contact(params, "to_person", "person")


def _known(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    asked = params.get("personal_info", "")
    number = f"{asked} {_NUMBER}" if "number" in asked or "phone" in asked else ""
    return _contact(params, "person", "to_person", number=number)


def _texted(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    return _contact(params, "to_person", number=f"number {_NUMBER}")


def _contact(params: Mapping[str, str], *names: str, number: str = "") -> tuple[Request, ...]:
    """Make the user know whom a request names, unless the start state's contacts are meant."""
    person = next((params[name] for name in names if name in params), None)
    relation = params.get("to_relation") or params.get("relation")
    who = person or relation
    if who is None or (person and relation) or not _WORDS.fullmatch(who) or not is_named(who):
        return ()
    if not _RELATIVES.isdisjoint(who.casefold().split()):
        return ()
    facts = {"email_address": f"{who.casefold().replace(' ', '.')}@mail.example"}
    if number:
        facts["personal_info"] = number
    return (_request("email", "email_addcontact", person=who, **facts),)


def _tuned(params: Mapping[str, str], now: datetime) -> tuple[Request, ...]:
    """Play what is to be liked, unless it is named: the last station heard may be liked already."""
    if params.keys() & {"radio_name", "person_name", "music_genre"}:
        return ()
    return (_request("radio", "play_radio", radio_name=_OTHER_STATION),)


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
    "lists_createoradd": _new_on_list,
    "email_sendemail": _receiver,
    "email_querycontact": _known,
    "phone_text": _texted,
    "radio_likeness": _tuned,
    "iot_wemo_off": _plugged,
}
