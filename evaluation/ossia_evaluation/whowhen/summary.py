"""All figures on a set of logs: by collection its baselines, and each prediction file's score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from ossia_dataset.who_and_when import Collection, Log
from ossia_evaluation.whowhen.baselines import Figures, LabelAgreement, baselines
from ossia_evaluation.whowhen.metrics import PredictionScore

FIGURES_VERSION: Final = 1
"""Version of the printed JSON form."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CollectionFigures(_Frozen):
    """What holds for a collection whatever is predicted."""

    collection: Collection
    logs: NonNegativeInt
    label_is_speaker: LabelAgreement
    baselines: tuple[Figures, ...]


class FileScore(_Frozen):
    """The score of one prediction file."""

    file: str
    collection: Collection
    score: PredictionScore


class WhoAndWhenFigures(_Frozen):
    """Everything that is known about a set of logs and predictions for them."""

    version: Literal[1] = FIGURES_VERSION
    collections: tuple[CollectionFigures, ...]
    files: tuple[FileScore, ...] = ()


def collection_figures(logs: Sequence[Log]) -> tuple[CollectionFigures, ...]:
    """Return the figures of each collection that has logs."""
    found = []
    for collection in Collection:
        group = [log for log in logs if log.collection is collection]
        if group:
            found.append(
                CollectionFigures(
                    collection=collection,
                    logs=len(group),
                    label_is_speaker=LabelAgreement.of_logs(group),
                    baselines=baselines(group),
                )
            )
    return tuple(found)
