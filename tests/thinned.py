"""Fewer of many alike: what is long is tested whole where `OSSIA_EXPLORE` is set."""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def thinned(items: Sequence[T], step: int) -> Sequence[T]:
    """Every so many of the items; all where `OSSIA_EXPLORE` is set."""
    return items if "OSSIA_EXPLORE" in os.environ else items[::step]
