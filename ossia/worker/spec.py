"""What a worker is started with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["WorkerSpec"]


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """What a worker is started with.

    Attributes:
        python: The interpreter of the adapter's environment.
        entry: The adapter, as ``module:ATTRIBUTE``.
        switches: Environment variables that the adapter declares.
    """

    python: Path
    entry: str
    switches: Mapping[str, str] = field(default_factory=dict)
