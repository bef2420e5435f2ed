"""Running all detectors over an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.case import Case
from ossia_evaluation.assistant.detectors import ending, specification, talk
from ossia_evaluation.assistant.detectors.found import Detector
from ossia_evaluation.detectors import Detection
from ossia_evaluation.steps import Step
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain

DETECTORS: Final[Mapping[str, Detector]] = {
    "1.1": specification.disobey_task,
    "1.2": specification.disobey_role,
    "1.3": specification.step_repetition,
    "1.4": specification.loss_of_history,
    "1.5": specification.unaware_of_termination,
    "2.1": talk.conversation_reset,
    "2.3": talk.task_derailment,
    "2.4": talk.information_withholding,
    "2.5": talk.ignored_input,
    "2.6": talk.reasoning_action_mismatch,
    "3.1": ending.premature_termination,
    "3.2": ending.no_verification,
    "3.3": ending.incorrect_verification,
}
"""The detector of each mode that has one."""


def detect(
    task: WorldTask, trace: Trace, steps: Sequence[Step], domains: Mapping[str, Domain]
) -> tuple[Detection, ...]:
    """Return the signs of every failure mode in one episode, by mode and then by step.

    Args:
        task: the task.
        trace: the episode, failed or not.
        steps: its steps.
        domains: declarations of the domain servers, for the match rules; without one, values are
            compared as words.
    """
    case = Case(task, trace, steps, domains, lenient=True)
    return tuple(
        Detection(mode=mode, step=step.index, role=step.role, sentence=f"{step.role} {clause}")
        for mode, detector in DETECTORS.items()
        for step, clause in sorted(detector(case), key=lambda sign: sign[0].index)
    )
