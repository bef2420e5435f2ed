"""What a worker says of its own inside: whether the framework is at work and which runs go on.

It is asked for by the checks of an adapter alone. A comparison never asks.
"""

import asyncio
import gc
import inspect
import sys
import threading
from collections.abc import Iterable
from importlib import metadata
from types import CoroutineType, FrameType
from typing import Any

from ossia_adapter.types import Adapter

__all__ = ["RUN_PREFIX", "describe"]

RUN_PREFIX = "episode-"
"""What the names of the threads and tasks begin with that play episodes."""


def describe(adapter: Adapter, loop: asyncio.AbstractEventLoop) -> dict[str, Any]:
    """Describe this process at this moment.

    Args:
        adapter: The adapter, which names its framework's distribution.
        loop: The worker's event loop.

    Returns:
        `loaded` and `working`: whether a module of the distribution is imported, and whether code
        of it is in the middle of something. `asynchronous`: whether the adapter's `run` is a
        coroutine function. `episodes`: the ids of the episodes whose run has not ended.
    """
    files = _files(adapter.distribution)
    loaded = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return {
        "loaded": bool(files & loaded),
        "working": any(name in files for name in _at_work()),
        "asynchronous": inspect.iscoroutinefunction(adapter.run),
        "episodes": sorted(_running(loop)),
    }


def _files(distribution: str) -> set[str | None]:
    found = metadata.distribution(distribution)
    return {str(found.locate_file(path)) for path in found.files or () if path.suffix != ".pth"}


def _running(loop: asyncio.AbstractEventLoop) -> Iterable[str]:
    names = [thread.name for thread in threading.enumerate() if thread.is_alive()]
    names += [task.get_name() for task in asyncio.all_tasks(loop) if not task.done()]
    return {name.removeprefix(RUN_PREFIX) for name in names if name.startswith(RUN_PREFIX)}


def _at_work() -> Iterable[str]:
    """Yield the source files of all code that runs or waits, in threads and in coroutines."""
    for frame in sys._current_frames().values():
        yield from _stack(frame)
    for each in gc.get_objects():
        # Not `isinstance`, which asks lazy objects for their class and so runs their code.
        if type(each) is CoroutineType and inspect.getcoroutinestate(each) == "CORO_SUSPENDED":
            yield each.cr_code.co_filename


def _stack(frame: FrameType | None) -> Iterable[str]:
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back
