"""The tools of a role's turn, as the offline model knows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolState:
    """What a role can do with tools at this point.

    Attributes:
        offered: The tools that may be called.
        last: What the last tool called returned, or None if none was called yet.
        calls: How many tools were called in this turn.
    """

    offered: frozenset[str]
    last: str | None = None
    calls: int = 0
