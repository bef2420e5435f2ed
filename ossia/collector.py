"""How often Python looks for objects that nobody holds any more."""

from __future__ import annotations

import gc
from typing import Final

__all__ = ["collect_seldom"]

_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000


def collect_seldom() -> None:
    """Let Python collect less often than by default, for a process that ends with its work.

    Imports make a hundred thousand objects that all stay. Python's own threshold of 700 looks
    through them so often that it takes a tenth of the start of every process.
    """
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
