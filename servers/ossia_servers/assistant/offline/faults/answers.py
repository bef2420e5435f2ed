"""Wrong answers of the intent, time, location and url roles, made from right ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from ossia_servers.assistant.offline.faults.catalogue import Catalogue
from ossia_servers.assistant.offline.faults.kinds import FaultType
from ossia_servers.assistant.offline.faults.scene import Scene
from ossia_servers.assistant.offline.faults.values import (
    new_words,
    other_moments,
    other_places,
    other_words,
)
from ossia_servers.worlds.schema import Kind
from ossia_workflows import text_slots
from ossia_workflows.assistant import PLACE_SLOTS, TIME_SLOTS, role_output

Options = Callable[[Mapping[str, Any], Scene, Catalogue], Iterable[str]]

_PROSE: Mapping[str, str] = {
    "intent": "I think that the user wants the assistant to do something, but I am not sure what.",
    "time": "I have worked out the date and the time; please go on.",
    "location": "The place is clear from the sentence; please go on.",
    "url": "The address is ready and can be requested now.",
}


def malformed(role: str, right: str) -> tuple[str, ...]:
    """Return answers of a role that nobody can read: cut off, or talk in place of JSON."""
    cut = right.rstrip()[: max(1, len(right.rstrip()) * 2 // 3)]
    options = (cut, _PROSE[role])
    return tuple(o for o in options if o != right and role_output(role, o) is None)


def wrong_answers(
    fault: FaultType, right: str, scene: Scene, catalogue: Catalogue
) -> tuple[str, ...]:
    """Return every wrong answer that a fault can make of a right one.

    Args:
        fault: A fault of the intent, time, location or url role.
        right: The role's answer.
        scene: What the role knew.
        catalogue: The domains.

    Returns:
        Answers unlike the right one; none where the fault cannot happen.
    """
    if fault.value.endswith(".malformed"):
        return malformed(fault.role, right)
    output = role_output(fault.role, right)
    if output is None:
        return ()
    return tuple(o for o in _MAKERS[fault](output, scene, catalogue) if o != right)


def _dump(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _with_slots(output: Mapping[str, Any], slots: Mapping[str, str]) -> str:
    return _dump({**output, "slots": dict(slots)})


def _wrong_domain(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    slots = text_slots(output.get("slots"))
    for name in catalogue.neighbours(str(output.get("domain", "")), tuple(slots)):
        entry = catalogue.domains[name]
        kept = {slot: value for slot, value in slots.items() if slot in entry.slots}
        for intent in entry.intents[:2]:
            yield _dump({"domain": name, "intent": intent, "slots": kept})


def _sibling(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    for name in catalogue.siblings(str(output.get("domain", "")), str(output["intent"])):
        yield _dump({**output, "intent": name})


def _dropped_slot(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    slots = text_slots(output.get("slots"))
    for name in slots:
        yield _with_slots(output, {k: v for k, v in slots.items() if k != name})


def _altered_slot(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    slots, domain = text_slots(output.get("slots")), str(output.get("domain", ""))
    for name, value in slots.items():
        for other in other_words(value, catalogue.kind(domain, name), scene.utterance):
            yield _with_slots(output, {**slots, name: other})


def _extra_slot(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    slots = text_slots(output.get("slots"))
    entry = catalogue.domains.get(str(output.get("domain", "")))
    for name, kind in entry.slots.items() if entry else ():
        if name not in slots:
            for value in new_words(kind, scene.utterance)[:2]:
                yield _with_slots(output, {**slots, name: value})


def _time_wrong(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    slots = text_slots(output["time_slots"])
    for name, value in slots.items():
        for other in other_moments(value):
            yield _dump({"time_slots": {**slots, name: other}})


def _unconverted(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    said = {name: value for name, value in scene.slots.items() if name in TIME_SLOTS}
    if said and said != text_slots(output["time_slots"]):
        yield _dump({"time_slots": said})


def _time_dropped(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    slots = text_slots(output["time_slots"])
    for name in slots:
        yield _dump({"time_slots": {k: v for k, v in slots.items() if k != name}})


def _place_wrong(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    slots = text_slots(output["place_slots"])
    for name, value in slots.items():
        for other in other_places(value):
            yield _dump({"place_slots": {**slots, name: other}})


def _unresolved(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    said = {name: value for name, value in scene.slots.items() if name in PLACE_SLOTS}
    if said and said != text_slots(output["place_slots"]):
        yield _dump({"place_slots": said})


def split_address(url: str) -> tuple[str, dict[str, str]]:
    """Return the domain and the parameters of an address; empty where it has none."""
    try:
        parts = urlsplit(url.strip())
        return parts.path.strip("/"), dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:
        return "", {}


def join_address(domain: str, params: Mapping[str, str]) -> str:
    """Return the address of a domain with its parameters."""
    query = urlencode(params, errors="replace")
    return f"/{quote(domain, safe='', errors='replace')}?{query}"


def altered_addresses(url: str, scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    """Yield an address with one parameter's value changed, for each parameter but the intent."""
    domain, params = split_address(url)
    for name, value in params.items():
        if name == "intent":
            continue
        kind = catalogue.kind(domain, name)
        options = other_moments(value) if kind in (Kind.DATE, Kind.TIME) else ()
        for other in options or other_words(value, kind, scene.utterance):
            yield join_address(domain, {**params, name: other})


