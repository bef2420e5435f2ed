"""The difference between two states of a world, as rows added, removed and changed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class RowChange(BaseModel):
    """One row that differs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["added", "removed", "changed"]
    table: str
    id: str
    before: dict[str, Any] | None = None
    """The row at the start; None for an added row."""
    after: dict[str, Any] | None = None
    """The row now; None for a removed row."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns whose value differs, `id` left out."""
        before, after = self.before or {}, self.after or {}
        names = dict.fromkeys([*before, *after])
        return tuple(n for n in names if n != "id" and before.get(n) != after.get(n))


class Diff(BaseModel):
    """All rows that differ, ordered by table and then by row."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    changes: tuple[RowChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)
