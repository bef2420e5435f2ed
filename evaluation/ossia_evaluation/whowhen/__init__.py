"""Scoring predictions on Who&When logs, baselines without a model, and our traces as such logs."""

from ossia_evaluation.whowhen.baselines import Baseline, Figures, LabelAgreement, baselines, figures
from ossia_evaluation.whowhen.export import NamedCause, as_log, cause_by_rules, cause_of
from ossia_evaluation.whowhen.metrics import (
    NEAR,
    PredictionScore,
    score_predictions,
)
from ossia_evaluation.whowhen.predictions import Prediction, Predictions, parse_predictions

__all__ = [
    "NEAR",
    "Baseline",
    "Figures",
    "LabelAgreement",
    "NamedCause",
    "Prediction",
    "PredictionScore",
    "Predictions",
    "as_log",
    "baselines",
    "cause_by_rules",
    "cause_of",
    "figures",
    "parse_predictions",
    "score_predictions",
]
