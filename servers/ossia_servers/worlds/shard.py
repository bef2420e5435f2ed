"""Which of several server processes holds a world."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

MOST_SHARDS = 16
"""Each server process has a socket to each other; beyond this number they cost more than they
bring."""

_NUMBERED = re.compile(r"world-([1-9][0-9]{0,17})(-[A-Za-z0-9_-]+)?")


@dataclass(frozen=True, slots=True)
class Shard:
    """The share of the worlds that one of several server processes holds.

    Attributes:
        number: Which share, from 0.
        of: Into how many the worlds are divided.
    """

    number: int = 0
    of: int = 1

    def owner(self, world_id: str) -> int:
        """Return the number of the shard that is to hold a world."""
        if self.of == 1:
            return 0
        numbered = _NUMBERED.fullmatch(world_id)
        if numbered is not None:
            return (int(numbered[1]) - 1) % self.of
        # Not hash(): that differs from process to process.
        return crc32(world_id.encode()) % self.of

    def id_of(self, secret: str) -> str:
        """Return an id in this shard for a world that was given none.

        Args:
            secret: What makes the id impossible to guess: letters, digits, `-` and `_`.
        """
        return f"world-{1 + self.number}-{secret}"

    def holds(self, world_id: str) -> bool:
        """Say whether a world belongs to this shard."""
        return self.owner(world_id) == self.number

    def file(self, path: Path) -> Path:
        """Return the file of this shard, given the first one's."""
        return path if self.number == 0 else path.with_name(f"{path.name}.{self.number}")
