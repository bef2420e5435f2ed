"""What is found wrong with a step, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ossia_servers.wire.answers import words_in
from ossia_workflows import json_objects

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_SENTENCE: Final = 3
"""So many words before an object are a sentence, and no name of an envelope."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How a step leaves its contract.

    Attributes:
        said: what it said, in short.
        meant: what its contract demands, in short.
        fault: a clause such as `turned 'half past six' into 16:30`, with the role as its subject.
        remedy: what a repair brings, such as `with 18:30`.
        edit: the difference, to be kept about other inputs, in the suite's own form; None where the
            recorded answer is kept as it is.
        bound: whether it came from an input in which no intent could be read, and so is not kept
            once there is one.
        repeats: whether the manager calls a role once more that has worked already.
    """

    said: str
    meant: str
    fault: str
    remedy: str
    edit: object | None = None
    repeats: bool = False
    bound: bool = False


def last_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what a role said at the end of its turn; empty where it said nothing."""
    return next(filter(None, map(words_in, reversed(messages))), "")


def spoken(text: str) -> str:
    """Return the words of a text; of an envelope, the words in it.

    A sentence that quotes an object, such as one that tells of a fault, is no envelope.
    """
    envelopes = list(json_objects(text))
    if not envelopes or len(_WORD.findall(text.partition("{")[0])) >= _SENTENCE:
        return text
    return " ".join(v for item in envelopes for v in item.values() if isinstance(v, str))


def says_something(text: str) -> bool:
    """Whether words are in a text or, where it is an envelope, in the envelope."""
    return bool(spoken(text).strip())
