"""What the report shows of a single episode."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ossia_dataset.tasks import Task
from ossia_evaluation.rules import FUNCTION_CALL
from ossia_evaluation.score import Score
from ossia_evaluation.steps import read_steps
from ossia_servers.trace import Trace

TEXT_LIMIT = 600
"""Longest step output shown, in characters; the whole trace is one command away."""


class StepLine(BaseModel):
    """One step in a line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    text: str
    failed: bool
    """Whether the rules name this role."""


class EpisodeDetail(BaseModel):
    """One episode as the report unfolds it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    episode: str
    task: str
    framework: str
    domain: str
    utterance: str
    verdict: str
    reason: str
    answer: str
    ending: str
    outcome: tuple[str, ...]
    """Sentences: what was missing, unexpected or unanswered."""
    faults: tuple[str, ...]
    requests: tuple[str, ...]
    steps: tuple[StepLine, ...]


def episode_detail(task: Task, trace: Trace, score: Score) -> EpisodeDetail:
    """Return what the report shows of an episode."""
    named = {fault.role for fault in score.faults}
    if FUNCTION_CALL in named:
        named.add("request")
    outcome = score.outcome
    return EpisodeDetail(
        episode=trace.episode.id,
        task=task.id,
        framework=trace.episode.framework,
        domain=task.groups.get("domain", ""),
        utterance=task.utterance,
        verdict=score.verdict.value,
        reason=score.reason,
        answer=trace.answer,
        ending=f"{trace.ending.kind} {trace.ending.detail}".strip(),
        outcome=(
            *(f"missing: {line}" for line in outcome.missing),
            *(f"unexpected: {line}" for line in outcome.unexpected),
            *(f"unanswered: {line}" for line in outcome.unanswered),
        ),
        faults=tuple(f"{fault.role}: {fault.reason}" for fault in score.faults),
        requests=tuple(
            f"{r.method} /{r.domain} "
            + " ".join(f"{name}={value}" for name, value in r.params.items())
            + f" -> {r.status} {r.code}: {r.response}"
            for r in trace.requests
        ),
        steps=tuple(
            StepLine(role=step.role, text=_short(step.text), failed=step.role in named)
            for step in read_steps(trace)
        ),
    )


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= TEXT_LIMIT else flat[:TEXT_LIMIT] + " ..."
