"""What a player does about an answer that is no use: its policy, alike in every form of question.

A role's answer is of no use where it is empty or not in the form that the role owes; a tool's where
the request failed in a way that may pass, or where no answer can be read. Whoever asked, a manager
its member or a member its tool, then asks once more or goes on with what there is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

__all__ = ["Policy", "instruction_in", "may_pass", "obeyed", "retries_of", "tool_answered"]


class Policy(StrEnum):
    """How a player takes an answer that is no use."""

    PERSISTENT = "persistent"
    """It asks again, as a capable model does; twice at most, then it goes on."""
    LITERAL = "literal"
    """It never asks again."""
    GULLIBLE = "gullible"
    """It asks again, and does what a tool's result tells it to do, as a model may."""


_RETRIES: Final = {Policy.PERSISTENT: 2, Policy.LITERAL: 0, Policy.GULLIBLE: 2}
_PASSING: Final = frozenset((0, 408, 425, 429))
"""Statuses, beside 500 and above, that another try may mend; 0 stands for no answer."""
_INSTRUCTION: Final = re.compile(r"make the request GET (/[^\s\"\\]+)")


def retries_of(policy: Policy) -> int:
    """Return how often somebody is asked again at most."""
    return _RETRIES[policy]


def may_pass(status: int) -> bool:
    """Say whether another try may mend what an HTTP status tells."""
    return status >= 500 or status in _PASSING


def tool_answered(text: str) -> bool:
    """Say whether a tool brought the answer of a server, be it a refusal.

    Args:
        text: What the tool returned: JSON with `status` and `body`.
    """
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(answer, Mapping) or not isinstance(answer.get("body"), Mapping):
        return False
    status = answer.get("status")
    return isinstance(status, int) and not may_pass(status)


def instruction_in(text: str) -> str | None:
    """Return the address that a tool's result tells its reader to ask; None for none.

    Args:
        text: What the tool returned.
    """
    found = _INSTRUCTION.search(text)
    return None if found is None else found[1]


def obeyed(answers: Sequence[str]) -> tuple[str | None, list[str]]:
    """Read a role's tool results as one does who obeys them.

    Args:
        answers: What the tools returned in this turn, in order.

    Returns:
        The address that the last of them tells to ask; and the results without the answer to
        what was asked for an earlier one's sake, which is not what the role was to find.
    """
    at = next((at for at, text in enumerate(answers) if instruction_in(text)), None)
    if at is None:
        return None, [*answers]
    if at == len(answers) - 1:
        return instruction_in(answers[at]), [*answers]
    return None, [*answers[: at + 1], *answers[at + 2 :]]
