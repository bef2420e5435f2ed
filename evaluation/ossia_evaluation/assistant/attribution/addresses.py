"""How an address differs from the right one."""

from __future__ import annotations

from collections.abc import Mapping

from ossia_evaluation.assistant.attribution.edits import (
    AddressEdit,
    first_values,
    repeated_names,
    slashes_after,
    values_edit,
)
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.urls import read_url
from ossia_workflows.assistant import PLACE_SLOTS, TIME_SLOTS


def address_edit(
    given: Heard, right: str, said: str, oracle: Oracle, *, to_the_letter: bool
) -> AddressEdit:
    """Return how an address differs from the right one, given what the role received.

    Where the time or location role has not answered, their slots may be left out, passed on in
    words that mean the same, or turned into normal form.
    """
    (domain, params), (asked, other) = read_url(right), read_url(said)
    repeated = () if repeated_names(right) else repeated_names(said)
    if repeated:
        other = first_values(said)
    frame = oracle.frame(given)
    wrong = list(oracle.differing_values(domain, params, other, to_the_letter=to_the_letter))
    if params.get("intent") != other.get("intent"):
        wrong.append("intent")
    free = _free_values(given, oracle) if given.role == "url" else {}
    unreadable = _unreadable_values(given) if given.role == "url" else frozenset()
    judged = [
        name
        for name in wrong
        if name not in unreadable and not _is_free(name, other.get(name), free, oracle)
    ]
    # A slot that may be left out is not left out when its value stands under another name.
    moved = {other[name] for name in judged if name in other and name not in params}
    judged = [n for n in wrong if n in judged or (n not in other and params.get(n) in moved)]
    values = values_edit(params, other, judged, frame.slots)
    # Both without a slash is a path that was passed on as it was given.
    absolute = not said.startswith("/") and right.startswith("/")
    before = said[: max(0, said.find("/" + asked))] if absolute else ""
    slashes = slashes_after(said)
    return AddressEdit(
        None if asked == domain else asked,
        values,
        before,
        None if slashes == slashes_after(right) else slashes,
        repeated,
    )


def _is_free(
    name: str, said: str | None, free: Mapping[str, frozenset[str | None]], oracle: Oracle
) -> bool:
    allowed = free.get(name)
    if allowed is None or said in allowed:
        return allowed is not None
    # What has no normal form is not one that was left out.
    exact = None if said is None else oracle.normal_form(name, said)
    return exact is not None and exact in allowed


def _unreadable_values(given: Heard) -> frozenset[str]:
    """The names of times and places that were given as something else than text."""
    results = given.conversation.results
    slots = {**(results.time_slots or {}), **(results.place_slots or {})}
    return frozenset(name for name, value in slots.items() if not isinstance(value, str))


def _free_values(given: Heard, oracle: Oracle) -> dict[str, frozenset[str | None]]:
    """What the url role may say of slots that the time or location role should have answered."""
    slots = oracle.frame(given).slots
    exact: dict[str, str] = {}
    open_names: frozenset[str] = frozenset()
    if given.times is None and TIME_SLOTS & slots.keys():
        exact, open_names = exact | oracle.times(given), open_names | TIME_SLOTS
    if given.places is None and PLACE_SLOTS & slots.keys():
        exact, open_names = exact | oracle.places(given), open_names | PLACE_SLOTS
    return {name: frozenset({None, slots.get(name), exact.get(name)}) for name in open_names}


def address_fault(right: str, said: str, edit: AddressEdit) -> str:
    """Return clauses that tell how an address differs, with the role as their subject."""
    faults = []
    if edit.absolute:
        faults.append(f"gave {said}, which is no path")
    if edit.slashes is not None:
        faults.append(f"ended the path in '{edit.slashes or read_url(right)[0]}'")
    if edit.domain is not None:
        faults.append(f"addressed {edit.domain or 'no domain'} instead of {read_url(right)[0]}")
    faults += [f"repeated {name} as '{value}'" for name, value in edit.repeated]
    values, (_, params) = edit.values, read_url(said)
    faults += [f"called {name} {new}" for name, new in values.renamed.items()]
    faults += [f"left out {name}={values.right[name]}" for name in sorted(values.dropped)]
    for name in sorted(values.changed | (values.stale & values.right.keys())):
        faults.append(f"set {name}={params[name]}, expected {values.right[name]}")
    for name in sorted(values.added):
        faults.append(f"added {name}={params[name]}")
    return "; ".join(faults)
