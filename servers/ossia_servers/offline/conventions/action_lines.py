"""Answering in the text protocol whose prompts end in `Action:`."""

from __future__ import annotations

from dataclasses import replace

from ossia_servers.offline.plan import Manager
from ossia_servers.offline.slips import Slips
from ossia_servers.offline.understanding.frames import Understander
from ossia_servers.offline.work import ToolState, perform
from ossia_servers.wire.action_lines import (
    OWN_ACTIONS,
    Executed,
    executed,
    finish_line,
    line,
    offered,
)
from ossia_servers.wire.calls import Call
from ossia_servers.wire.choices import last_words
from ossia_servers.wire.conversation import Conversation, Speech
from ossia_servers.wire.names import by_role, handover, role_of


def answer(
    conversation: Conversation, understander: Understander, manager: Manager, slips: Slips | None
) -> str:
    """Answer a request that follows this protocol.

    Args:
        conversation: The request.
        understander: Reads utterances.
        manager: Decides which role works next.
        slips: What may replace the role's work, or None.

    Returns:
        One line with one action.
    """
    names = offered(conversation)
    done_so_far = executed(conversation)
    if conversation.role == "manager":
        return _manage(conversation, manager, names, done_so_far)
    tools = [name for name in names if name.lower() not in OWN_ACTIONS]
    used = [action.observation for action in done_so_far if action.name in tools]
    state = ToolState(frozenset(tools), used[-1] if used else None, len(used))
    done = perform(conversation.role, conversation, understander, state, slips)
    if isinstance(done, Call):
        return line(done.tool, done.arguments)
    return finish_line(names, done)


def _manage(
    conversation: Conversation,
    manager: Manager,
    names: list[str],
    done: list[Executed],
) -> str:
    agents = by_role(name for name in names if name.lower() not in OWN_ACTIONS)
    speeches = []
    for action in done:
        role = role_of(action.name)
        if role is not None:
            speeches.append(Speech(role, action.observation))
    heard = replace(conversation, speeches=tuple(speeches))
    role = manager.next_role(heard)
    if role is not None and role in agents:
        return line(agents[role], {"Task": handover(heard)})
    return finish_line(names, last_words(speeches))
