"""The kinds of changes, by family. None knows a task, a contract, or how a role is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from benchmarks.attribution.wild import choices, shapes, texts, tools
from benchmarks.attribution.wild.material import Material, Way
from benchmarks.attribution.wild.messages import Message, with_fresh_ids
from benchmarks.attribution.wild.texts import anywhere
from ossia_dataset.randomness import seeded_random

MANAGER = "manager"


def other_task(message: Message, material: Material, draw: Random) -> Message | None:
    """Say what the same role said at the same call of another task."""
    others = [each for each in material.alike if each != message]
    return with_fresh_ids(draw.choice(others), "swapped") if others else None


FAMILIES: Mapping[str, Mapping[str, Way]] = {
    "swap": {"other_task": other_task},
    "words": {
        "word_deleted": anywhere(texts.word_deleted),
        "word_doubled": anywhere(texts.word_doubled),
        "word_replaced": anywhere(texts.word_replaced),
        "words_shuffled": anywhere(texts.words_shuffled),
        "character_deleted": anywhere(texts.character_deleted),
        "character_doubled": anywhere(texts.character_doubled),
        "character_replaced": anywhere(texts.character_replaced),
        "digit_replaced": anywhere(texts.digit_replaced),
        "case_changed": anywhere(texts.case_changed),
    },
    "length": {
        "neutral_added": anywhere(texts.neutral_added),
        "other_added": anywhere(texts.other_added),
        "truncated": anywhere(texts.truncated),
        "emptied": anywhere(texts.emptied),
        "repeated": anywhere(texts.repeated),
    },
    "encoding": {
        "encoded": anywhere(texts.encoded),
        "lookalikes": anywhere(texts.lookalikes),
        "invisible": anywhere(texts.invisible),
    },
    "shape": {
        "parts": shapes.parts,
        "no_content": shapes.no_content,
        "talking": shapes.talking,
        "open_arguments": shapes.open_arguments,
    },
    "json": {
        "nested": anywhere(texts.nested),
        "fenced": anywhere(texts.fenced),
        "member_renamed": anywhere(texts.member_renamed),
        "member_dropped": anywhere(texts.member_dropped),
        "members_exchanged": anywhere(texts.members_exchanged),
        "member_retyped": anywhere(texts.member_retyped),
    },
    "tool": {
        "method": tools.method,
        "name": tools.name,
        "argument_added": tools.argument_added,
        "argument_dropped": tools.argument_dropped,
        "header_added": tools.header_added,
        "twice": tools.twice,
        "again": tools.again,
        "spoken": tools.spoken,
    },
    "address": {
        "path_case": anywhere(tools.path_case),
        "slash": anywhere(tools.slash),
        "percent": anywhere(tools.percent),
        "query_dropped": anywhere(tools.query_dropped),
        "query_added": anywhere(tools.query_added),
        "query_doubled": anywhere(tools.query_doubled),
    },
    "manager": {
        "another_role": choices.another_role,
        "same_again": choices.same_again,
        "two_roles": choices.two_roles,
        "unreadable": choices.unreadable,
    },
}
"""Ways to change a message, by family and kind."""

KINDS: Mapping[str, Way] = {
    f"{family}.{kind}": way for family, ways in FAMILIES.items() for kind, way in ways.items()
}
"""The same by full name."""

_MANAGERS = frozenset(f"manager.{kind}" for kind in FAMILIES["manager"])


def family_of(kind: str) -> str:
    """Return the family of a kind of change."""
    return kind.partition(".")[0]


@dataclass(frozen=True, order=True)
class Change:
    """One change of one model answer.

    Attributes:
        situation: the step, by its moment in the episode that is changed.
        call: the model call within the step, from 0.
        kind: how the answer is changed.
        seed: decides between the changes of a kind.
    """

    situation: str
    call: int
    kind: str
    seed: int

    def __str__(self) -> str:
        """Return the change as keys and tables name it."""
        return f"{self.kind}@{self.situation}.{self.call}@{self.seed}"

    def of(self, message: Message, material: Material) -> Message | None:
        """Return a message changed; None where it cannot be, or where nothing differs.

        The same change of the same message is the same, whatever it is part of.
        """
        draw = seeded_random("wild", self.kind, self.seed)
        found = KINDS[self.kind](message, material, draw)
        return None if found is None or found == message else found


def fits(kind: str, role: str) -> bool:
    """Say whether a kind of change is made in a role's answers: the manager's in its alone."""
    return role == MANAGER or kind not in _MANAGERS
