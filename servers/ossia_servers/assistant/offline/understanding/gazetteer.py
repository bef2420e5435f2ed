"""Known values, found by their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ossia_servers.assistant.offline.understanding.features import LONGEST_VALUE
from ossia_servers.assistant.offline.understanding.text import tokenise


def build_gazetteer(
    gazetteers: Mapping[str, Sequence[str]],
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Index known values by their words.

    Args:
        gazetteers: Slot to values.

    Returns:
        Words of a value to the slots that it is a value of; very long values are left out.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for slot, values in gazetteers.items():
        for value in values:
            words = tuple(token.word for token in tokenise(value))
            if not 0 < len(words) <= LONGEST_VALUE:
                continue
            slots = found.setdefault(words, [])
            if slot not in slots:
                slots.append(slot)
    return {words: tuple(slots) for words, slots in found.items()}
