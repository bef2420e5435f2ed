"""What the roles of the assistant's team answered, as the JSON objects that they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ossia_evaluation.steps import Step
from ossia_workflows.assistant import ROLE_KEYS, role_output


def output_of(step: Step) -> dict[str, Any] | None:
    """Return the JSON object by which a step's role answered, or None."""
    return role_output(step.role, step.text) if step.role in ROLE_KEYS else None


def last_output(
    steps: Sequence[Step], role: str, before: Step | None = None
) -> dict[str, Any] | None:
    """Return the last well-formed answer of a role, or None.

    Args:
        steps: the steps of an episode.
        role: whose answer.
        before: only answers that this step could know of.
    """
    for step in reversed(steps):
        if before is not None and step.index >= before.index:
            continue
        if step.role == role and (output := output_of(step)) is not None:
            return output
    return None
