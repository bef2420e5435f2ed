"""What is wrong with a set of tasks: rules that need no server and no model.

Whether a task can be passed at all, and only by doing the right thing, is proven elsewhere, with
the servers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Final

from ossia_dataset.assistant.auto_slurp.catalogue import CHANGING, DOMAIN_OF, PARAMETERS
from ossia_dataset.normalise import (
    PLACE_SLOTS,
    TIME_SLOTS,
    normalise_place,
    normalise_time_slots,
)
from ossia_dataset.similarity import TextIndex, plain_text
from ossia_dataset.world_tasks import Gold, GoldKind, WorldTask

ALIKE: Final = 0.9
"""From this similarity on two utterances count as the same."""

MOST_OF_A_PATTERN: Final = 3
"""How many tasks may be the same sentence but for the values of their slots."""

_MARKUP: Final = re.compile(r"\[([^\[\]]+)\]\([a-z_0-9]+\)")
_SLOT_NAMES: Final = re.compile(r"<[a-z_0-9]+>")
_CHAT_DOMAIN: Final = "general"


class Rule(StrEnum):
    """What a set of tasks has to keep."""

    ID = "id"
    """No id occurs twice."""
    INTENT = "intent"
    """The intent is one of the domain's."""
    SLOT_NAME = "slot name"
    """The domain knows the slot."""
    SLOT_WORDS = "slot words"
    """A slot's value is words of the utterance, in their order."""
    TIME = "time"
    """The normal forms of time are those of the conventions."""
    PLACE = "place"
    """The normal forms of place are those of the conventions."""
    KIND = "kind"
    """The kind is one that the intent can have."""
    REPETITION = "repetition"
    """No two utterances are nearly the same."""
    LEAK = "leak"
    """No utterance is nearly one of those that models are trained on."""
    PATTERN = "pattern"
    """Few tasks are the same sentence but for the values of their slots."""
    FACTS = "facts"
    """A task says what a correct reply tells, unless it is chit-chat."""
    COVERAGE = "coverage"
    """Every domain and every intent has enough tasks."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One breach of a rule."""

    task: str
    """The task's id, empty where the whole set is meant."""
    rule: Rule
    message: str
    """One sentence for people."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many tasks a set must have."""

    per_domain: int
    per_intent: int


TEST_COVERAGE: Final = Coverage(per_domain=12, per_intent=4)
"""What the built-in test set keeps."""

TRAIN_COVERAGE: Final = Coverage(per_domain=50, per_intent=15)
"""What the built-in training set keeps."""


@dataclass(frozen=True, slots=True)
class Split:
    """One of several task sets that are checked together."""

    tasks: tuple[WorldTask, ...]
    coverage: Coverage | None = None
    """How many tasks there must be; None checks no counts."""
    held_out: bool = True
    """Whether nothing may be trained on its texts."""
    facts: bool = False
    """Whether every task has to say what a correct reply tells."""


def find_problems(splits: Sequence[Split], utterances: Iterable[str] = ()) -> tuple[Problem, ...]:
    """Check task sets against every rule, each one and all of them together.

    Ids, texts and sentence frames may not repeat across the sets either.

    Args:
        splits: the sets.
        utterances: texts that no held-out task may repeat, such as those of `training_utterances`
            and of published benchmarks; markup is taken off.

    Returns:
        The problems: those of single tasks in their order, then those of the sets.
    """
    known = TextIndex(sorted({strip_markup(text) for text in utterances}))
    free = TextIndex(())
    alone = [
        problem
        for split in splits
        for task in split.tasks
        for problem in _of_task(task, known if split.held_out else free)
    ]
    everything = [task for split in splits for task in split.tasks]
    together = (_repeated_ids(everything), _repeated_texts(everything), _patterns(everything))
    silent = (
        Problem(task.id, Rule.FACTS, "No fact says what a correct reply tells.")
        for split in splits
        if split.facts
        for task in split.tasks
        if not task.gold.facts and task.gold.kind is not GoldKind.CHAT
    )
    counted = (
        problem
        for split in splits
        if split.coverage is not None
        for problem in _counts(split.tasks, split.coverage)
    )
    return (*alone, *(problem for group in together for problem in group), *silent, *counted)


def training_utterances() -> tuple[str, ...]:
    """Return the plain utterances that the offline model is trained on."""
    folder = Path(str(resources.files("ossia_dataset"))) / "data" / "utterances"
    found = []
    for path in sorted(folder.glob("*.txt")):
        lines = path.read_text("utf-8").splitlines()
        # Lists of values are no utterances.
        if path.stem != "gazetteers":
            found += [strip_markup(line) for line in lines if line.strip() and line[0] != "#"]
    return tuple(found)


def strip_markup(text: str) -> str:
    """Return an utterance without the marks of its slots: `wake me at [six](time)`."""
    return _MARKUP.sub(r"\1", text).strip()


def pattern_of(task: WorldTask) -> str:
    """Return a task's utterance with the names of its slots in the place of their values."""
    text = plain_text(task.utterance)
    said = [pair for frame in (task.gold, *task.gold.parts) for pair in frame.slots.items()]
    slots = sorted(said, key=lambda item: -len(item[1]))
    for name, value in slots:
        text = re.sub(rf"\b{re.escape(plain_text(value))}\b", f"<{name}>", text, count=1)
    return text


def has_own_words(pattern: str) -> bool:
    """Return whether a pattern says anything beside the values of slots."""
    return bool(_SLOT_NAMES.sub("", pattern).strip())


