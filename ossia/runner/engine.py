"""What plays the episodes of a session: this machine, or several."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from ossia.worker import WorkerInfo
from ossia_servers.trace import EpisodeKey, Trace


class Endpoints(Protocol):
    """What is known of the upstream models of a session."""

    @property
    def closed_because(self) -> str | None:
        """Why no further request of some model will be answered; None as long as they are."""

    @property
    def limit_reached(self) -> str | None:
        """Why a call was not begun for its cost; None as long as all could be paid."""


class Engine(Endpoints, Protocol):
    """Plays episodes; knows nothing of plans, stores or scores."""

    async def play(self, key: EpisodeKey, baseline: Trace | None) -> Trace:
        """Play an episode to its end, however it ends.

        Args:
            key: the episode.
            baseline: the same episode without its fault, where the fault's place depends on it.

        Raises:
            UserError: no further episode can be played; what is finished is kept.
        """

    def info(self, framework: str) -> WorkerInfo | None:
        """Return what the worker of a framework says of itself; None where none has started."""

    @property
    def cpu_s(self) -> float:
        """The CPU seconds that it has spent on other machines, as far as it was told."""


OpenEngine = Callable[[Path], AbstractAsyncContextManager[Engine]]
"""Opens an engine, which may keep files in a folder, and closes it at the end."""
