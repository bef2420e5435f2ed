"""What a worker says of its inside when it is asked."""

from pydantic import BaseModel, ConfigDict

__all__ = ["WorkerState"]


class WorkerState(BaseModel):
    """A worker's process at one moment.

    Attributes:
        loaded: Whether a module of the framework's distribution is imported.
        working: Whether code of it is in the middle of something.
        asynchronous: Whether the adapter's `run` is a coroutine function.
        episodes: The ids of the episodes whose run has not ended, cancelled ones included.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    loaded: bool
    working: bool
    asynchronous: bool
    episodes: tuple[str, ...]
