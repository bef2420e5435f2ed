"""Random streams that depend on their seed alone."""

from __future__ import annotations

import random
from hashlib import sha256


def seeded_random(*parts: object) -> random.Random:
    """Return a random stream that is the same for the same parts on every machine."""
    text = "\x1f".join(str(part) for part in parts)
    return random.Random(int.from_bytes(sha256(text.encode()).digest()[:8], "big"))
