"""The end of a command by Ctrl-C, in one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from ossia.errors import INTERRUPTED
from ossia.stopping import end_undisturbed


def end_stopped(told: str = "ossia: stopped") -> NoReturn:
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
        end_stopped("stopped; run the same command again to resume")
