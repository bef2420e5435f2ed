"""What is found wrong with a step, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia_evaluation.attribution.edits import AddressEdit, ValuesEdit
from ossia_workflows import json_objects


@dataclass(frozen=True, slots=True)
class Finding:
    """How a step leaves its contract.

    Attributes:
        said: what it said, in short.
        meant: what its contract demands, in short.
        fault: a clause such as `turned 'half past six' into 16:30`, with the role as its subject.
        remedy: what a repair brings, such as `with 18:30`.
        edit: the difference, to be kept about other inputs; None where the recorded answer is
            kept as it is.
        bound: whether it came from an input in which no intent could be read, and so is not kept
            once there is one.
        repeats: whether the manager calls a role once more that has worked already.
    """

    said: str
    meant: str
    fault: str
    remedy: str
    edit: ValuesEdit | AddressEdit | None = None
    repeats: bool = False
    bound: bool = False


def last_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what a role said at the end of its turn; empty where it said nothing."""
    for message in reversed(messages):
        content = message.get("content")
        if isinstance(content, str) and content.strip():
            return content
    return ""


def says_something(text: str) -> bool:
    """Whether words are in a text or, where it is an envelope, in the envelope."""
    envelopes = list(json_objects(text))
    if not envelopes:
        return bool(text.strip())
    return any(isinstance(v, str) and v.strip() for item in envelopes for v in item.values())
