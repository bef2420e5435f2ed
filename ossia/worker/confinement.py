"""What the operating system holds a worker to, and what it must not read."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.util import find_spec
from typing import Literal, get_args

__all__ = ["ASPECTS", "Aspect", "confinement_text", "hidden_folders"]

Aspect = Literal["files", "tcp", "signals", "sockets", "processes"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
"""What can be enforced: what is read and written, the ports of connections, signals to other
processes and abstract sockets, no sockets but TCP, and that no process is left."""

_PACKAGES = (
    *("ossia", "ossia_dataset", "ossia_evaluation"),
    *("ossia_servers", "ossia_workflows"),
)


def confinement_text(enforced: Collection[str]) -> str:
    """Return in words how far workers are confined.

    Args:
        enforced: The aspects that are enforced.
    """
    found = [aspect for aspect in ASPECTS if aspect in enforced]
    if len(found) == len(ASPECTS):
        return "confined"
    if not found:
        return "not confined"
    return f"partly confined ({', '.join(found)} only)"


@cache
def hidden_folders() -> tuple[str, ...]:
    """Return the folders of Ossia's own code and task sets.

    They may lie beside the Python that an adapter's environment rests on.
    """
    specs = [find_spec(package) for package in _PACKAGES]
    places = [spec.submodule_search_locations for spec in specs if spec is not None]
    return tuple(folder for each in places if each is not None for folder in each)
