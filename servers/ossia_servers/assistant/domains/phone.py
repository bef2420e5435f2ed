"""The phone: text somebody, read what came in, and be told of what is to come."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from ossia_servers.assistant.domains._contacts import people, recipients
from ossia_servers.assistant.domains._speech import counted, spoken_date
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing, meanings, same_name
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Asked, Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

TEXTS: Final = "phone.texts"
RECEIVED: Final = "phone.received"
ALERTS: Final = "phone.alerts"

DEFAULT_DEVICE: Final = "phone"

_DEVICES: Final = {
    "phone": "phone cell cellphone mobile smartphone android iphone handset",
    "watch": "watch smartwatch",
    "tablet": "tablet ipad",
    "laptop": "laptop computer",
}
_NUMBER = re.compile(r"\+?[\d(][\d() .-]{5,}\d")
_EDGES = re.compile(
    r"^(?:when |a |an |the |my )+"
    r"|(?: (?:is|are|has|have|been|comes?|gets?|in|finished|finishes|done|completed?|completes"
    r"|ready))+$"
)
"""What is said around the name of an event: that it has happened."""
# Words that ask for what has come in, not for what is to come.
_LOOKING: Final = frozenset({"new", "missed", "unread", "recent", "latest", "last", "today"})
_OFF: Final = frozenset({"off", "stop", "silence", "mute", "disable", "cancel", "no"})

_CAME_IN: Final = (
    # hours ago, kind, from whom, text, device
    (1, "missed call", "Linda Hayes", "", "phone"),
    (2, "text message", "Sam Reyes", "can you pick up some bread", "phone"),
    (3, "calendar", "", "project meeting in the afternoon", "watch"),
    (5, "missed call", "Victor Stone", "", "phone"),
    (7, "voicemail", "Victor Stone", "please call me back about the sink", "phone"),
    (9, "text message", "Tom Baker", "the cabin is ours", "phone"),
    (12, "app update", "", "three apps have been updated", "tablet"),
    (16, "battery low", "", "ten percent left", "watch"),
    (20, "delivery", "Amazon", "your package is on its way", "phone"),
    (27, "missed call", "John Smith", "", "phone"),
    (33, "text message", "Megan Hayes", "happy to help with the move", "phone"),
)


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    received = []
    for hours, kind, sender, text, device in sorted(_CAME_IN, reverse=True):
        when = context.now - timedelta(hours=hours)
        received.append(
            {
                "event": kind,
                "sender": sender,
                "text": text,
                "device": device,
                "date": when.date().isoformat(),
                "time": when.strftime("%H:%M"),
            }
        )
    yesterday = (context.now - timedelta(days=1)).date().isoformat()
    return {
        TEXTS: [
            {
                "to": ["Sam Reyes"],
                "numbers": ["212-555-0113"],
                "text": "see you at seven",
                "date": yesterday,
                "time": "17:10",
            }
        ],
        RECEIVED: received,
        ALERTS: [
            {"event": "battery low", "person": "", "device": "phone"},
            {"event": "call", "person": "Sam Reyes", "device": "phone"},
        ],
    }


def _device(text: str | None) -> str | None:
    """The device that is meant; an unknown one stays as said."""
    if text is None:
        return None
    said = meanings(text)
    return next((name for name, also in _DEVICES.items() if said & set(also.split())), text)


_TEXTING: Final = (
    Ask("Whom shall I text?", ("to_person", "device_type"), missing=("to_person",)),
    Ask("What shall the text say?", ("text", "event_name"), missing=("text",)),
    # Several contacts may be called so, or none.
    Ask("Whom do you mean?", ("to_person",), when=Asked.MAYBE),
)


def _text(world: World, params: Params) -> Reply:
    person, text = params.text("to_person"), params.first("text", "event_name")
    device = _device(params.text("device_type"))
    if person is None:
        # A text "to my tablet" goes to the user's own device.
        to = {str(device): ""}
    elif _NUMBER.fullmatch(person):
        to = {person: person}
    else:
        # Texts go to the contacts of the mailbox: the same people.
        meant = recipients(world, person, None)
        if meant.unclear:
            return Reply.ask(f"Whom do you mean by {listing(meant.unclear)}?", "to_person")
        if meant.unknown or not meant.found:
            unknown = listing(meant.unknown) or person
            return Reply.ask(f"What is the number of {unknown}?", "to_person")
        to = {row["name"]: row["phone"] for row in meant.found}
    row = world.add(
        TEXTS,
        to=list(to),
        numbers=list(to.values()),
        text=text,
        date=world.today.isoformat(),
        time=world.now.strftime("%H:%M"),
    )
    return Reply(f'I have texted {listing(row["to"])}: "{text}".', [row])


def _name(world: World, person: str | None) -> str:
    meant = people(world, person) if person is not None else []
    return meant[0]["name"] if len(meant) == 1 else person or ""


def _looked_for(event: str) -> str | None:
    """The kind of received notifications that a name asks for ("missed calls"), "" for any.

    None where the name is something to be told of: "call" alone has not come in.
    """
    said = meanings(event)
    rest = said - _LOOKING - {"notification", "alert", "phone", "any"}
    if not rest:
        return ""
    kinds = dict.fromkeys(kind for _, kind, _, _, _ in _CAME_IN)
    looking = bool(said & _LOOKING)
    return next((kind for kind in kinds if looking and rest <= meanings(kind)), None)


def _notification(world: World, params: Params) -> Reply:
    event, person = params.text("event_name"), params.text("to_person")
    if meanings(params.text("text") or "") & _OFF:
        return _stop(world, params)
    kind = _looked_for(event) if event is not None else None if person is not None else ""
    if kind is not None:
        return _came_in(world, params, kind)
    return _tell_me(world, params)


def _came_in(world: World, params: Params, kind: str) -> Reply:
    """Read what came in, newest first."""
    rows = list(reversed(world.rows(RECEIVED)))
    device = _device(params.text("device_type"))
    if kind:
        rows = [row for row in rows if row["event"] == kind]
    if params.text("to_person") is not None:
        name = _name(world, params.text("to_person"))
        rows = [row for row in rows if same_name(row["sender"], name)]
    if device is not None:
        rows = [row for row in rows if row["device"] == device]
    if not rows:
        return Reply("You have no such notifications.", [])
    told = "; ".join(_told(world, row) for row in rows[:6])
    return Reply(f"You have {counted(len(rows), 'notification')}: {told}.", rows)


def _told(world: World, row: Row) -> str:
    sender = f" from {row['sender']}" if row["sender"] else ""
    text = f' "{row["text"]}"' if row["text"] else ""
    return f"{row['event']}{sender}{text} {spoken_date(row['date'], world.now)} at {row['time']}"


def _tell_me(world: World, params: Params) -> Reply:
    """Set an alert for something that is to come."""
    values = {
        "event": _EDGES.sub("", params.text("event_name") or "call"),
        "person": _name(world, params.text("to_person")),
        "device": _device(params.text("device_type")) or DEFAULT_DEVICE,
    }
    if any(values.items() <= row.items() for row in world.rows(ALERTS)):
        raise Refusal.conflict("You are told of that already.")
    row = world.add(ALERTS, **values)
    source = f" from {row['person']}" if row["person"] else ""
    return Reply(f"I will tell you on your {row['device']}: {row['event']}{source}.", [row])


def _stop(world: World, params: Params) -> Reply:
    """Take alerts back."""
    rows = world.rows(ALERTS)
    event, person = params.text("event_name"), params.text("to_person")
    device = _device(params.text("device_type"))
    if event is not None:
        rows = find(rows, event, "event")
    if person is not None:
        rows = [row for row in rows if same_name(row["person"], _name(world, person))]
    if device is not None:
        rows = [row for row in rows if row["device"] == device]
    if not rows:
        raise Refusal.not_found("There is no such alert.")
    gone = [world.remove(ALERTS, row["id"]) for row in rows]
    return Reply(f"I will no longer tell you of {listing([r['event'] for r in gone])}.", gone)


DOMAIN = Domain(
    name="phone",
    description="Text messages and notifications of the user's devices.",
    fields=(
        Field("device_type", Kind.NAME, "the device", example="tablet"),
        Field("event_name", Kind.NAME, "what happens", Match.THING, "battery low"),
        Field("text", Kind.TEXT, "what the text says"),
        Field("to_person", Kind.PERSON, "who is texted, or who calls", example="my wife"),
    ),
    intents=(
        Intent("phone_text", "Send a text message.", _text, writes=True, asks=_TEXTING),
        Intent(
            "phone_notification",
            "Read notifications, or be told when something happens.",
            _notification,
            writes=True,
        ),
    ),
    tables=(
        Table(
            TEXTS,
            "text",
            {
                "to": Match.CASEFOLD,
                "numbers": Match.CASEFOLD,
                "text": Match.FREE_TEXT,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
            },
        ),
        Table(
            RECEIVED,
            "notification",
            {
                "event": Match.CASEFOLD,
                "sender": Match.CASEFOLD,
                "text": Match.FREE_TEXT,
                "device": Match.CASEFOLD,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
            },
        ),
        Table(
            ALERTS,
            "phone-alert",
            {"event": Match.THING, "person": Match.CASEFOLD, "device": Match.CASEFOLD},
        ),
    ),
    seed=_seed,
)
