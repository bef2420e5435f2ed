"""Which processes a worker left behind."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["processes_of"]

_PROC = Path("/proc")


def processes_of(home: Path) -> int | None:
    """Count the processes that have a worker's home folder as theirs, wherever they went.

    Args:
        home: The folder, which may be gone.

    Returns:
        Their number; `None` where processes cannot be seen.
    """
    if not _PROC.is_dir():
        return None
    mark = b"HOME=" + os.fsencode(home)
    found = 0
    for environ in _PROC.glob("[0-9]*/environ"):
        try:
            found += mark in environ.read_bytes().split(b"\0")
        except OSError:
            continue
    return found
