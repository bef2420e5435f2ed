"""Work in a loop of its own, which a Ctrl-C ends in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from time import monotonic
from types import FrameType
from typing import Any, Final, TypeVar

import uvloop

from ossia.stopping import Stop

__all__ = ["handlers_kept", "run_in_order"]

_T = TypeVar("_T")

_GRACE_SECONDS: Final = 0.5
"""A second Ctrl-C within this time is of the same keystroke."""


def run_in_order(work: Coroutine[Any, Any, _T], stop: Stop | None = None) -> _T:
    """Do some work in a loop of its own, whose first Ctrl-C ends it in order.

    One right after it changes nothing. Else it is raised in the middle of whatever is being put
    away, with a traceback of it. So it stays after a Ctrl-C, for what the caller still has to put
    away.

    Args:
        work: the work.
        stop: what is done besides when it is stopped.

    Raises:
        KeyboardInterrupt: it was stopped.
    """
    return uvloop.run(_stopped_in_order(work, stop))


async def _stopped_in_order(work: Coroutine[Any, Any, _T], stop: Stop | None) -> _T:
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or current_thread() is not main_thread():
        return await work
    first: list[float] = []
    loop = asyncio.get_running_loop()

    def once(number: int, frame: FrameType | None) -> None:
        if first and monotonic() - first[0] < _GRACE_SECONDS:
            return
        if first and stop is not None:
            stop.at_once()
        first.append(monotonic())
        if stop is not None:
            loop.call_soon_threadsafe(stop.begun)
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
