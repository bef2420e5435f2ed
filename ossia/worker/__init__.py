"""The runner's handle of a worker: one process that plays episodes on one framework."""

from ossia.worker.environment import worker_environment
from ossia.worker.errors import (
    WorkerDied,
    WorkerError,
    WorkerProtocolError,
    WorkerRequestError,
    WorkerStartError,
)
from ossia.worker.models import ReportedCounts, RunError, RunResult, WorkerInfo
from ossia.worker.process import WorkerProcess, WorkerSpec

__all__ = [
    "ReportedCounts",
    "RunError",
    "RunResult",
    "WorkerDied",
    "WorkerError",
    "WorkerInfo",
    "WorkerProcess",
    "WorkerProtocolError",
    "WorkerRequestError",
    "WorkerSpec",
    "WorkerStartError",
    "worker_environment",
]
