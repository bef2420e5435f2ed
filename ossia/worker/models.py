"""What a worker sends, as the runner accepts it."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ossia.worker.confinement import Aspect

__all__ = [
    "PROTOCOL",
    "Message",
    "ReportedCounts",
    "RequestError",
    "RunError",
    "RunResult",
    "WorkerInfo",
]

PROTOCOL = 3
"""The version of the protocol between runner and worker."""

Count = Annotated[int, Field(ge=0)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ReportedCounts(_Model):
    """What the framework itself counted; ``None`` where it does not count."""

    calls: Count | None
    prompt_tokens: Count | None
    completion_tokens: Count | None


class RunError(_Model):
    """What the framework raised.

    Attributes:
        type: The name of the exception's class; ``Cancelled`` for a cancelled run.
        message: Its text.
        traceback: Its trace, which may be cut at the front.
    """

    type: str
    message: str
    traceback: str


class RunResult(_Model):
    """How one run ended.

    Attributes:
        answer: The text for the user; empty when there is none.
        reported: What the framework counted, if it counts.
        error: What the framework raised, if it raised.
        cpu_s: The worker's process CPU time since it was initialized.
    """

    answer: str
    reported: ReportedCounts | None
    error: RunError | None
    cpu_s: Annotated[float, Field(ge=0)]


class WorkerInfo(_Model):
    """What a worker says of itself when it has been initialized.

    Attributes:
        protocol: The version of the protocol it speaks.
        adapter: The adapter's name.
        framework: The framework's distribution.
        version: The framework's version.
        packages: Every installed distribution with its version.
        python: The version of its interpreter.
        enforced: What the operating system holds it to.
        import_cpu_s: The CPU time that the import of adapter and framework took.
        memory_mib: The most memory that it has held since.
    """

    protocol: Annotated[int, Field(ge=PROTOCOL, le=PROTOCOL)]
    adapter: str
    framework: str
    version: str
    packages: dict[str, str]
    python: str
    enforced: list[Aspect]
    import_cpu_s: Annotated[float, Field(ge=0)]
    memory_mib: Annotated[float, Field(ge=0)]


class RequestError(_Model):
    """The error of a response.

    Attributes:
        code: The JSON-RPC error code.
        message: One sentence.
        data: A trace, where there is one.
    """

    code: int
    message: str
    data: str | None = None


class Message(_Model):
    """One line from a worker: a response or a notification.

    Attributes:
        jsonrpc: Always ``2.0``.
        id: The id of the request that is answered.
        result: The result of a response.
        error: The error of a response.
        method: The method of a notification.
        params: The parameters of a notification.
    """

    jsonrpc: Annotated[str, Field(pattern=r"^2\.0$")]
    id: int | None = None
    result: dict[str, Any] | None = None
    error: RequestError | None = None
    method: str | None = None
    params: dict[str, Any] | None = None
