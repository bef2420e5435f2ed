"""What can be hit without a model: baselines whose expected value is computed, not sampled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from ossia_dataset.who_and_when import Log, agent_of


class Baseline(StrEnum):
    """A way to answer without reading what is said."""

    RANDOM = "random"
    """Any of the log's model agents alike, and any of its steps alike."""
    RANDOM_SPEAKER = "random speaker"
    """Any of the log's speakers alike, people and terminals included, and any step alike."""
    RAW_SPEAKER = "random raw speaker"
    """The same with each spelling of a speaker for itself: `Orchestrator (thought)` and
    `Orchestrator (-> WebSurfer)` are two, as in the publication's row."""
    FIRST = "first speaker"
    """Who speaks first, at step 0."""
    LAST = "last step"
    """Who speaks last, at the last step."""
    MOST_FREQUENT = "most frequent agent's first step"
    """The model agent with the most messages, the earliest of several, at its first message."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Figures(_Frozen):
    """The expected accuracy of a baseline."""

    baseline: Baseline
    logs: NonNegativeInt
    agent: float
    """From 0 to 1: the expected share of logs whose agent it names."""
    step: float


class LabelAgreement(_Frozen):
    """In how many logs the labelled agent is the one that speaks at the labelled step."""

    count: NonNegativeInt
    of: NonNegativeInt

    @classmethod
    def of_logs(cls, logs: Sequence[Log]) -> LabelAgreement:
        """Count over logs."""
        agree = sum(log.speaker_at_label == agent_of(log.mistake_agent) for log in logs)
        return cls(count=agree, of=len(logs))


_Chances = Callable[[Log], tuple[Fraction, Fraction]]
"""The chances to name the labelled agent and the labelled step of a log."""


def figures(baseline: Baseline, logs: Sequence[Log]) -> Figures:
    """Return the expected accuracy of a baseline over logs, 0 without logs."""
    chances = [_CHANCES[baseline](log) for log in logs]
    of = max(1, len(logs))
    return Figures(
        baseline=baseline,
        logs=len(logs),
        agent=float(sum((agent for agent, _ in chances), Fraction(0)) / of),
        step=float(sum((step for _, step in chances), Fraction(0)) / of),
    )


def baselines(logs: Sequence[Log]) -> tuple[Figures, ...]:
    """Return the figures of every baseline over the logs of one collection."""
    return tuple(figures(baseline, logs) for baseline in Baseline)


def _random(log: Log) -> tuple[Fraction, Fraction]:
    return _any_of(log, log.model_agents)


def _random_speaker(log: Log) -> tuple[Fraction, Fraction]:
    return _any_of(log, log.agents)


def _random_raw_speaker(log: Log) -> tuple[Fraction, Fraction]:
    return _any_of(log, log.agents, of=len({message.speaker for message in log.history}))


def _any_of(log: Log, agents: Sequence[str], of: int | None = None) -> tuple[Fraction, Fraction]:
    """The chances of one of some agents and of one of the steps.

    Args:
        log: the log.
        agents: among whom the labelled agent has to be.
        of: among how many names one is drawn; as many as there are agents when None.
    """
    agent, length = agent_of(log.mistake_agent), len(log.history)
    return (
        Fraction(agent in agents, max(1, len(agents) if of is None else of)),
        Fraction(log.mistake_step < length, length),
    )


def _at(log: Log, step: int) -> tuple[Fraction, Fraction]:
    agent = log.history[step].agent
    return Fraction(agent == agent_of(log.mistake_agent)), Fraction(step == log.mistake_step)


def _first(log: Log) -> tuple[Fraction, Fraction]:
    return _at(log, 0)


def _last(log: Log) -> tuple[Fraction, Fraction]:
    return _at(log, len(log.history) - 1)


def _most_frequent(log: Log) -> tuple[Fraction, Fraction]:
    if not log.model_agents:
        return Fraction(0), Fraction(0)
    counts = Counter(message.agent for message in log.history)
    # `max` keeps the first of several, and the agents stand in the order in which they spoke.
    chosen = max(log.model_agents, key=lambda agent: counts[agent])
    step = next(step for step, message in enumerate(log.history) if message.agent == chosen)
    return _at(log, step)


_CHANCES: Final[dict[Baseline, _Chances]] = {
    Baseline.RANDOM: _random,
    Baseline.RANDOM_SPEAKER: _random_speaker,
    Baseline.RAW_SPEAKER: _random_raw_speaker,
    Baseline.FIRST: _first,
    Baseline.LAST: _last,
    Baseline.MOST_FREQUENT: _most_frequent,
}
