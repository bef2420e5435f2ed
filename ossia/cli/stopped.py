"""The end of a command by Ctrl-C: a line when it begins, and a line when it is done."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

from ossia.errors import INTERRUPTED
from ossia.stopping import Stop, end_undisturbed

STOPPED: Final = "ossia: stopped"

RESUMES: Final = "stopped; run the same command again to resume"

STOPPING: Final = "stopping; press Ctrl-C again to end at once"

_SHOW_CURSOR: Final = "\x1b[?25h"


def end_stopped(told: str = STOPPED) -> NoReturn:
    """End the process, which a Ctrl-C has stopped."""
    end_undisturbed()
    sys.stderr.write(f"{told}\n")
    sys.exit(INTERRUPTED)


@contextmanager
def resumable() -> Iterator[None]:
    """Let a Ctrl-C end the process with what resumes the work of the block."""
    try:
        yield
    except KeyboardInterrupt:
        end_stopped(RESUMES)


def stop_with(begun: Callable[[], None] | None = None, told: str = RESUMES) -> Stop:
    """Return what is done when a command's work is stopped by Ctrl-C, and by a second one.

    Args:
        begun: says that the work is being ended.
        told: the last line of a command that a second Ctrl-C ends.
    """
    return Stop(begun or _say_stopping, lambda: _end_at_once(told))


def _say_stopping() -> None:
    sys.stderr.write(f"{STOPPING}\n")


def _end_at_once(told: str) -> NoReturn:
    """End the process wherever it is: what is finished is stored, and workers end with it."""
    # A live line has hidden the cursor. Not by way of a stream that may be in the middle of a line.
    shown = _SHOW_CURSOR if sys.stderr.isatty() else ""
    os.write(2, f"{shown}\n{told}\n".encode())
    os._exit(INTERRUPTED)
