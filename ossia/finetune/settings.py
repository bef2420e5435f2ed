"""How a model is tuned."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

Progress = Callable[[str], None]
"""Takes a line of what is going on."""


class Settings(BaseModel):
    """Settings of one training.

    Attributes:
        epochs: Passes over the data.
        batch: Examples between two updates.
        micro_batch: Examples that are reckoned at once; a smaller one needs less memory.
        learning_rate: The highest rate, reached after the warm-up; falls to nothing at the end.
        warm_up: Share of the updates in which the rate rises.
        rank: Rank of the low-rank matrices.
        alpha: Their scale.
        dropout: Share of their inputs that is dropped in training.
        held_out: Share of the tasks that is kept apart to measure the loss.
        seed: Decides on order, split and initial weights.
        checkpointing: Save memory by reckoning activations twice.
        device: Where to reckon; None takes the fastest there is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    epochs: int = Field(default=3, ge=1)
    batch: int = Field(default=16, ge=1)
    micro_batch: int = Field(default=2, ge=1)
    learning_rate: float = Field(default=2e-4, gt=0, allow_inf_nan=False)
    warm_up: float = Field(default=0.05, ge=0, le=1)
    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    held_out: float = Field(default=0.1, ge=0, lt=1)
    seed: int = Field(default=0, ge=0)
    checkpointing: bool = False
    device: str | None = None