def _of_task(task: WorldTask, known: TextIndex) -> Iterator[Problem]:
    parts = task.gold.parts
    singles = [task.model_copy(update={"gold": part.gold()}) for part in parts] or [task]
    checks: Mapping[Rule, Iterable[str]] = {
        Rule.INTENT: chain.from_iterable(_intent(single.gold) for single in singles),
        Rule.SLOT_NAME: chain.from_iterable(_slot_names(single.gold) for single in singles),
        Rule.SLOT_WORDS: _slot_words(task),
        Rule.TIME: chain.from_iterable(map(_times, singles)),
        Rule.PLACE: chain.from_iterable(map(_places, singles)),
        Rule.KIND: _kind_of_parts(task.gold) if parts else _kind(task.gold),
        Rule.LEAK: _leaks(task, known),
    }
    for rule, messages in checks.items():
        for message in messages:
            yield Problem(task.id, rule, message)


def _intent(gold: Gold) -> Iterator[str]:
    if DOMAIN_OF.get(gold.intent) != gold.domain:
        yield f"The domain {gold.domain} has no intent '{gold.intent}'."


def _slot_names(gold: Gold) -> Iterator[str]:
    names = PARAMETERS.get(gold.domain, ())
    for name in gold.slots:
        if name not in names:
            yield f"The domain {gold.domain} has no slot '{name}'."
    for name in gold.dropped:
        if name not in gold.slots:
            yield f"The slot '{name}' is dropped, but there is none."


def _slot_words(task: WorldTask) -> Iterator[str]:
    spoken = f" {plain_text(task.utterance)} "
    # What a slot takes from an answer is not said, but the words that point to it are.
    words = [
        *task.gold.slots.items(),
        *(pair for part in task.gold.parts for pair in {**part.slots, **part.taken}.items()),
        *(("condition", part.condition) for part in task.gold.parts if part.condition),
    ]
    for name, value in words:
        said = plain_text(value)
        if not said or f" {said} " not in spoken:
            yield f"The {name} '{value}' is not in the utterance."


def _times(task: WorldTask) -> Iterator[str]:
    gold = task.gold
    wanted = normalise_time_slots(gold.slots, task.now)
    if gold.time != wanted:
        yield f"The time is {dict(gold.time)}, by the conventions it is {wanted}."
    lacking = {name for name in gold.slots if name in TIME_SLOTS} - wanted.keys()
    if (dropped := {name for name in gold.dropped if name in TIME_SLOTS}) != lacking:
        yield f"Dropped are {sorted(dropped)}, without a normal form are {sorted(lacking)}."


def _places(task: WorldTask) -> Iterator[str]:
    slots = task.gold.slots
    wanted = {
        name: normalise_place(slots[name], task.home) for name in PLACE_SLOTS if name in slots
    }
    if task.gold.place != wanted:
        yield f"The place is {dict(task.gold.place)}, by the conventions it is {wanted}."


def _kind(gold: Gold) -> Iterator[str]:
    possible = {GoldKind.ANSWER, GoldKind.CLARIFICATION}
    if gold.domain == _CHAT_DOMAIN:
        possible = {GoldKind.CHAT}
    elif any(request.params.get("intent") in CHANGING for request in gold.gold_requests()):
        # "Do I have missed calls" has the intent of "tell me of missed calls", but asks only.
        possible = {*possible, GoldKind.CHANGE}
    if gold.kind not in possible:
        yield f"A task of {gold.intent} cannot be of kind {gold.kind}."


def _kind_of_parts(gold: Gold) -> Iterator[str]:
    due = [part for part in gold.parts if part.due]
    if any(part.intent in CHANGING for part in due):
        possible = {GoldKind.CHANGE}
    elif len(due) < len(gold.parts):
        possible = {GoldKind.NONE}
    else:
        possible = {GoldKind.ANSWER}
    if gold.kind not in possible:
        yield f"A task of these parts cannot be of kind {gold.kind}."


def _leaks(task: WorldTask, known: TextIndex) -> Iterator[str]:
    for place, _ in known.like(task.utterance, ALIKE):
        yield f"It is nearly the known utterance '{known.texts[place]}'."


def _repeated_ids(tasks: Sequence[WorldTask]) -> Iterator[Problem]:
    for name, count in Counter(task.id for task in tasks).items():
        if count > 1:
            yield Problem(name, Rule.ID, f"The id occurs {count} times.")


def _repeated_texts(tasks: Sequence[WorldTask]) -> Iterator[Problem]:
    index = TextIndex(task.utterance for task in tasks)
    for place, task in enumerate(tasks):
        for earlier, _ in index.like(task.utterance, ALIKE):
            if earlier >= place:
                break
            yield Problem(task.id, Rule.REPETITION, f"It is nearly the task {tasks[earlier].id}.")


def _patterns(tasks: Sequence[WorldTask]) -> Iterator[Problem]:
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for task in tasks:
        pattern = pattern_of(task)
        # Where everything said is the value of a slot, no words are shared.
        if has_own_words(pattern):
            groups[task.gold.intent, pattern].append(task.id)
    for (_, pattern), ids in groups.items():
        for name in ids[MOST_OF_A_PATTERN:]:
            yield Problem(name, Rule.PATTERN, f"{len(ids)} tasks are '{pattern}'.")


def _counts(tasks: Sequence[WorldTask], coverage: Coverage) -> Iterator[Problem]:
    domains = Counter(task.gold.domain for task in tasks)
    intents = Counter(task.gold.intent for task in tasks)
    for what, counts, names, least in (
        ("domain", domains, PARAMETERS, coverage.per_domain),
        ("intent", intents, DOMAIN_OF, coverage.per_intent),
    ):
        for name in names:
            if counts[name] < least:
                message = f"The {what} {name} has {counts[name]} of at least {least} tasks."
                yield Problem("", Rule.COVERAGE, message)
