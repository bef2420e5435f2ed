"""What a role says that does to the letter what its prompt demands of the form of its answer.

Frameworks put answers into envelopes of their own: a JSON object, a line of a text protocol, the
call of a tool. A prompt that demands a form of the whole answer leaves no room for them, and a
model that obeys it is lost in such a framework. Prompts of ours demand what is in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ossia_servers.wire.answers import said
from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.reading import find_utterances
from ossia_servers.wire.ways import back_way

__all__ = ["demands", "obey"]

_ANSWER: Final = r"\b(?:answer|reply|respond|output|print|write|return)\b"
_DEMAND: Final = re.compile(
    rf"{_ANSWER}[^.\n]*\b(?:nothing (?:else|more|but)|only|solely|alone)\b"
    rf"|{_ANSWER} (?:with|in|as|by) (?:exactly |just )?(?:one|a single|this|these|the following)\b"
    r"|\bonly (?:answer|reply|respond|output|print|write|return)\b"
    r"|\badd nothing\b|\b(?:on|in) (?:one|a single) line\b"
    r"|(?:^|[.:;-] )(?:no|without) (?:JSON|markdown|prose|(?:other|further|extra) text)\b",
    re.IGNORECASE | re.MULTILINE,
)


def demands(prompt: str) -> tuple[str, ...]:
    """Return the places of a prompt that demand a form of the whole answer.

    Args:
        prompt: a role's prompt.
    """
    return tuple(match[0].strip() for match in _DEMAND.finditer(prompt))


def obey(conversation: Conversation, content: str | Sequence[Call]) -> dict[str, Any]:
    """Return an assistant message of a member that obeys its prompt, and then the framework.

    Its words stand alone where its prompt demands a form of the whole answer, in the framework's
    envelope otherwise. It hands back by a tool only where it is told so in words.

    Args:
        conversation: the request that is answered.
        content: the words that end the turn, or the tools to be called first.
    """
    if not isinstance(content, str):
        return present(conversation, content)
    told = _instructions(conversation)
    back = None
    if conversation.role != MANAGER:
        back = back_way(conversation.tools, conversation.team)
    if demands(told) or (back is not None and back.tool not in told):
        return said(content)
    return present(conversation, content)


def _instructions(conversation: Conversation) -> str:
    """What a role is told before its task: the system's messages, else what stands before it."""
    messages = conversation.messages
    system = [each.text for each in messages if each.role in ("system", "developer")]
    if any(system):
        return "\n".join(system)
    text = messages[0].text if messages else ""
    task = next(iter(find_utterances(text)), None)
    return text if task is None else text[: task.start]
