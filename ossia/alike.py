"""What is said beside a name that is none of those known."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches


def meant_by(name: str, known: Collection[str]) -> str:
    """Return a clause that names what may have been meant; empty where nothing is like it."""
    near = get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(near)}?" if near else ""


def instead_of(name: str, known: Collection[str]) -> str:
    """Return a clause that names what may have been meant, or else all that there is."""
    return meant_by(name, known) or f"there are: {', '.join(known)}"
