"""What an adapter tells of its framework: its maintenance, and the defaults it changes."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Default", "Edit", "Status"]


class Status(BaseModel):
    """A framework's maintenance, on the day on which somebody looked.

    Attributes:
        newest: Its newest version.
        checked: When that was looked up.
        state: `archived` where its makers say that it ends, `unmaintained` where nothing happens.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    newest: Annotated[str, Field(min_length=1)]
    checked: date
    state: Literal["maintained", "archived", "unmaintained"] = "maintained"

    @property
    def text(self) -> str:
        """The same in words: `newest 0.7.5 on 2026-11-24, archived`."""
        known = f"newest {self.newest} on {self.checked}"
        return known if self.state == "maintained" else f"{known}, {self.state}"


class Edit(BaseModel):
    """A place in the adapter's sources that brings a default back.

    Attributes:
        file: The file, in the adapter's package.
        ours: What stands there, once.
        theirs: What stands there instead where the framework's default holds.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    file: Annotated[str, Field(pattern=r"^[a-z_]+\.py$")]
    ours: Annotated[str, Field(min_length=1)]
    theirs: str


class Default(BaseModel):
    """A default of the framework that the adapter changes.

    Attributes:
        what: What is called, and its parameter: `Client(max_retries)`.
        variants: The variants that change it; all of them where none is named.
        theirs: The framework's value.
        ours: The adapter's.
        why: Why it is changed.
        moves: What that moves, and which way; empty where it moves nothing unless a limit is met.
        edits: How it is brought back, to be measured; where none is told it is not measured.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    what: Annotated[str, Field(min_length=1)]
    variants: list[str] = []
    theirs: Annotated[str, Field(min_length=1)]
    ours: Annotated[str, Field(min_length=1)]
    why: Annotated[str, Field(min_length=1)]
    moves: str = ""
    edits: list[Edit] = []
