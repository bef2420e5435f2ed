"""How a run or a server is stopped from outside: by Ctrl-C, by SIGTERM and by SIGHUP, all alike."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

__all__ = ["Stop", "end_undisturbed", "stopped_as_by_ctrl_c"]


@dataclass(frozen=True)
class Stop:
    """What is done when work is stopped by Ctrl-C.

    Attributes:
        begun: Called in the work's loop at the first one, before the work is cancelled.
        at_once: Called by a later one, wherever the work is then; ends the process.
    """

    begun: Callable[[], None]
    at_once: Callable[[], NoReturn]


@contextmanager
def stopped_as_by_ctrl_c() -> Iterator[None]:
    """Let SIGTERM and SIGHUP do what Ctrl-C does while the block runs; in the main thread only.

    SIGHUP stays ignored where it was, as under `nohup`. Ctrl-C does not: a script's shell lets its
    background jobs ignore it, and then nothing would end them in order.
    """
    named = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in named}
    taken = [number for number in named[1:] if before[number] is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _interrupt)
    if before[signal.SIGINT] is signal.SIG_IGN:
        taken.append(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGINT)


def end_undisturbed() -> None:
    """Ignore Ctrl-C from here to the end of the process, which has nothing left to do but to end.

    Else a further one kills it while the interpreter is put away, and the exit code is lost.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
