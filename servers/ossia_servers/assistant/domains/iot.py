"""The smart house: lamps, sockets, loudspeakers, the coffee machine and the cleaning robots.

What is asked for now happens now; what is asked for later is kept in `iot.schedule`. Without a
place the whole house is meant, and where lamps are to look different, those that are on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ossia_servers.assistant.domains import _appliances
from ossia_servers.assistant.domains._devices import LIGHTS, SOCKETS, SPEAKERS, devices
from ossia_servers.assistant.domains._house import (
    ASKS,
    WHAT_CHANGES,
    WHAT_LEVEL,
    amount,
    color,
    direction,
    level,
    moment,
    seed_lights,
    seed_sockets,
    seed_speakers,
    when_told,
)
from ossia_servers.worlds.domain import Domain, Handler, Intent
from ossia_servers.worlds.lookup import listing
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

SCHEDULE: Final = "iot.schedule"

STEP: Final = 20.0
"""By how many of 100 points "up" and "down" go where nothing more is said."""

_SURPRISES: Final = ("purple", "turquoise", "pink", "lime", "amber", "indigo")
_UNMUTING = re.compile(r"\b(?:unmute\w*|un mute|mute off|sound on|audio on)\b")


@dataclass(frozen=True, slots=True)
class _Change:
    """What is to become of devices."""

    told: str
    """In words, such as `on`, `blue` or `at 50 %`; also what the schedule remembers."""
    update: Callable[[Row], Mapping[str, Any]]
    """From a device's row to the columns that change."""
    lit_only: bool = False
    """Whether lamps that are off stay off, unless all of them are."""


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    evening = {"devices": ["porch light"], "change": "on", "date": "every day", "time": "19:30"}
    return {
        LIGHTS: seed_lights(),
        SOCKETS: seed_sockets(),
        SPEAKERS: seed_speakers(),
        SCHEDULE: [evening],
        **_appliances.seed(context),
    }


def _perform(
    world: World, params: Params, table: str, rows: Sequence[Row], change: _Change
) -> Reply:
    """Change devices now, or note in the schedule that they are to be changed later."""
    if change.lit_only:
        rows = [row for row in rows if row["on"]] or rows
    names = [
        row["name"] if row["room"] in row["name"] else f"{row['room']} {row['name']}"
        for row in rows
    ]
    kind = table.partition(".")[2]
    told = f"{len(rows)} {kind}" if len(rows) > 3 else f"the {listing(names)}"
    be = "is" if len(rows) == 1 else "are"
    when = moment(world, params.date(), params.time())
    changed: list[Row] = []
    if when is None or when.at_once:
        changed = [world.change(table, row["id"], **change.update(row)) for row in rows]
    if when is None:
        return Reply(f"Done: {told} {be} now {change.told}.", changed)
    planned = world.add(SCHEDULE, devices=names, change=change.told, date=when.date, time=when.time)
    if when.at_once:
        until = when.time.partition("..")[2] or "further notice"
        return Reply(f"Done: {told} {be} now {change.told} until {until}.", [*changed, planned])
    state = f"switched {change.told}" if change.told in ("on", "off") else change.told
    return Reply(f"All right: {told} will be {state} {when_told(when.date, when.time)}.", [planned])


_ON = _Change("on", lambda row: {"on": True})
_OFF = _Change("off", lambda row: {"on": False})


def _to_brightness(target: float) -> _Change:
    if target == 0:
        return _OFF
    return _Change(
        f"at {target:.0f} %",
        lambda row: {"on": True, "brightness": round(target)},
        lit_only=True,
    )


def _by_brightness(points: float) -> _Change:
    def update(row: Row) -> Mapping[str, Any]:
        return {"on": True, "brightness": round(min(100, max(1, row["brightness"] + points)))}

    how = "brighter" if points > 0 else "dimmer"
    return _Change(f"{abs(points):.0f} % {how}", update, lit_only=True)


def _to_color(name: str) -> _Change:
    return _Change(name, lambda row: {"on": True, "color": name}, lit_only=True)


