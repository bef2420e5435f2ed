"""A finished episode of a run, and who is told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ossia_evaluation.grade import Grade
from ossia_servers.trace import Trace


@dataclass(frozen=True)
class Finished:
    """Sent to the observer after an episode is stored."""

    trace: Trace
    score: Grade
    done: int
    """Finished episodes of the run, those of earlier sessions included."""
    total: int
    spent_usd: float = 0.0
    """What the run has spent at upstream models, as far as prices are known, earlier sessions and
    invalid episodes included; an attempt without usage counts as the most that it can cost."""


Observer = Callable[[Finished], None]
