"""Episodes of compound tasks: which round carries out which part of the gold run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.assistant.case import Case
from ossia_evaluation.assistant.contract import Frame
from ossia_evaluation.steps import Step
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain
from ossia_workflows.assistant import NOTHING_LEFT


@dataclass(frozen=True)
class Rounds:
    """An episode cut into rounds and held against the parts that were to be done."""

    matched: tuple[Case, ...]
    """Rounds with their part, each laid out as an episode of its own."""
    surplus: tuple[Case, ...]
    """Rounds for which there is no part; their task is the whole."""
    left_out: tuple[Frame, ...]
    """Frames of parts for which there is no round."""
    concluded: bool
    """Whether the intent role itself ended the rounds."""


def in_rounds(steps: Sequence[Step]) -> tuple[tuple[Step, ...], ...]:
    """Cut steps into rounds: each begins with a turn of the intent role that was answered.

    What comes before the first such turn belongs to no round.
    """
    rounds: list[list[Step]] = []
    for step in steps:
        if step.role == "intent" and step.answered:
            rounds.append([])
        if rounds:
            rounds[-1].append(step)
    return tuple(map(tuple, rounds))


def match_rounds(
    task: WorldTask,
    trace: Trace,
    steps: Sequence[Step],
    domains: Mapping[str, Domain],
    *,
    lenient: bool,
) -> Rounds:
    """Hold the rounds of an episode against the parts that a correct run does.

    A round belongs to the first open part of the same domain and intent, wherever it stands, since
    independent parts may be done in any order; rounds and parts that are left go together in order.

    Args:
        task: a compound task.
        trace: the episode.
        steps: its steps.
        domains: declarations of the domain servers.
        lenient: whether the published judge's leniencies hold.
    """
    cases = [Case(task, trace, one, domains, lenient, steps) for one in in_rounds(steps)]
    frames = [case.frame() for case in cases]
    ends = [frame is not None and frame.domain == NOTHING_LEFT for frame in frames]
    rounds = [index for index, end in enumerate(ends) if not end]
    parts = list(task.due())
    pairs: dict[int, WorldTask] = {}
    for index in rounds:
        frame = frames[index]
        for part in parts:
            if frame is not None and _named(frame) == _named(Frame.of(part.gold)):
                pairs[index] = part
                parts.remove(part)
                break
    open_rounds = [index for index in rounds if index not in pairs]
    pairs |= dict(zip(open_rounds, parts, strict=False))
    left_out = parts[len(open_rounds) :]
    matched = tuple(
        Case(pairs[index], trace, cases[index].steps, domains, lenient, steps)
        for index in sorted(pairs)
        if pairs[index].gold.kind is not GoldKind.CHAT
    )
    return Rounds(
        matched=matched,
        surplus=tuple(cases[index] for index in rounds if index not in pairs),
        left_out=tuple(Frame.of(part.gold) for part in left_out if not _is_chat(part)),
        concluded=any(ends),
    )


def _named(frame: Frame) -> tuple[str, str]:
    return frame.domain, frame.intent


def _is_chat(part: WorldTask) -> bool:
    return part.gold.kind is GoldKind.CHAT
