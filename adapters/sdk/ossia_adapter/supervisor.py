"""The process that a worker is a child of, so that nothing the worker starts outlives it.

A process that was started by the worker, and whose own parents have ended, becomes a child of the
supervisor, also when it has left the worker's group and session. The supervisor runs nothing of the
adapter's.
"""

import contextlib
import ctypes
import os
import resource
import select
import shutil
import signal
import sys
from pathlib import Path
from typing import NoReturn

__all__ = ["supervise"]

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_WATCHED = (signal.SIGTERM, signal.SIGCHLD)


def supervise(read_fd: int, write_fd: int, folder: Path) -> bool:
    """Go on in a child of this process, which watches over it and never returns from here.

    The worker is ended, with all that it has started, when the pipe from the runner closes or
    this process gets SIGTERM. Its folder is removed and this process ends in the same way as it.

    Args:
        read_fd: The pipe with the requests.
        write_fd: The pipe for the responses.
        folder: The worker's folder.

    Returns:
        In the child: whether everything that it starts ends with it. Where this system cannot see
        to that, there is no child, and this process goes on itself.
    """
    if sys.platform != "linux":
        return False
    reaping = _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    before = {number: signal.signal(number, _note) for number in _WATCHED}
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    parent = os.getpid()
    worker = os.fork()
    if worker:
        os.close(write_fd)
        _end_as(_watch(worker, woken, read_fd), folder)
    signal.set_wakeup_fd(-1)
    for number, handler in before.items():
        signal.signal(number, handler)
    os.close(woken)
    os.close(wake)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    return reaping


def _note(number: int, frame: object) -> None:
    """Nothing: that a signal came is read from the pipe."""


def _prctl(option: int, value: int) -> bool:
    given = (ctypes.c_ulong(each) for each in (value, 0, 0, 0))
    return bool(ctypes.CDLL(None, use_errno=True).prctl(ctypes.c_int(option), *given) == 0)


def _watch(worker: int, woken: int, lifeline: int) -> int:
    """Wait until the worker ends or has to, and end all that is left; returns its wait status."""
    poll = select.poll()
    poll.register(woken, select.POLLIN)
    # Without events only the closing is told, and the requests stay for the worker to read.
    poll.register(lifeline, 0)
    ended: dict[int, int] = {}
    told = False
    while worker not in ended and not told:
        for descriptor, _ in poll.poll():
            told = told or descriptor == lifeline or signal.SIGTERM in os.read(woken, 512)
        _reap(ended)
    while True:
        for child in _children():
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            # One end at a time: what that process had started is a child of this one from then on.
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return ended[worker]
        ended[pid] = status


def _reap(ended: dict[int, int]) -> None:
    """Take note of the children that have ended."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = found[1]


def _children() -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name of a program may hold anything, so the fields are counted from its end.
            fields = path.read_bytes().rpartition(b")")[2].split()
            if int(fields[1]) == os.getpid():
                found.append(int(path.parent.name))
    return found


def _end_as(status: int, folder: Path) -> NoReturn:
    shutil.rmtree(folder, ignore_errors=True)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)
