"""How a run or a server is stopped from outside: by Ctrl-C, by SIGTERM and by SIGHUP, all alike."""

from __future__ import annotations

import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from time import monotonic
from types import FrameType
from typing import Any, Final, TypeVar

__all__ = ["end_undisturbed", "handlers_kept", "run_in_order", "stopped_as_by_ctrl_c"]

_T = TypeVar("_T")

_GRACE_SECONDS: Final = 1.0
"""A second Ctrl-C within this time is of the same keystroke, or of an impatient hand."""


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


def run_in_order(work: Coroutine[Any, Any, _T]) -> _T:
    """Do some work in a loop of its own, whose first Ctrl-C ends it in order.

    One right after it changes nothing. Else it is raised in the middle of whatever is being put
    away, with a traceback of it. So it stays after a Ctrl-C, for what the caller still has to put
    away.

    Raises:
        KeyboardInterrupt: it was stopped.
    """
    # Loaded when asked for: a signal is heeded from the first moment of every command.
    import uvloop

    return uvloop.run(_stopped_in_order(work))


async def _stopped_in_order(work: Coroutine[Any, Any, _T]) -> _T:
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or current_thread() is not main_thread():
        return await work
    first: list[float] = []

    def once(number: int, frame: FrameType | None) -> None:
        if first and monotonic() - first[0] < _GRACE_SECONDS:
            return
        first.append(monotonic())
        handler(number, frame)

    signal.signal(signal.SIGINT, once)
    try:
        return await work
    finally:
        if not first:
            signal.signal(signal.SIGINT, handler)


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Let Ctrl-C do after the block what it did before, for a program that goes on."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if current_thread() is main_thread():
            signal.signal(signal.SIGINT, before)


def end_undisturbed() -> None:
    """Ignore Ctrl-C from here to the end of the process, which has nothing left to do but to end.

    Else a further one kills it while the interpreter is put away, and the exit code is lost.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
