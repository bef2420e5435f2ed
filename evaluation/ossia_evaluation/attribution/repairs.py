"""Which steps of a replay are repaired, and where its answers come from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class How(StrEnum):
    """Where an answer of a replay came from."""

    TAPE = "tape"
    """The recording, byte for byte: the relevant input is unchanged."""
    EDITED = "edited"
    """The right answer to a new input, with the step's own edit applied."""
    REPAIRED = "repaired"
    """The contract: the step is repaired."""
    NEW = "new"
    """The contract: the moment was never recorded."""
    GIVEN = "given"
    """What the user gave in the step's place."""


@dataclass(frozen=True)
class Repair:
    """Which steps of a replay are repaired.

    Attributes:
        situations: moments by name.
        all_but: repair every step except these, in place of only these.
    """

    situations: frozenset[str] = frozenset()
    all_but: bool = False

    def covers(self, situation: str) -> bool:
        """Whether a moment is repaired."""
        return (situation in self.situations) is not self.all_but

    def __str__(self) -> str:
        """Return in words what is repaired."""
        names = " + ".join(sorted(self.situations))
        if self.all_but:
            return f"every step repaired but {names}" if names else "every step repaired"
        return f"{names} repaired" if names else "nothing repaired"


EVERYTHING = Repair(all_but=True)
"""All steps repaired."""


@dataclass(frozen=True, slots=True)
class Played:
    """One answer of a replay."""

    situation: str
    role: str
    how: How
