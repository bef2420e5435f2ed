"""What a change may draw on: other messages on the same wire. It holds nothing of the task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.attribution.wild.messages import Message


@dataclass(frozen=True)
class Material:
    """Messages beside the one that is changed, all of the same framework.

    Attributes:
        alike: what the same role said at the same call of its turn in other tasks.
        earlier: what was said before in the same step, in order; by the manager, in the episode.
        sentences: texts that members said in other tasks.
    """

    alike: tuple[Message, ...] = ()
    earlier: tuple[Message, ...] = ()
    sentences: tuple[str, ...] = ()


Way = Callable[[Message, Material, Random], Message | None]
"""Changes a message; None where it has nothing that could be changed in this way."""

Rewrite = Callable[[str, Material, Random], str | None]
"""Changes a text; None where it cannot be changed in this way."""
