"""How a manager's choice of the next role is asked for, and what goes with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ossia_servers.wire.conversation import Speech

_SELECT = re.compile(r"select the next \w+ from \[([^\]]*)\]", re.IGNORECASE)
TASK_FIELDS = frozenset(("task", "instruction", "instructions", "input", "message", "request"))
"""Fields of a routing answer that carry what the next role is to do."""


def last_words(speeches: Sequence[Speech]) -> str:
    """Return what a manager ends the work with: the answer as it was last told."""
    said = [speech.text for speech in speeches if speech.role == "response"]
    return said[-1] if said else "The work is finished."


def offered_names(text: str) -> list[str]:
    """Return the names of a "select the next role from [...]" prompt; empty without one."""
    found = _SELECT.findall(text)
    return re.findall(r"\w+", found[-1]) if found else []
