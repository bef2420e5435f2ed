"""Recorded actions such as `email.delete_email.func(email_id="00000312")`, and the tools' names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ossia_servers.workbench.office import toolkits
from ossia_servers.worlds.parsing import MAX_VERBATIM

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character: Python's texts may hold it, nothing that is written in UTF-8 may."""

_PRIVATE = 0x100000
"""First of the code points that stand for halves."""


class ActionError(ValueError):
    """The published evaluator would skip this action, since it raises there."""


@dataclass(frozen=True)
class Action:
    """One call of a tool."""

    toolkit: str
    tool: str
    arguments: Mapping[str, str]
    """By parameter name; a value that is no text is told by `foreign`."""

    @property
    def name(self) -> str:
        """`toolkit.tool`."""
        return f"{self.toolkit}.{self.tool}"


@cache
def signatures() -> Mapping[str, tuple[str, ...]]:
    """Return the parameters of every tool in order, by `toolkit.tool`."""
    return {f"{kit.name}.{tool.name}": tool.signature for kit in toolkits() for tool in kit.tools}


@cache
def writing_tools() -> frozenset[str]:
    """Return the names of all tools that may change the state."""
    return frozenset(
        f"{kit.name}.{tool.name}" for kit in toolkits() for tool in kit.tools if tool.writes
    )


def escaped(text: str) -> str:
    """Return an action with its line breaks escaped, as the published evaluator does first.

    So they may stand inside a text, and nowhere else.
    """
    return text.replace("\n", "\\n")


def tool_name(text: str) -> str:
    """Return `toolkit.tool` as it is written before the first bracket, even in a broken text."""
    return ".".join(text.split("(", 1)[0].split(".")[:2])


def write_action(name: str, arguments: Mapping[str, str]) -> str:
    """Return a call in the recorded notation, which escapes nothing."""
    told = ", ".join(f'{key}="{value}"' for key, value in arguments.items())
    return f"{name}.func({told})"


def foreign(value: object) -> str:
    """Return a text that stands for a value that is no text, and equals no text of a table."""
    return f"\ue000{type(value).__name__} {value!r}"


def servable(text: str) -> str:
    """Return a text of an action as the servers take it; equal exactly where the texts are equal.

    The published evaluator stores any text of Python. A half character, which models leave where
    they escape a picture in two halves, becomes a private one here, and the end of a text that is
    longer than the servers accept becomes its hash.
    """
    whole = _HALF.sub(lambda half: chr(_PRIVATE + ord(half[0]) - 0xD800), text)
    if len(whole) <= MAX_VERBATIM:
        return whole
    # The comparison ignores case in every column that may hold so long a text.
    digest = hashlib.sha256(whole.lower().encode()).hexdigest()
    return f"{whole[: MAX_VERBATIM - len(digest)]}{digest}"
