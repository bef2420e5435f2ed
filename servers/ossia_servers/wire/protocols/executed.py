"""What a text protocol shows of the actions that were carried out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Executed:
    """An action that was carried out.

    Attributes:
        name: Its name.
        observation: What came of it.
    """

    name: str
    observation: str
