"""What a suite's grader says of an episode: the verdict, and what stands beside it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, FiniteFloat

FRAMEWORK: Final = "framework"
"""Named for a failed episode when the framework gave up although no role deviates."""


SERVICE: Final = "service"
"""Named for a failed episode in which a fault struck a service: no role is to blame for it."""


class Verdict(StrEnum):
    """What an episode shows."""

    SUCCESS = "success"
    FAILURE = "failure"
    INVALID = "invalid"
    """Infrastructure failed: neither success nor failure, always shown, excluded from all rates."""


class Fault(BaseModel):
    """One role that the rules name for a failed episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    reason: str
    """One readable sentence."""


class Grade(BaseModel):
    """The grade of one episode, as it is stored.

    A suite whose grader tells more has a type of its own with these fields and others.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    """Of the grader. A suite that changes what verdicts rest on raises it in a type of its own."""
    verdict: Verdict
    reason: str
    """Why, in one sentence."""
    faults: tuple[Fault, ...] = ()
    """For a failure: the roles that the rules name."""
    metrics: dict[str, bool | FiniteFloat] = {}
    """What stands beside the verdict, by the names of the suite's metrics."""

    @classmethod
    def present_version(cls) -> int:
        """Return the version that grades of this type bear when they are given now."""
        return int(cls.model_fields["version"].default)

    @property
    def failed_roles(self) -> frozenset[str]:
        """The roles whose steps are shown as failed."""
        return frozenset(fault.role for fault in self.faults)

    def detail_lines(self, *, wanted: bool = False) -> Iterator[str]:
        """Yield what is wrong with an episode, as lines for people.

        Args:
            wanted: also what was to be done.
        """
        yield from ()
