"""What the arguments of the office's tools look like, as JSON Schema tells it.

A call's arguments are texts, and a tool itself says in its published sentence what is wrong with
one. So a schema forbids (`enum`, `pattern`) only where the tool refuses, and shows the usual form
(`format`, `examples`) where the tool takes anything, as published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ossia_servers.workbench.patterns import MAX_PATTERN

Form = Mapping[str, Any]
"""JSON Schema keywords beside the type."""

TEXT: Final[Form] = {}
"""Any words."""

SEARCH: Final[Form] = {"format": "regex", "maxLength": MAX_PATTERN}
"""A regular expression, such as plain words; what is none or could take very long is refused."""

ADDRESS: Final[Form] = {"format": "email"}
"""An address; not checked."""

RECIPIENT: Final[Form] = {"format": "email", "pattern": r"@(.|\n)*\.|\.(.|\n)*@"}
"""An address; refused without `@` and a point."""

DAY: Final[Form] = {"format": "date", "examples": ["2023-11-30"]}
"""A day; compared as a text, so not checked."""

DAY_ONLY: Final[Form] = {
    "pattern": r"^(\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?)?$",
    "examples": ["2023-11-30"],
}
"""A day; what is none is refused, and a time beside it is left out of account."""

MOMENT: Final[Form] = {**DAY_ONLY, "examples": ["2023-11-30 09:30:00"]}
"""A moment of a day, or its first; what is none is refused."""

START: Final[Form] = {"examples": ["2023-11-30 09:30:00"]}
"""A moment; not checked."""

MINUTES: Final[Form] = {"examples": ["30"]}
"""A length in minutes; not checked."""


def digits(width: int) -> Form:
    """Return the form of an id; any other one is not found."""
    return {"pattern": r"^[0-9]+$", "examples": ["0" * (width - 2) + "42"]}


def one_of(options: Sequence[str]) -> Form:
    """Return the form of a value that is refused when it is none of these."""
    return {"enum": list(options)}


def usually(options: Sequence[str]) -> Form:
    """Return the form of a value that should be one of these, and may be another."""
    return {"examples": list(options)}
