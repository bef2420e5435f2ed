"""The runner's handle of a worker: one process that plays episodes on one framework."""

from ossia.worker.confinement import ASPECTS, Aspect, confinement_text
from ossia.worker.environment import worker_environment
from ossia.worker.errors import (
    WorkerDied,
    WorkerError,
    WorkerProtocolError,
    WorkerRequestError,
    WorkerStartError,
)
from ossia.worker.inspection import WorkerState
from ossia.worker.models import ReportedCounts, RunError, RunResult, WorkerInfo
from ossia.worker.process import WorkerProcess
from ossia.worker.spec import WorkerSpec

__all__ = [
    "ASPECTS",
    "Aspect",
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
    "WorkerState",
    "confinement_text",
    "worker_environment",
]
