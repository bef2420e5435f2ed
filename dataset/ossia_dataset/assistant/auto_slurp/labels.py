"""The slot column: a list of labels that was written by hand, and not always as Python would."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Final

from ossia_dataset.assistant.auto_slurp.catalogue import SLOT_NAMES

_QUOTES: Final = "'\""
_NAME = r"[A-Za-z][A-Za-z_0-9]*"
_LABEL = re.compile(rf"\s*({_NAME})\s*:\s*(.*?)\s*", re.DOTALL)
_GROUPS = re.compile(r"\]\s*,\s*\[")
# A comma between quotes ends a label only if another label begins after it: an apostrophe before
# a comma may belong to the text.
_BETWEEN = re.compile(rf"['\"]?\s*,\s*['\"]+\s*(?={_NAME}\s*:)")
_PACKED = re.compile(rf"\s*,\s*(?=({_NAME})\s*:)")


class LabelError(ValueError):
    """The slot column cannot be read; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one row.

    Attributes:
        groups: Name and value of each label in order; one group for each intent of a compound row.
        repairs: What had to be repaired, one sentence each.
    """

    groups: tuple[tuple[tuple[str, str], ...], ...]
    repairs: tuple[str, ...] = ()


def parse_labels(text: str) -> Labels:
    """Read the slot column of one row.

    Args:
        text: Such as ``['date : tomorrow', 'event_name : meeting']``; the colon may stand with or
            without blanks, quotes may be wrong or missing, and several lists may follow each other.

    Returns:
        The labels.

    Raises:
        LabelError: If it is not a list of labels at all.
    """
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        raise LabelError("The slots are not a list in square brackets.")
    repairs: list[str] = []
    groups = tuple(
        tuple(label for item in _items(part, repairs) for label in _labels(item, repairs))
        for part in _GROUPS.split(stripped[1:-1])
    )
    return Labels(groups, tuple(repairs))


def _items(inner: str, repairs: list[str]) -> list[str]:
    """Split the inside of one list into its strings."""
    if not inner.strip():
        return []
    try:
        with warnings.catch_warnings():
            # A backslash in somebody's text is no reason to warn the caller.
            warnings.simplefilter("ignore")
            items = ast.literal_eval(f"[{inner}]")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        items = None
    if isinstance(items, list) and all(isinstance(item, str) for item in items):
        return items
    repairs.append("The slots are not a valid list of strings; they were split at the labels.")
    return [_unquoted(part) for part in _BETWEEN.split(inner)]


def _unquoted(part: str) -> str:
    # Quotes around a label come in pairs or are missing at one end; those inside belong to it.
    return part.strip().strip(_QUOTES)


def _labels(item: str, repairs: list[str]) -> list[tuple[str, str]]:
    """Read one string, which may hold several labels."""
    cuts = [match for match in _PACKED.finditer(item) if match[1].casefold() in SLOT_NAMES]
    if cuts:
        repairs.append(f"Several slots were packed into one string: {item}.")
    starts = [0, *(match.end() for match in cuts)]
    ends = [*(match.start() for match in cuts), len(item)]
    return [_label(item[start:end]) for start, end in zip(starts, ends, strict=True)]


def _label(text: str) -> tuple[str, str]:
    match = _LABEL.fullmatch(text)
    if match is None:
        raise LabelError(f"'{text.strip()}' is not a slot of the form 'name : value'.")
    value = " ".join(match[2].split())
    if not value:
        raise LabelError(f"The slot '{match[1]}' is empty.")
    return match[1].casefold(), value
