"""How a trajectory deviates from a workflow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Cause", "Deviation", "FailureType", "Node"]


class FailureType(StrEnum):
    """How a trajectory deviates, as the publication's Table 7 has it."""

    MISSING_STEP = "missing step"
    INCORRECT_SEQUENCE = "incorrect sequence"
    INCORRECT_TRANSITION = "incorrect transition"
    TOOL_USAGE = "tool usage"
    """Other arguments, a call that is refused, or a tool that is not there."""
    OTHER = "other"
    """A fact that was not told after its call; a call that no step wants."""


class Cause(StrEnum):
    """What was done wrong, so that a session fails."""

    MISSED_CALL = "missed call"
    WRONG_ARGUMENT = "wrong argument"
    WRONG_TRANSITION = "wrong transition"
    FORGOTTEN_FACT = "forgotten fact"
    NEEDLESS_CALL = "needless call"
    USER = "user"
    """The simulated user left although nothing was wrong."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """One place in which a trajectory deviates.

    Attributes:
        kind: What it is.
        wish: The number of the wish.
        step: The step that deviates, or the last one before; empty where there is none.
        turn: The user's turn; the opening is 0.
        told: What is wrong, as a clause.
        cause: What was done wrong.
    """

    kind: FailureType
    wish: int
    step: str
    turn: int
    told: str
    cause: Cause


@dataclass(frozen=True, slots=True)
class Node:
    """A step of an alignment that leaves a trace.

    Attributes:
        wish: The number of the wish.
        step: The step.
        turn: The user's turn in which it comes.
        due: Whether its way's condition was met.
        done: Whether the agent came to it.
    """

    wish: int
    step: str
    turn: int
    due: bool
    done: bool

    @property
    def right(self) -> bool:
        """Whether the agent came to it when it was due."""
        return self.due and self.done
