"""What the start state of a world depends on, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from ossia_servers.worlds.schema import Row


@dataclass(frozen=True, slots=True)
class SeedContext:
    """What a start state may depend on."""

    name: str
    """Name of the seed, such as `home`."""
    now: datetime
    home: str

    def random(self, *parts: object) -> random.Random:
        """Return a random stream that depends on the seed's name and `parts` alone."""
        return seeded_random(self.name, *parts)


Seed = Callable[[SeedContext], Mapping[str, Sequence[Row]]]
"""Start rows by table name, without ids."""


def seeded_random(*parts: object) -> random.Random:
    """Return a random stream that is the same for the same parts on every machine."""
    text = "\x1f".join(str(part) for part in parts)
    return random.Random(int.from_bytes(sha256(text.encode()).digest()[:8], "big"))