def _points(params: Params) -> float:
    """Return by how much to go up or down.

    Raises:
        Refusal: the amount is none.
    """
    said = params.text("change_amount")
    if said is None:
        return STEP
    points = amount(said)
    if points is None and direction(said) == 0:
        raise Refusal(f"'{said}' does not say by how much.")
    return STEP if points is None else points


def _target(params: Params) -> float | None:
    """Return the level to go to, if one was said.

    Raises:
        Refusal: what was said is no level.
    """
    said = params.text("change_to")
    if said is None or direction(said) != 0:
        return None
    target = level(said)
    if target is None:
        raise Refusal(f"'{said}' is no level.")
    return target


def _wanted_color(params: Params) -> str | None:
    said = params.text("color_type")
    if said is not None:
        named = color(said)
        if named is None:
            raise Refusal(f"The lamps have no colour '{said}'.")
        return named
    other = params.first("change_to", "setting", "item_name")
    return None if other is None else color(other)


def _switch_light(world: World, params: Params) -> Reply:
    """Switch on, in the colour and brightness that were said, if any."""
    rows = devices(world, params, LIGHTS)
    name, target = params.text("color_type"), params.text("change_to")
    updates: dict[str, Any] = {"on": True}
    if name is not None:
        updates["color"] = _wanted_color(params)
    bright = level(target) if target is not None else None
    if bright:
        updates["brightness"] = round(bright)
    told = " ".join(
        [*([str(updates["color"])] if name else []), *([f"at {bright:.0f} %"] if bright else [])]
    )
    return _perform(world, params, LIGHTS, rows, _Change(told or "on", lambda row: updates))


def _light_off(world: World, params: Params) -> Reply:
    return _perform(world, params, LIGHTS, devices(world, params, LIGHTS), _OFF)


def _brightness(sign: int) -> Handler:
    def handle(world: World, params: Params) -> Reply:
        rows = devices(world, params, LIGHTS)
        target = _target(params)
        if target is not None:
            return _perform(world, params, LIGHTS, rows, _to_brightness(target))
        return _perform(world, params, LIGHTS, rows, _by_brightness(sign * _points(params)))

    return handle


def _color(world: World, params: Params) -> Reply:
    rows = devices(world, params, LIGHTS)
    name = _wanted_color(params)
    if name is None:
        others = [item for item in _SURPRISES if all(row["color"] != item for row in rows)]
        name = world.random("surprise", *(row["id"] for row in rows)).choice(others or _SURPRISES)
    return _perform(world, params, LIGHTS, rows, _to_color(name))


def _adjust_light(world: World, params: Params) -> Reply:
    """Do to lamps whatever the request says."""
    said = " ".join(
        text
        for name in ("change_to", "change_amount", "setting")
        if (text := params.text(name)) is not None
    )
    change: _Change | None = None
    if (name := _wanted_color(params)) is not None:
        change = _to_color(name)
    elif (sign := direction(said)) != 0:
        change = _by_brightness(sign * _points(params))
    elif (target := level(params.first("change_to", "setting", "change_amount") or "")) is not None:
        change = _to_brightness(target)
    elif re.search(r"\bon\b", said):
        change = _ON
    rows = devices(world, params, LIGHTS)
    if change is None:
        return WHAT_CHANGES.reply()
    return _perform(world, params, LIGHTS, rows, change)


def _socket(change: _Change) -> Handler:
    def handle(world: World, params: Params) -> Reply:
        rows = devices(world, params, SOCKETS)
        if all(row["name"] == "smart plug" for row in rows):
            # Of several plugs without a name of their own, the user means those to be switched.
            rows = [row for row in rows if {**row, **change.update(row)} != row] or rows
        return _perform(world, params, SOCKETS, rows, change)

    return handle


def _to_volume(target: float) -> _Change:
    return _Change(f"at {target:.0f} %", lambda row: {"volume": round(target), "muted": False})


def _by_volume(points: float) -> _Change:
    def update(row: Row) -> Mapping[str, Any]:
        return {"volume": round(min(100, max(0, row["volume"] + points))), "muted": False}

    return _Change(f"{abs(points):.0f} % {'louder' if points > 0 else 'softer'}", update)


def _volume(sign: int) -> Handler:
    def handle(world: World, params: Params) -> Reply:
        rows = devices(world, params, SPEAKERS)
        target = _target(params)
        change = _by_volume(sign * _points(params)) if target is None else _to_volume(target)
        return _perform(world, params, SPEAKERS, rows, change)

    return handle


