"""The built-in training tasks: balanced, unlike the test tasks, each one proven."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ossia.assistant.training_set.candidates import NoFrame, by_words, drafts
from ossia_dataset.assistant.auto_slurp.catalogue import DOMAIN_OF
from ossia_dataset.assistant.quality import (
    ALIKE,
    MOST_OF_A_PATTERN,
    Split,
    find_problems,
    has_own_words,
    pattern_of,
)
from ossia_dataset.similarity import TextIndex
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.assistant.gold_facts import facts_of
from ossia_evaluation.assistant.proof import AssistantProver
from ossia_evaluation.worlds.gold import GoldError
from ossia_servers.assistant.offline.understanding.markup import Example

PER_DOMAIN: Final = 56
"""About how many tasks a domain gets that has few intents."""

PER_INTENT: Final = 18
"""How many tasks an intent gets at least, if enough of its utterances make one."""

_PLAYER_WORDS: Final = re.compile(
    r"\b(?:stop|pause|off|quit|silence|skip|next|previous|unsubscribe|rewind|forward)\b"
)

CLARIFICATIONS: Final = 3
"""Most tasks of one intent that end in a question."""


@dataclass(frozen=True, slots=True)
class Unproven:
    """An utterance that made no task, and why."""

    intent: str
    utterance: str
    reason: str


@dataclass(frozen=True, slots=True)
class Built:
    """What a domain's utterances became."""

    tasks: tuple[WorldTask, ...]
    unproven: tuple[Unproven, ...]


class Builder:
    """Builds training tasks, domain by domain; the order of the domains plays no part."""

    def __init__(
        self, examples: Sequence[Example], others: Sequence[WorldTask], prover: AssistantProver
    ) -> None:
        """Look through all utterances once.

        Args:
            examples: every training utterance.
            others: tasks of the sets that training tasks have to be unlike.
            prover: proves tasks with the domain servers.
        """
        self._prover = prover
        self._others = TextIndex(task.utterance for task in others)
        self._frames = Counter(map(_frame, others))
        self._own: dict[str, list[Example]] = defaultdict(list)
        self._repeated: dict[str, list[Unproven]] = defaultdict(list)
        for example, like in _unlike_each_other(examples):
            if like is None:
                self._own[example.intent].append(example)
            else:
                reason = f"it is nearly the utterance '{like}'"
                self._repeated[example.intent].append(_unproven(example, reason))

    def build(self, domain: str) -> Built:
        """Build the training tasks of one domain.

        Returns:
            The tasks, numbered in the order of their intents, and the utterances that were tried
            and made none.
        """
        intents = [intent for intent, owner in DOMAIN_OF.items() if owner == domain]
        wanted = max(PER_INTENT, -(-PER_DOMAIN // len(intents)))
        tasks: list[WorldTask] = []
        unproven: list[Unproven] = []
        for intent in intents:
            built = self._of_intent(intent, wanted)
            tasks += built.tasks
            unproven += [*self._repeated[intent], *built.unproven]
        numbered = tuple(
            task.model_copy(update={"id": f"train-{domain}-{number:03d}"})
            for number, task in enumerate(tasks, start=1)
        )
        return Built(numbered, tuple(unproven))

    def _of_intent(self, intent: str, wanted: int) -> Built:
        tasks: list[WorldTask] = []
        unproven: list[Unproven] = []
        frames = Counter(self._frames)
        questions = 0
        for example in _in_turn(self._own[intent]):
            if len(tasks) == wanted:
                break
            found = self._task(example)
            if isinstance(found, str):
                unproven.append(_unproven(example, found))
                continue
            frame = _frame(found)
            asks = found.gold.kind is GoldKind.CLARIFICATION
            if has_own_words(frame[1]) and frames[frame] == MOST_OF_A_PATTERN:
                unproven.append(_unproven(example, f"three tasks are already '{frame[1]}'"))
            elif asks and questions == CLARIFICATIONS:
                unproven.append(_unproven(example, "enough tasks of the intent ask back"))
            else:
                frames[frame] += 1
                questions += asks
                tasks.append(found)
        return Built(tuple(tasks), tuple(unproven))

    def _task(self, example: Example) -> WorldTask | str:
        """The first draft of an utterance that can be proven, or why the plainest one cannot."""
        if unmarked := _unmarked(example):
            return f"'{unmarked}' says how to play, but is not marked"
        like = next(self._others.like(example.text, ALIKE), None)
        if like is not None:
            return f"it is nearly the utterance '{self._others.texts[like[0]]}' of another set"
        reasons = []
        try:
            for draft in drafts(example):
                task, reason = self._proven(draft)
                if task is not None:
                    return task
                reasons.append(reason)
        except NoFrame as error:
            return str(error)
        return reasons[0]

    def _proven(self, draft: WorldTask) -> tuple[WorldTask | None, str]:
        """A draft with its facts if it is a sound task, or None and the first reason."""
        if draft.gold.dropped:
            slots = draft.gold.slots
            return None, f"'{slots[draft.gold.dropped[0]]}' has no normal form"
        try:
            run = self._prover.gold(draft)
        except GoldError as error:
            return None, str(error)
        if draft.gold.kind is GoldKind.ANSWER and not _known(run.requests[-1].result):
            return None, "the answer rests on nothing known"
        facts = facts_of(draft, run)
        task = draft.model_copy(update={"gold": draft.gold.model_copy(update={"facts": facts})})
        for broken in find_problems([Split((task,), facts=True)]):
            return None, broken.message
        proof = self._prover.prove(task)
        return (None, proof.problems[0]) if proof.problems else (task, "")


def _unlike_each_other(examples: Iterable[Example]) -> Iterator[tuple[Example, str | None]]:
    """Yield each utterance with an earlier one that it is like, if there is any."""
    ordered = sorted(examples, key=by_words)
    index = TextIndex(example.text for example in ordered)
    for place, example in enumerate(ordered):
        first, _ = next(index.like(example.text, ALIKE))
        yield example, None if first >= place else ordered[first].text


def _in_turn(examples: Sequence[Example]) -> Iterator[Example]:
    """Yield utterances so that each set of slots has its turn."""
    groups: dict[frozenset[str], list[Example]] = defaultdict(list)
    for example in sorted(examples, key=by_words):
        groups[frozenset(span.slot for span in example.spans)].append(example)
    lines = sorted(groups.values(), key=lambda group: by_words(group[0]))
    while lines:
        for line in lines:
            yield line.pop(0)
        lines = [line for line in lines if line]


def _unmarked(example: Example) -> str | None:
    """A word for what a player is to do that is in no slot: the frame would start it instead."""
    if not example.intent.startswith("play_") or example.domain == "game":
        return None
    covered = [range(span.start, span.end) for span in example.spans]
    for match in _PLAYER_WORDS.finditer(example.text):
        if not any(match.start() in span for span in covered):
            return match.group()
    return None


def _frame(task: WorldTask) -> tuple[str, str]:
    return task.gold.intent, pattern_of(task)


def _known(result: object) -> bool:
    rows = result if isinstance(result, list) else [result]
    return bool(result) and not any(
        isinstance(row, Mapping) and row.get("asked") == "unknown" for row in rows
    )


def _unproven(example: Example, reason: str) -> Unproven:
    return Unproven(example.intent, example.text, reason)
