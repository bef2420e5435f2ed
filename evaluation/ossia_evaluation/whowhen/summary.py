"""All figures on a set of logs: by collection its baselines, and each prediction file's score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from ossia_dataset.who_and_when import Collection, Log, WhoAndWhenError
from ossia_evaluation.whowhen.baselines import Figures, LabelAgreement, baselines
from ossia_evaluation.whowhen.metrics import PredictionScore, score_predictions
from ossia_evaluation.whowhen.predictions import parse_predictions

FIGURES_VERSION: Final = 1
"""Version of the printed JSON form."""

_SIGNS: Final = {
    Collection.HAND: re.compile(r"hand[\W_]*crafted", re.IGNORECASE),
    Collection.ALGORITHM: re.compile(r"alg(?:orithm)?[\W_]*generated", re.IGNORECASE),
}
"""How the published methods call their files."""


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


def score_file(file: Path, logs: Sequence[Log], wanted: Collection | None) -> FileScore:
    """Score a prediction file on the logs of the collection that it is for.

    Args:
        file: the predictions in the published text format.
        logs: the logs of one collection or of both.
        wanted: the collection; None takes it from the file's name where there are both.

    Raises:
        WhoAndWhenError: there is no such file, it holds no prediction, its name does not tell the
            collection, or there are no logs of that.
    """
    if not file.is_file():
        raise WhoAndWhenError(f"{file}: no such file")
    # The published methods print what models say, broken characters included.
    predictions = parse_predictions(file.read_text("utf-8", errors="replace"))
    if not predictions.found and not predictions.unreadable:
        raise WhoAndWhenError(f"{file}: contains no block such as 'Prediction for 12.json:'")
    collection = wanted or _collection_of(file, logs)
    group = [log for log in logs if log.collection is collection]
    if not group:
        raise WhoAndWhenError(f"there are no {collection} logs to score {file} on")
    return FileScore(
        file=str(file), collection=collection, score=score_predictions(group, predictions)
    )


def _collection_of(file: Path, logs: Sequence[Log]) -> Collection:
    there = {log.collection for log in logs}
    named = [collection for collection, sign in _SIGNS.items() if sign.search(file.name)]
    if len(there) == 1:
        return there.pop()
    if len(named) != 1:
        raise WhoAndWhenError(
            f"{file}: logs of both collections have the same names; say --collection"
            f" {Collection.ALGORITHM} or {Collection.HAND}"
        )
    return named[0]
