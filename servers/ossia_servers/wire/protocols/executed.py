"""What a text protocol shows of the actions that were carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Executed:
    """An action that was carried out.

    Attributes:
        name: Its name.
        observation: What came of it.
        arguments: What it was given.
    """

    name: str
    observation: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
