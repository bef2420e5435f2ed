"""What the report shows of a single episode."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ossia_dataset.tasks import Task
from ossia_evaluation.grade import Grade
from ossia_evaluation.steps import read_steps
from ossia_evaluation.words import shortened
from ossia_servers.trace import Trace

_TEXT = 600
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
    fault: str
    """The key of the fault that the episode was to meet; empty for none."""
    utterance: str
    verdict: str
    reason: str
    answer: str
    ending: str
    outcome: tuple[str, ...]
    """What is wrong, as the suite tells it."""
    faults: tuple[str, ...]
    requests: tuple[str, ...]
    steps: tuple[StepLine, ...]


def episode_detail(task: Task, trace: Trace, grade: Grade) -> EpisodeDetail:
    """Return what the report shows of an episode."""
    named = grade.failed_roles
    return EpisodeDetail(
        episode=trace.episode.id,
        task=task.id,
        framework=trace.episode.framework,
        fault=trace.episode.fault,
        utterance=task.utterance,
        verdict=grade.verdict.value,
        reason=grade.reason,
        answer=trace.answer,
        ending=f"{trace.ending.kind} {trace.ending.detail}".strip(),
        outcome=tuple(grade.detail_lines()),
        faults=tuple(f"{fault.role}: {fault.reason}" for fault in grade.faults),
        requests=tuple(
            f"{r.method} /{r.domain} "
            + " ".join(f"{name}={value}" for name, value in r.params.items())
            + f" -> {r.status} {r.code}: {r.response}"
            for r in trace.requests
        ),
        steps=tuple(
            StepLine(role=step.role, text=shortened(step.text, _TEXT), failed=step.role in named)
            for step in read_steps(trace)
        ),
    )