def shortened_addresses(url: str) -> Iterable[str]:
    """Yield an address without one of its parameters, for each parameter but the intent."""
    domain, params = split_address(url)
    for name in params:
        if name != "intent":
            yield join_address(domain, {k: v for k, v in params.items() if k != name})


def _of_url(make: Callable[[str, Scene, Catalogue], Iterable[str]]) -> Options:
    def options(output: Mapping[str, Any], scene: Scene, catalogue: Catalogue) -> Iterable[str]:
        right = str(output["url"])
        return (_dump({"url": url}) for url in make(right, scene, catalogue) if url != right)

    return options


def _endpoints(url: str, scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    domain, params = split_address(url)
    names = [name for name in params if name != "intent"]
    for other in catalogue.neighbours(domain, names):
        yield join_address(other, params)


def _renamed(url: str, scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    domain, params = split_address(url)
    entry = catalogue.domains.get(domain)
    known = [name for name in (entry.slots if entry else ()) if name not in params]
    for name in params:
        kind = catalogue.kind(domain, name)
        alike = [other for other in known if catalogue.kind(domain, other) is kind]
        for other in (alike or [f"{name}_value"])[:3] if name != "intent" else ():
            yield join_address(domain, {(other if k == name else k): v for k, v in params.items()})


def _stale(url: str, scene: Scene, catalogue: Catalogue) -> Iterable[str]:
    domain, params = split_address(url)
    exact = {**(scene.time_slots or {}), **(scene.place_slots or {})}
    for name, said in scene.slots.items():
        if name in exact and params.get(name) == exact[name] != said:
            yield join_address(domain, {**params, name: said})


_MAKERS: Mapping[FaultType, Options] = {
    FaultType.INTENT_WRONG_DOMAIN: _wrong_domain,
    FaultType.INTENT_SIBLING: _sibling,
    FaultType.INTENT_DROPPED_SLOT: _dropped_slot,
    FaultType.INTENT_ALTERED_SLOT: _altered_slot,
    FaultType.INTENT_EXTRA_SLOT: _extra_slot,
    FaultType.TIME_WRONG: _time_wrong,
    FaultType.TIME_UNCONVERTED: _unconverted,
    FaultType.TIME_DROPPED: _time_dropped,
    FaultType.LOCATION_WRONG: _place_wrong,
    FaultType.LOCATION_UNRESOLVED: _unresolved,
    FaultType.URL_WRONG_ENDPOINT: _of_url(_endpoints),
    FaultType.URL_DROPPED_PARAM: _of_url(lambda url, scene, catalogue: shortened_addresses(url)),
    FaultType.URL_RENAMED_PARAM: _of_url(_renamed),
    FaultType.URL_ALTERED_PARAM: _of_url(altered_addresses),
    FaultType.URL_STALE_VALUE: _of_url(_stale),
}
