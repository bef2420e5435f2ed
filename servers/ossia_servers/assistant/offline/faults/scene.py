"""What a role knew when it erred."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Scene:
    """The received inputs of a role; a fault is made from nothing else.

    Attributes:
        utterance: The user's sentence.
        intent: The intent role's object, or None.
        time_slots: The time role's normal forms, or None.
        place_slots: The location role's exact places, or None.
        done: Roles that have worked, in their order, those of earlier rounds included.
    """

    utterance: str = ""
    intent: Mapping[str, Any] | None = None
    time_slots: Mapping[str, str] | None = None
    place_slots: Mapping[str, str] | None = None
    done: tuple[str, ...] = field(default=())

    @property
    def domain(self) -> str:
        """The received domain, or the empty string."""
        return str((self.intent or {}).get("domain") or "")

    @property
    def slots(self) -> dict[str, str]:
        """The received raw slots; values that are no text are left out."""
        found = (self.intent or {}).get("slots")
        if not isinstance(found, Mapping):
            return {}
        return {str(name): value for name, value in found.items() if isinstance(value, str)}
