"""The coffee machine and the cleaning robots of the house, served by the `iot` domain."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from ossia_dataset.normalise import spoken_number
from ossia_dataset.normalise.values import parse_date_value
from ossia_servers.assistant.domains._house import moment, place_name, rooms_of, when_told
from ossia_servers.worlds.lookup import listing
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

COFFEES: Final = "iot.coffees"
CLEANINGS: Final = "iot.cleanings"

TABLES: Final = (
    Table(
        COFFEES,
        "coffee",
        {
            "drink": Match.CASEFOLD,
            "setting": Match.THING,
            "cups": Match.NUMBER,
            "date": Match.DATETIME,
            "time": Match.DATETIME,
        },
    ),
    Table(
        CLEANINGS,
        "cleaning",
        {
            "device": Match.EXACT,
            "place": Match.CASEFOLD,
            "item": Match.THING,
            "setting": Match.THING,
            "date": Match.DATETIME,
            "time": Match.DATETIME,
        },
    ),
)

_DRINKS = re.compile(
    r"\b(cappuccino|latte macchiato|latte|espresso|americano|mocha|macchiato|flat white|ristretto"
    r"|lungo|cortado|decaf)\b"
)
_CUPS = re.compile(r"\b([a-z]+|[0-9]{1,4}) (?:cups?|mugs?|pots?)\b(?: of)?")
_STOPPING = re.compile(r"\b(?:off|stop|cancel|abort|dock|end|pause|remove|home|back)\b")
_NO_SETTING = re.compile(
    r"\b(?:set|setting|settings|on|now|start|make|brew|prepare|ready|go|run|coffee|please|cups?|of"
    r"|a|an|the|my|clean|cleaning|vacuum|vacuuming|hoover|hoovering|mop|mopping|sweep|mode|it|up|one|to|according|per)\b"
)
_USUAL = re.compile(
    r"\b(?:usual|preferences?|favou?rite|as always|always|last time|same|regular)\b"
)


def seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    """Return what was brewed and which cleanings are planned at the start."""
    day = context.now.date()

    def coffee(days_ago: int, time: str, drink: str, setting: str, cups: int) -> Row:
        date = (day - timedelta(days=days_ago)).isoformat()
        return {"drink": drink, "setting": setting, "cups": cups, "date": date, "time": time}

    keys = ("device", "place", "item", "setting", "date", "time")
    cleanings = (
        ("vacuum robot", "house", "", "", "every saturday", "11:00"),
        ("mop robot", "kitchen", "floor", "", "every monday", "14:30"),
    )
    return {
        COFFEES: [
            coffee(3, "08:05", "coffee", "black", 1),
            coffee(2, "16:20", "espresso", "", 2),
            coffee(1, "07:50", "coffee", "strong with milk", 1),
        ],
        CLEANINGS: [dict(zip(keys, row, strict=True)) for row in cleanings],
    }


def brew(world: World, params: Params) -> Reply:
    """Brew coffee now or later, or call off what is to be brewed."""
    setting = (params.text("setting") or "").casefold()
    if _STOPPING.search(setting):
        return _call_off(world, COFFEES, world.rows(COFFEES), "coffee")
    said = f"{params.text('item_name') or ''} {setting}".casefold()
    found = _DRINKS.search(said)
    drink = found[1] if found is not None else "coffee"
    told = params.text("change_amount") or ""
    if (counted := _CUPS.search(said)) is not None:
        told = counted[1]
        said = _CUPS.sub(" ", said)
    number = spoken_number(_CUPS.sub(r"\1", told)) if told else None
    count = int(number) if number is not None and number >= 1 else 1
    if count > 12:
        raise Refusal.conflict("The coffee machine makes at most twelve cups.")
    setting = " ".join(_NO_SETTING.sub(" ", _DRINKS.sub(" ", said)).split())
    if _USUAL.search(said):
        last = world.rows(COFFEES)[-1]
        drink, setting = last["drink"], last["setting"]
    day, time, now = _when(world, params)
    row = world.add(COFFEES, drink=drink, setting=setting, cups=count, date=day, time=time)
    cups = "a cup" if count == 1 else f"{count} cups"
    what = f"{cups} of {drink}{', ' + setting if setting else ''}"
    if now:
        return Reply(f"I am making {what}.", [row])
    return Reply(f"I will make {what} {when_told(day, time)}.", [row])


def clean(world: World, params: Params) -> Reply:
    """Send a robot to clean now or later, or call off what is planned.

    Raises:
        Refusal: the house has no such room.
    """
    setting = (params.text("setting") or "").casefold()
    place = params.text("house_place")
    item = params.text("item_name") or ""
    device = f"{params.text('device_type') or ''} {item} {setting}".casefold()
    robot = "mop robot" if re.search(r"\bmop|\bwet\b|\bwip(?:e|ing)\b", device) else "vacuum robot"
    if place is not None and rooms_of(place) == frozenset():
        raise Refusal.not_found(f"The house has no place called '{place}'.")
    if _STOPPING.search(setting):
        rows = [
            row
            for row in world.rows(CLEANINGS)
            if (place is None or row["place"] == place_name(place))
            and ("device_type" not in params or row["device"] == robot)
        ]
        return _call_off(world, CLEANINGS, rows, "cleaning")
    day, time, now = _when(world, params)
    row = world.add(
        CLEANINGS,
        device=robot,
        place=place_name(place) or "house",
        item=item.casefold(),
        setting=" ".join(_NO_SETTING.sub(" ", setting).split()),
        date=day,
        time=time,
    )
    where = f"the {row['place']}"
    if now:
        return Reply(f"The {robot} is cleaning {where} now.", [row])
    return Reply(f"The {robot} will clean {where} {when_told(day, time)}.", [row])


def _when(world: World, params: Params) -> tuple[str, str, bool]:
    """Return date and time of a job, and whether it begins now."""
    when = moment(world, params.date(), params.time())
    if when is None or when.at_once:
        return world.today.isoformat(), world.now.strftime("%H:%M"), True
    return when.date, when.time, False


def _call_off(world: World, table: str, rows: Sequence[Row], what: str) -> Reply:
    ahead = [row for row in rows if _is_ahead(world, row)]
    if not ahead:
        raise Refusal.not_found(f"No {what} is going on or planned.")
    removed = [world.remove(table, row["id"]) for row in ahead]
    told = listing([when_told(row["date"], row["time"]) for row in removed])
    return Reply(f"The {what} {told} is called off.", removed)


def _is_ahead(world: World, row: Row) -> bool:
    date = parse_date_value(row["date"])
    if date.recurrence is not None or date.end is None or date.end > world.today:
        return True
    clock = world.now.strftime("%H:%M")
    return date.end == world.today and (not row["time"] or row["time"] >= clock)
