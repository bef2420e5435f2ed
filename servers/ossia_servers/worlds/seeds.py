"""What the start state of a world depends on, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ossia_dataset.randomness import seeded_random
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
