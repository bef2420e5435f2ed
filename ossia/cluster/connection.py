"""The connection of this process to a Ray cluster, which leaves signals and output as they were."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, Final

from ossia.errors import UserError

_LOG = logging.getLogger(__name__)

ANSWER_SECONDS: Final = 5.0
"""How long a machine is given to take a connection."""


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Be connected to a cluster; a program's own connection is used, and stays.

    Raises:
        UserError: Ray is not installed, or there is no such cluster.
    """
    try:
        import ray
    except ImportError:
        raise UserError("--engine ray needs Ray: install ossia[scale]") from None
    if address.startswith("ray://"):
        raise UserError(
            "--address ray://... is not supported: run the command on a machine of the cluster, or"
            " submit it there with `ray job submit`"
        )
    if ray.is_initialized():
        yield ray
        return
    _reach(address)
    # Else Ray writes about its own trouble between our lines, when a node or the head is lost.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    # One attempt, of half a minute, at an address where something listens that is no cluster.
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
    with _handlers_kept(), _unheard():
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            raise UserError(f"--address {address}: {first_line(error)}") from None
    with _output_kept_clean():
        try:
            yield ray
        finally:
            ray.shutdown()


def _reach(address: str) -> None:
    """Ask whether anything listens at an address, which Ray would go on trying for minutes.

    Raises:
        UserError: nothing does.
    """
    host, colon, port = address.rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
    except (OSError, OverflowError, ValueError) as error:
        raise UserError(f"--address {address}: {first_line(error)}") from None


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Let signals do what they did before: Ray would end the process by itself."""
    named = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in named}
    try:
        yield
    finally:
        if current_thread() is main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def _unheard() -> Iterator[None]:
    """Let nothing be written to standard error: Ray says there by which variable it is quiet."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _output_kept_clean() -> Iterator[None]:
    """Let Ray not print the last words of a lost node on standard output, where tables go.

    `log_to_driver` is for workers alone. This is the switch by which Ray's own debugger is quiet.
    """
    worker, switch = sys.modules.get("ray._private.worker"), "_worker_logs_enabled"
    before = getattr(worker, switch, None)
    if before is None:
        _LOG.warning("this version of Ray may print about lost nodes on standard output")
        yield
        return
    setattr(worker, switch, False)
    try:
        yield
    finally:
        setattr(worker, switch, before)


def first_line(error: BaseException) -> str:
    """Return the beginning of an error of several lines."""
    return next(iter(str(error).splitlines()), type(error).__name__)[:300]
