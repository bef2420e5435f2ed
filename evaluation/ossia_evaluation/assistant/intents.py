"""Accuracy of the intent role: does it name the frame of the task?

Laid out like Tables 6 and 7 of Auto-SLURP (arXiv 2504.18373): by domain, once exactly and once
without regard to how slots are called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia_dataset.world_tasks import Gold, Part, WorldTask
from ossia_evaluation.assistant.outputs import output_of
from ossia_evaluation.steps import Step
from ossia_evaluation.worlds.match import plain
from ossia_workflows import text_slots


@dataclass(frozen=True, slots=True)
class FrameAgreement:
    """How far the intent role's answer is the gold frame.

    Attributes:
        exact: Domain, intent, and every slot under its name with the same words.
        unnamed: Domain, intent, and the same words in slots of any name.
    """

    exact: bool
    unnamed: bool


def frame_agreement(task: WorldTask, steps: Sequence[Step]) -> FrameAgreement:
    """Compare what the intent role answered with the gold frame, or frames of a compound task.

    Words are compared ignoring case, punctuation, a leading article and surplus space; times and
    places are compared as words, since nothing is normalised yet. The role's last answer counts;
    of a compound task every answer, in order. An answer that cannot be read is wrong.

    Args:
        task: The task with its gold frame.
        steps: The episode's steps.

    Returns:
        The agreement.
    """
    given = [output_of(step) for step in steps if step.role == "intent" and step.answered]
    wanted: Sequence[Gold | Part] = [part for part in task.gold.parts if part.due] or [task.gold]
    if not task.gold.parts:
        given = given[-1:]
    if len(given) != len(wanted):
        return FrameAgreement(exact=False, unnamed=False)
    found = [agreement(gold, output) for gold, output in zip(wanted, given, strict=True)]
    return FrameAgreement(
        exact=all(each.exact for each in found), unnamed=all(each.unnamed for each in found)
    )


def agreement(gold: Gold | Part, output: Mapping[str, Any] | None) -> FrameAgreement:
    """Compare one answer of the intent role with one gold frame; None stands for an unreadable one.

    Args:
        gold: The gold frame.
        output: The role's answer in the wire form.
    """
    return FrameAgreement(
        exact=_agree(gold, output, named=True), unnamed=_agree(gold, output, named=False)
    )


def _agree(gold: Gold | Part, output: Mapping[str, Any] | None, *, named: bool) -> bool:
    if output is None:
        return False
    if (output.get("domain"), output.get("intent")) != (gold.domain, gold.intent):
        return False
    found = {name: plain(value) for name, value in text_slots(output.get("slots")).items()}
    wanted = {name: plain(value) for name, value in gold.slots.items()}
    if named:
        return found == wanted
    return Counter(found.values()) == Counter(wanted.values())
