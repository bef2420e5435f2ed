"""How often predictions name the labelled agent and step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from ossia_dataset.who_and_when import Log, agent_of
from ossia_evaluation.rows import Share, share
from ossia_evaluation.whowhen.predictions import Prediction, Predictions

NEAR: Final = (1, 2, 3, 4, 5)
"""Distances within which a step is counted as near."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PredictionScore(_Frozen):
    """Predictions against labels. A log without a prediction is a miss, as published."""

    logs: NonNegativeInt
    predicted: NonNegativeInt
    agent: Share
    step: Share
    both: Share
    agent_substring: Share
    """The published measure: the label is part of the predicted text."""
    step_substring: Share
    """The published measure: a label of 1 is a hit for 12."""
    step_near: Mapping[int, Share]
    """By the distance allowed."""
    without_prediction: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    without_log: tuple[str, ...] = ()
    """Predictions for logs that are not there; they count for nothing."""


def score_predictions(logs: Sequence[Log], predictions: Predictions) -> PredictionScore:
    """Score predictions on the logs of one collection.

    Args:
        logs: the logs, each under a name of its own; all of them are the denominator.
        predictions: a method's answers by the logs' names.

    Raises:
        ValueError: two logs have one name, as happens across collections.
    """
    by_name = {log.name: log for log in logs}
    if len(by_name) != len(logs):
        raise ValueError("two logs have the same name; score one collection at a time")
    pairs = [(by_name[one.log], one) for one in predictions.found if one.log in by_name]

    def part(hits: Sequence[bool]) -> Share:
        return share(sum(hits), len(logs))

    agents = [_same_agent(log, one) for log, one in pairs]
    steps = [log.mistake_step == one.number for log, one in pairs]
    predicted = {one.log for _, one in pairs}
    unreadable = tuple(name for name in predictions.unreadable if name in by_name)
    return PredictionScore(
        logs=len(logs),
        predicted=len(pairs),
        agent=part(agents),
        step=part(steps),
        both=part(list(map(all, zip(agents, steps, strict=True)))),
        agent_substring=part([log.mistake_agent in one.agent for log, one in pairs]),
        step_substring=part([str(log.mistake_step) in one.step for log, one in pairs]),
        step_near={
            far: part([abs(log.mistake_step - one.number) <= far for log, one in pairs])
            for far in NEAR
        },
        without_prediction=tuple(
            log.name for log in logs if log.name not in predicted and log.name not in unreadable
        ),
        unreadable=unreadable,
        without_log=tuple(
            name
            for name in (*(one.log for one in predictions.found), *predictions.unreadable)
            if name not in by_name
        ),
    )


def _same_agent(log: Log, prediction: Prediction) -> bool:
    return agent_of(log.mistake_agent) == prediction.agent
