"""Newline-delimited JSON-RPC 2.0 over two pipes, the worker's side."""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ossia_adapter import wire

__all__ = [
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "MAX_MESSAGE_BYTES",
    "METHOD_NOT_FOUND",
    "NOT_READY",
    "PARSE_ERROR",
    "PROTOCOL",
    "WORKER_FAILED",
    "ProtocolError",
    "Request",
    "Writer",
    "parse",
    "read_lines",
]

PROTOCOL = 3
MAX_MESSAGE_BYTES = 4 * 1024 * 1024

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
NOT_READY = -32002
WORKER_FAILED = -32000

RequestId = int | str | None


class ProtocolError(Exception):
    """A request that cannot be served; it is answered with this error."""

    def __init__(self, code: int, message: str, data: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.request_id: RequestId = None


@dataclass(frozen=True, slots=True)
class Request:
    """One request of the runner.

    Attributes:
        id: What the response repeats.
        method: The method's name.
        params: The method's parameters by name.
    """

    id: int | str
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)


def parse(line: bytes | None) -> Request:
    """Read one request from its line.

    Args:
        line: The line without its newline, or ``None`` for a line that was too long to keep.

    Raises:
        ProtocolError: It is too long, no JSON or no request; the error carries the request's id
            where one could be read.
    """
    if line is None:
        raise ProtocolError(INVALID_REQUEST, f"a message is longer than {MAX_MESSAGE_BYTES} bytes")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"no JSON: {type(error).__name__}") from error
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_REQUEST, "a request must be an object")
    request_id = value.get("id")
    if not isinstance(request_id, int | str) or isinstance(request_id, bool):
        raise ProtocolError(INVALID_REQUEST, "a request needs an id, a number or a text")
    try:
        value.setdefault("params", {})
        wire.keys(value, ("jsonrpc", "id", "method", "params"), "request")
        if value["jsonrpc"] != "2.0":
            raise wire.WireError('request.jsonrpc must be "2.0"')
        method = wire.text(value, "method", "request", empty=False)
        params = wire.mapping(value["params"], "request.params")
    except wire.WireError as error:
        problem = ProtocolError(INVALID_REQUEST, str(error))
        problem.request_id = request_id
        raise problem from error
    return Request(id=request_id, method=method, params=params)


def read_lines(descriptor: int, limit: int = MAX_MESSAGE_BYTES) -> Iterator[bytes | None]:
    """Yield the lines that arrive on a pipe until it closes.

    Args:
        descriptor: The pipe's end to read from.
        limit: The longest line that is kept, in bytes.

    Yields:
        Each line without its newline, or ``None`` in place of one longer than the limit, which
        is read to its end and thrown away. An unfinished last line is dropped.
    """
    pending = bytearray()
    skipping = False
    while chunk := os.read(descriptor, 65_536):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            pending += end
            yield None if skipping or len(pending) > limit else bytes(pending)
            pending.clear()
            skipping = False
        pending += rest
        if len(pending) > limit:
            pending.clear()
            skipping = True


class Writer:
    """The pipe to the runner, for use by any thread: one message, one line."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def result(self, request_id: int | str, result: Mapping[str, Any]) -> None:
        """Answer a request.

        Raises:
            OSError: The runner is gone.
        """
        self._send({"id": request_id, "result": result})

    def error(self, request_id: RequestId, error: ProtocolError) -> None:
        """Answer a request that could not be served.

        Raises:
            OSError: The runner is gone.
        """
        body: dict[str, Any] = {"code": error.code, "message": error.message}
        if error.data is not None:
            body["data"] = error.data
        self._send({"id": request_id, "error": body})

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tell the runner something it did not ask for.

        Raises:
            OSError: The runner is gone.
        """
        self._send({"method": method, "params": params})

    def _send(self, message: Mapping[str, Any]) -> None:
        # ASCII only: a lone surrogate in a model's text must not break the pipe.
        line = json.dumps({"jsonrpc": "2.0", **message}).encode("ascii") + b"\n"
        with self._lock:
            left = memoryview(line)
            while left:
                left = left[os.write(self._descriptor, left) :]
