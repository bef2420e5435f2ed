"""One database of worlds belongs to one server."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["DatabaseInUse", "held_alone"]


class DatabaseInUse(OSError):
    """Another server holds the database."""


@contextmanager
def held_alone(path: Path) -> Iterator[None]:
    """Hold a database while the block runs.

    The operating system ends the hold with the process, however it ends. The file beside the
    database that carries it stays: whoever removed it could let two servers in.

    Args:
        path: The database; it need not exist.

    Raises:
        DatabaseInUse: Another server holds it.
        OSError: The file for the hold cannot be made.
    """
    # Not Path.resolve(): of a link that points at itself it makes another kind of error.
    real = Path(os.path.realpath(path))
    lock = os.open(real.with_name(f"{real.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            # Not on the database itself: SQLite's own locks go when any of its descriptors closes.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DatabaseInUse(f"another server uses {path}") from None
        yield
    finally:
        os.close(lock)
