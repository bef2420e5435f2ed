"""The card of a tuned model: what it was made of, stored beside its weights."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

CARD_FILE = "ossia-model.json"
"""The card's name inside the model's folder."""

CARD_VERSION: Literal[1] = 1
"""Version of the stored format."""


class CardError(ValueError):
    """A folder holds no tuned model; the message is one sentence."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DataFacts(_Frozen):
    """What a model was tuned on.

    Attributes:
        name: The task set, as given.
        version: Recorded version of a built-in set; empty for others.
        hash: Hash of the whole set.
        trained: Tasks that it was tuned on.
        held_out: Tasks that were kept apart to measure the loss.
        frameworks: Where the prompts were heard; empty for the team's own form alone.
    """

    name: str
    version: str
    hash: str
    trained: int
    held_out: int
    frameworks: tuple[str, ...] = ()


class TrainingFacts(_Frozen):
    """How a model was tuned.

    Attributes:
        seed: Decides on order, split and initial weights.
        epochs: Passes over the data.
        batch: Examples between two updates.
        learning_rate: The highest rate, after the warm-up.
        rank: Rank of the low-rank matrices.
        alpha: Their scale.
        dropout: Share of their inputs that is dropped in training.
        steps: Updates that were made.
        loss: Mean loss of the answers' tokens in the last epoch.
        held_out_before: Loss on the held-out tasks before the first update; None without any.
        held_out_after: The same after the last one.
        libraries: Exact versions of what did the work.
    """

    seed: int
    epochs: int
    batch: int
    learning_rate: float
    rank: int
    alpha: int
    dropout: float
    steps: int
    loss: float
    held_out_before: float | None
    held_out_after: float | None
    libraries: dict[str, str]


class ModelCard(_Frozen):
    """What a tuned model is.

    Attributes:
        version: Version of this format.
        base: Name or path of the model that was tuned.
        role: The role whose answers it has learnt.
        data: What it was tuned on.
        training: How.
    """

    version: Literal[1] = CARD_VERSION
    base: str
    role: str
    data: DataFacts
    training: TrainingFacts


def write_card(folder: Path, card: ModelCard) -> None:
    """Write a card into a model's folder.

    Raises:
        OSError: If it cannot be written.
    """
    (folder / CARD_FILE).write_text(card.model_dump_json(indent=2) + "\n", "utf-8")


def read_card(folder: Path) -> ModelCard:
    """Read the card in a model's folder.

    Raises:
        CardError: If there is none, or it is of another version or damaged.
    """
    path = folder / CARD_FILE
    try:
        return ModelCard.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise CardError(
            f"{folder} holds no tuned model: there is no {CARD_FILE}; "
            "`ossia model finetune` makes one."
        ) from None
    except OSError as error:
        raise CardError(f"{path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise CardError(f"{path} is no card of version {CARD_VERSION}: {place}.") from None
