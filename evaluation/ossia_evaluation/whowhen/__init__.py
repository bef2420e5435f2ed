"""Scoring predictions on Who&When logs, baselines without a model, and our traces as such logs."""

from ossia_evaluation.whowhen.baselines import Baseline, Figures, LabelAgreement, baselines, figures
from ossia_evaluation.whowhen.export import (
    NamedCause,
    answered_steps,
    as_log,
    cause_by_rules,
    cause_of,
)
from ossia_evaluation.whowhen.metrics import (
    NEAR,
    PredictionScore,
    score_predictions,
)
from ossia_evaluation.whowhen.predictions import Prediction, Predictions, parse_predictions
from ossia_evaluation.whowhen.summary import (
    CollectionFigures,
    FileScore,
    WhoAndWhenFigures,
    collection_figures,
    score_file,
)

__all__ = [
    "NEAR",
    "Baseline",
    "CollectionFigures",
    "Figures",
    "FileScore",
    "LabelAgreement",
    "NamedCause",
    "Prediction",
    "PredictionScore",
    "Predictions",
    "WhoAndWhenFigures",
    "answered_steps",
    "as_log",
    "baselines",
    "cause_by_rules",
    "cause_of",
    "collection_figures",
    "figures",
    "parse_predictions",
    "score_file",
    "score_predictions",
]
