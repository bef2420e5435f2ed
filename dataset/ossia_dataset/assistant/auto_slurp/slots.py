"""From the labels of a row to raw slots that have the catalogue's names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from ossia_dataset.assistant.auto_slurp.catalogue import PARAMETERS, catalogue_name
from ossia_dataset.normalise import TIME_SLOTS, normalise_date, normalise_time

_SECOND: Final = {"currency": "currency2", "time_zone": "time_zone2", "time": "time2"}
_STANDALONE_PARTS: Final = ("tonight", "this ", "last ", "yesterday", "tomorrow")


class _Slots:
    """Collects the slots of one row and says what was changed on the way."""

    def __init__(self, domain: str, utterance: str) -> None:
        self.domain = domain
        self.utterance = utterance
        self.slots: dict[str, str] = {}
        self.notes: list[str] = []

    def add(self, name: str, value: str) -> None:
        """Add a label under the catalogue's name, or say why it is left out."""
        known = catalogue_name(self.domain, name)
        if known is None:
            self.notes.append(
                f"The {self.domain} domain has no parameter for the slot '{name}: {value}'."
            )
            return
        if known != name:
            self.notes.append(f"The slot '{name}' is the catalogue's '{known}'.")
        if known not in self.slots:
            self.slots[known] = value
        elif self.slots[known] != value:
            self._again(known, value)

    def _again(self, name: str, value: str) -> None:
        """Place the second value of one slot."""
        first = self.slots[name]
        second = _SECOND.get(name)
        if second in PARAMETERS[self.domain] and second not in self.slots:
            self.slots[second] = value
            self.notes.append(f"The second '{name}' is '{second}'.")
        elif name in TIME_SLOTS:
            self.notes.append(f"Of two values of '{name}' the first is kept, not '{value}'.")
        else:
            self.slots[name] = f"{first} and {value}"
            self.notes.append(f"Two values of '{name}' are one text.")


def raw_slots(
    domain: str, labels: Iterable[tuple[str, str]], utterance: str, now: datetime
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Give the labels of a row the catalogue's names.

    Args:
        domain: The domain of the row.
        labels: Names and values as labelled.
        utterance: What the user said; a time said in two places is looked up in it.
        now: The clock by which a date is told from a time.

    Returns:
        The raw slots, and one sentence for each change.
    """
    found = _Slots(domain, utterance)
    plain, parts, frequencies, ranged = [], [], [], False
    for name, value in labels:
        if name == "timeofday":
            parts.append(value)
        elif name == "general_frequency":
            frequencies.append(value)
        else:
            ranged = ranged or name == "time2"
            if name == "item_index":
                name, value = "descriptor", f"item {value}"
                found.notes.append(f"The slot 'item_index' is the descriptor '{value}'.")
            plain.append((name, value))
    if domain == "calendar" and ranged:
        # The calendar calls the ends of a stretch of time by other names.
        plain = [("from_time" if name == "time" else name, value) for name, value in plain]
    for name, value in plain:
        found.add(name, value)
    for value in parts:
        _add_part(found, value)
    for value in frequencies:
        if "date" in found.slots:
            found.notes.append(f"A recurrence '{value}' beside the date is left out.")
        else:
            found.add("general_frequency", value)
    _move_date(found, now)
    return found.slots, tuple(found.notes)


def _move_date(found: _Slots, now: datetime) -> None:
    """Call a date by its name where it was labelled as a time: "the last three days"."""
    value = found.slots.get("time")
    if value is None or "date" in found.slots or "date" not in PARAMETERS[found.domain]:
        return
    if normalise_time(value, now) is None and normalise_date(value, now) is not None:
        del found.slots["time"]
        found.slots["date"] = value
        found.notes.append(f"The time '{value}' is a date.")


def _add_part(found: _Slots, part: str) -> None:
    """Add a part of the day, to the clock time if there is one."""
    time = found.slots.get("time")
    if time is None:
        found.add("timeofday", part)
        return
    said = re.search(
        rf"\b{re.escape(time)}\b.{{0,12}}?\b{re.escape(part)}\b", found.utterance, re.IGNORECASE
    )
    if said is not None:
        found.slots["time"] = said[0]
    else:
        joint = " " if part.startswith(_STANDALONE_PARTS) else " in the "
        found.slots["time"] = f"{time}{joint}{part}"
    found.notes.append(f"The part of the day '{part}' belongs to the time.")
