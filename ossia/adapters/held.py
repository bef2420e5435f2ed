"""Who may touch an environment: many that use it, or one that makes or removes it.

Both are locks on a file beside the environment; the system releases them when a process ends,
however it ends.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

__all__ = ["exclusive", "hold", "lock_file"]

# A process holds what it once used until it ends: it may start workers at any time.
_HELD: dict[Path, int] = {}
_GUARD = threading.Lock()


def lock_file(environment: Path) -> Path:
    """Return the file on which the locks of an environment are."""
    return environment.parent / f".{environment.name}.lock"


def hold(environment: Path) -> None:
    """Keep an environment from being removed as long as this process lives."""
    path = lock_file(environment)
    with _GUARD:
        if path in _HELD:
            return
        # Where no lock can be made, nobody can remove anything either.
        with suppress(OSError):
            _HELD[path] = _locked(path, fcntl.LOCK_SH)


@contextmanager
def exclusive(environment: Path, *, wait: bool) -> Iterator[bool]:
    """Be the only one to touch an environment.

    Args:
        environment: Its folder, which need not exist.
        wait: Whether to wait for others.

    Yields:
        Whether it is so; always with `wait`.
    """
    path = lock_file(environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = _locked(path, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


def _locked(path: Path, operation: int) -> int:
    """Open and lock a file that its remover may take away in between."""
    while True:
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT, 0o600)
        with ExitStack() as unheld, suppress(FileNotFoundError):
            unheld.callback(os.close, descriptor)
            # Whoever can open it can lock it, and keep every run and installation waiting.
            with suppress(PermissionError):
                os.fchmod(descriptor, 0o600)
            fcntl.flock(descriptor, operation)
            if path.stat().st_ino == os.fstat(descriptor).st_ino:
                unheld.pop_all()
                return descriptor
