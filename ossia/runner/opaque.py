"""The names by which a worker knows an attempt at an episode."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["OpaqueNames"]


@dataclass(frozen=True)
class OpaqueNames:
    """The names by which a worker knows an attempt.

    They are random: so they tell it nothing, and nobody who knows the run can act in its place.

    Attributes:
        episode: The episode's id for the worker.
        world: The id of its world.
        api_key: Its key at the gateway.
    """

    episode: str
    world: str
    api_key: str

    @classmethod
    def new(cls, draw: Callable[[int], bytes] = secrets.token_bytes) -> OpaqueNames:
        """Return new names.

        Args:
            draw: Returns so many random bytes.
        """

        def text(size: int) -> str:
            return urlsafe_b64encode(draw(size)).rstrip(b"=").decode("ascii")

        return cls(text(12), text(24), f"ossia-{text(32)}")