def _mute(world: World, params: Params) -> Reply:
    rows = devices(world, params, SPEAKERS)
    return _perform(world, params, SPEAKERS, rows, _Change("muted", lambda row: {"muted": True}))


def _adjust_volume(world: World, params: Params) -> Reply:
    """Do to the volume whatever the request says."""
    given = [params.text(name) for name in ("change_to", "setting", "change_amount")]
    said = " ".join(text for text in given if text is not None).casefold()
    rows = devices(world, params, SPEAKERS)
    target = level(params.first("change_to", "setting") or "")
    if _UNMUTING.search(said):
        change = _Change("not muted", lambda row: {"muted": False})
    elif re.search(r"\b(?:mute|silent|silence|quiet mode)\b", said):
        return _mute(world, params)
    elif (sign := direction(said)) != 0:
        change = _by_volume(sign * _points(params))
    elif target is not None:
        change = _to_volume(target)
    else:
        return WHAT_LEVEL.reply()
    return _perform(world, params, SPEAKERS, rows, change)


_NAMED: Final = {"room": Match.CASEFOLD, "name": Match.CASEFOLD}
_DATED: Final = {"date": Match.DATETIME, "time": Match.DATETIME}

DOMAIN = Domain(
    name="iot",
    description="Lamps, sockets, loudspeakers, coffee machine and cleaning robots of the house.",
    fields=(
        Field("device_type", Kind.NAME, "which device, such as desk lamp or speakers"),
        Field("house_place", Kind.NAME, "room of the house", example="kitchen"),
        Field("time", Kind.TIME, "when to do it"),
        Field("date", Kind.DATE, "day or recurrence on which to do it"),
        Field("color_type", Kind.NAME, "colour of the lights", example="blue"),
        Field("change_to", Kind.TEXT, "level or state to go to", example="fifty percent"),
        Field("change_amount", Kind.TEXT, "by how much to go up or down", example="ten percent"),
        Field("item_name", Kind.NAME, "what to clean or to brew", Match.THING),
        Field("setting", Kind.TEXT, "how to do it, such as strong or my usual"),
    ),
    intents=tuple(
        Intent(name, summary, handler, writes=True, asks=ASKS.get(name, ()))
        for name, summary, handler in (
            ("iot_coffee", "Make coffee.", _appliances.brew),
            ("iot_cleaning", "Vacuum or mop.", _appliances.clean),
            ("iot_hue_lightcolor", "Change the colour of lights.", _color),
            ("iot_hue_lightchange", "Change how lights look.", _adjust_light),
            ("iot_hue_lightother", "Set lights to a level or state.", _adjust_light),
            ("iot_hue_lighton", "Switch lights on.", _switch_light),
            ("iot_hue_lightoff", "Switch lights off.", _light_off),
            ("iot_hue_lightup", "Make lights brighter.", _brightness(1)),
            ("iot_hue_lightdim", "Make lights dimmer.", _brightness(-1)),
            ("iot_wemo_on", "Switch a smart socket on.", _socket(_ON)),
            ("iot_wemo_off", "Switch a smart socket off.", _socket(_OFF)),
            ("audio_volume_up", "Make the sound louder.", _volume(1)),
            ("audio_volume_down", "Make the sound softer.", _volume(-1)),
            ("audio_volume_mute", "Switch the sound off.", _mute),
            ("audio_volume_other", "Set the volume.", _adjust_volume),
        )
    ),
    tables=(
        Table(
            LIGHTS,
            "light",
            {**_NAMED, "on": Match.EXACT, "brightness": Match.NUMBER, "color": Match.CASEFOLD},
        ),
        Table(SOCKETS, "socket", {**_NAMED, "on": Match.EXACT}),
        Table(SPEAKERS, "speaker", {**_NAMED, "volume": Match.NUMBER, "muted": Match.EXACT}),
        Table(SCHEDULE, "plan", {"devices": Match.CASEFOLD, "change": Match.EXACT, **_DATED}),
        *_appliances.TABLES,
    ),
    seed=_seed,
)
