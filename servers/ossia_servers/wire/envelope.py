"""Putting a member's words or tool calls into the envelope that a framework's request asks for.

They look different in each framework: a native tool call, a line of a text protocol, a wrapped
result. The request itself says which it is. A manager's choice is put into its envelope by
`ossia_servers.wire.routing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ossia_servers.wire import workforce
from ossia_servers.wire.answers import calling, read_calls, said
from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.messages import Message
from ossia_servers.wire.names import MANAGER, role_of
from ossia_servers.wire.protocols import protocol_of
from ossia_servers.wire.ways import back_way, ending_tool, handed_to

__all__ = ["present", "read_calls", "tool_answers", "tools_offered"]


def present(conversation: Conversation, content: str | Sequence[Call]) -> dict[str, Any]:
    """Return an assistant message with a member role's words or tool calls.

    Args:
        conversation: the request that is answered.
        content: the words that end the turn, or the tools to be called first.
    """
    protocol = protocol_of(conversation)
    if protocol is not None:
        if isinstance(content, str):
            return said(protocol.finish_text(conversation, content))
        # One action an answer: the protocols have no second call.
        return said(protocol.call_text(conversation, content[0].tool, content[0].arguments))
    if not isinstance(content, str):
        return calling(conversation, content)
    if workforce.is_worker_request(conversation):
        return said(workforce.wrap(content))
    last = ending_tool(conversation.tools)
    if last is not None:
        return calling(conversation, [last.call(content)])
    back = None
    if conversation.role != MANAGER:
        back = back_way(conversation.tools, conversation.team)
    if back is not None:
        # Whoever has the talk keeps it, so its words and handing back are one message.
        return calling(conversation, [back.call(content)], content)
    return said(content)


def tool_answers(conversation: Conversation) -> tuple[str, ...]:
    """Return what the tools answered that the asked role has called so far.

    Where the whole talk is handed from role to role, that is since it was handed to this one: what
    came before are others' tools, and the acknowledgement of a handoff is nobody's.
    """
    own = _since_handed_over(conversation)
    native = [message.text for message in own if message.role == "tool"]
    protocol = protocol_of(conversation)
    if native or protocol is None:
        return tuple(native)
    done = protocol.executed(conversation)
    return tuple(one.observation for one in done if role_of(one.name, conversation.team) is None)


def tools_offered(conversation: Conversation) -> frozenset[str]:
    """Return the names of the tools that the asked role may call."""
    protocol = protocol_of(conversation)
    return frozenset(conversation.tools if protocol is None else protocol.offered(conversation))


def _since_handed_over(conversation: Conversation) -> Sequence[Message]:
    messages, team = conversation.messages, conversation.team
    starts = [place for place, m in enumerate(messages) if handed_to(m, team) is not None]
    if conversation.rounds is not None:
        # A framework may show a role its earlier turns; what their tools told is of those rounds.
        starts += [place for place, m in enumerate(messages) if m.role == "user"]
    return messages[max(starts) + 1 :] if starts else messages
