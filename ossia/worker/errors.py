"""What can go wrong between the runner and a worker."""

import signal

__all__ = [
    "WorkerDied",
    "WorkerError",
    "WorkerProtocolError",
    "WorkerRequestError",
    "WorkerStartError",
]


class WorkerError(Exception):
    """Something went wrong with a worker process, whatever its framework did."""


class WorkerDied(WorkerError):
    """The worker's process ended while something was still expected of it.

    Attributes:
        returncode: The process's exit status; negative for the signal that ended it.
        stderr_tail: The end of what it wrote to standard error.
    """

    def __init__(self, returncode: int | None, stderr_tail: str) -> None:
        super().__init__(f"the worker's process ended with status {returncode}")
        self.returncode = returncode
        self.stderr_tail = stderr_tail

    @property
    def from_outside(self) -> bool:
        """Whether somebody else ended the process, as the kernel does when memory runs out.

        A process that sends itself such a signal looks the same.
        """
        return self.returncode in (-signal.SIGKILL, -signal.SIGTERM)


class WorkerProtocolError(WorkerDied):
    """The worker broke the protocol and was killed for it.

    Attributes:
        reason: What it did.
    """

    def __init__(self, reason: str, returncode: int | None, stderr_tail: str) -> None:
        super().__init__(returncode, stderr_tail)
        self.reason = reason
        self.args = (f"the worker broke the protocol: {reason}",)

    @property
    def from_outside(self) -> bool:
        """Never: the handle killed it for what it did."""
        return False


class WorkerStartError(WorkerError):
    """The worker could not be started: no interpreter, no adapter, or too slow.

    Attributes:
        stderr_tail: The end of what it wrote to standard error, or the trace it sent.
        from_outside: Whether somebody else ended the process before it was ready.
    """

    def __init__(self, message: str, stderr_tail: str = "", *, from_outside: bool = False) -> None:
        super().__init__(message)
        self.stderr_tail = stderr_tail
        self.from_outside = from_outside


class WorkerRequestError(WorkerError):
    """The worker refused a request.

    Attributes:
        code: The JSON-RPC error code.
        data: The trace, where the worker sent one.
    """

    def __init__(self, code: int, message: str, data: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
