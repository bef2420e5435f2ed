"""The private folders of workers: made, held while in use, and swept when nobody holds them."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["WorkerFolder", "sweep"]

PREFIX = "ossia-worker-"


@dataclass(frozen=True, slots=True)
class WorkerFolder:
    """A new folder, held by a lock that ends with the last process that has its descriptor.

    Attributes:
        path: The folder.
        descriptor: What holds it; the worker's supervisor inherits it, so that the folder is not
            swept while a worker lives longer than its runner.
    """

    path: Path
    descriptor: int

    @classmethod
    def make(cls) -> WorkerFolder:
        """Make a folder.

        Raises:
            OSError: The temporary folder cannot be written.
        """
        while True:
            path = Path(tempfile.mkdtemp(prefix=PREFIX))
            descriptor = _hold(path)
            # Another runner may have swept it before it was held.
            if descriptor is not None and path.is_dir():
                return cls(path, descriptor)
            if descriptor is not None:
                os.close(descriptor)

    def remove(self) -> None:
        """Remove the folder with what is in it, and let go of it."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            os.close(self.descriptor)


def sweep() -> None:
    """Remove this user's folders of workers that nobody holds: what a killed machine left."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        descriptor = _hold(path)
        if descriptor is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(descriptor)


def _hold(path: Path) -> int | None:
    """Take a folder's lock; None where it is held, no folder, or somebody else's."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        about = os.fstat(descriptor)
        if stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None
