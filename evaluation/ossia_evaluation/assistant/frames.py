"""How well the offline model reads the utterances of a task set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.assistant.contract import (
    Frame,
    differing_slots,
    expected_parameters,
    expected_places,
    expected_times,
)
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.gold import GoldError, GoldRun
from ossia_evaluation.worlds.match import plain
from ossia_evaluation.worlds.proof import faithful_reply
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.domain import Domain


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model made of one task.

    Attributes:
        task: The task.
        frame: The model's frame.
        intent_right: The domain and the intent are the gold ones.
        exact: And the slots are the gold slots, word by word.
        meant: And the slots are the gold slots, times and places compared by what they mean.
        lenient: The same under the published judge's leniencies.
        success: A faultless team with this frame reaches the gold outcome.
        right_slots: How many slots are the gold ones, word by word.
    """

    task: WorldTask
    frame: Frame
    intent_right: bool
    exact: bool
    meant: bool
    lenient: bool
    success: bool
    right_slots: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares over some readings.

    Attributes:
        tasks: How many readings there are.
        intent: With the right intent.
        slot_f1: The harmonic mean of precision and recall over all slots, word by word.
        exact: With all of the frame right, word by word.
        meant: With all of it right, times and places by what they mean.
        lenient: With all of it right under the judge's leniencies.
        success: With the gold outcome, if the rest of the team makes no mistake.
    """

    tasks: int
    intent: float
    slot_f1: float
    exact: float
    meant: float
    lenient: float
    success: float


class Reader:
    """Judges frames; a frame is also carried out on a fresh world, as a faultless team would."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        """Prepare the worlds.

        Args:
            domains: The domain servers' declarations.
        """
        self._scorer = AssistantScorer(domains)

    def judge(self, task: WorldTask, frame: Frame) -> Reading:
        """Judge the model's frame of a task of one request.

        Args:
            task: The task with its gold frame.
            frame: What the model read.

        Returns:
            What is right about it.
        """
        gold = task.gold
        right = (frame.domain, frame.intent) == (gold.domain, gold.intent)
        domain = self._scorer.runner.domains.get(gold.domain)
        return Reading(
            task,
            frame,
            intent_right=right,
            exact=right and _words(frame.slots) == _words(gold.slots),
            meant=right and not differing_slots(domain, task, frame.slots, lenient=False),
            lenient=right and not differing_slots(domain, task, frame.slots),
            success=self._succeeds(task, frame),
            right_slots=len(_words(frame.slots).items() & _words(gold.slots).items()),
        )

    def _succeeds(self, task: WorldTask, frame: Frame) -> bool:
        requests: list[Request] = []
        if frame.domain in self._scorer.runner.domains:
            times = expected_times(frame.slots, task)
            places = expected_places(frame.slots, task)
            params = expected_parameters(frame, times, places)
            requests = [Request(domain=frame.domain, params={"intent": frame.intent, **params})]
        try:
            run = self._scorer.runner.run(task, requests) if requests else GoldRun((), Diff())
            score = self._scorer.score(task, run.trace(task, faithful_reply(run)))
        except GoldError:
            return False
        return score.verdict is Verdict.SUCCESS


def _words(slots: Mapping[str, str]) -> dict[str, str]:
    return {name: plain(value) for name, value in slots.items()}


def single(tasks: Sequence[WorldTask]) -> tuple[WorldTask, ...]:
    """Return the tasks of one request or none: one frame says all of them."""
    return tuple(
        task
        for task in tasks
        if task.gold.kind is GoldKind.CHAT
        or (not task.gold.parts and len(task.gold.gold_requests()) == 1)
    )


def figures(readings: Sequence[Reading]) -> Figures:
    """Return the shares over readings; there has to be one at least."""
    total = len(readings)

    def share(name: str) -> float:
        return sum(bool(getattr(reading, name)) for reading in readings) / total

    count = Counter[str]()
    for reading in readings:
        count["right"] += reading.right_slots
        count["all"] += len(reading.frame.slots) + len(reading.task.gold.slots)
    return Figures(
        tasks=total,
        intent=share("intent_right"),
        slot_f1=2 * count["right"] / count["all"] if count["all"] else 1.0,
        exact=share("exact"),
        meant=share("meant"),
        lenient=share("lenient"),
        success=share("success"),
    )
