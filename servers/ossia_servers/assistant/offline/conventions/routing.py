"""Managers that choose the next role one by one, in whatever form the request asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ossia_servers.assistant.offline.plan import Manager
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.routing import (
    FINISH,
    Form,
    Routing,
    heard,
    present_choice,
    read_form,
)


def route(conversation: Conversation, manager: Manager) -> dict[str, Any]:
    """Choose the next role in the form that the request asks for.

    Args:
        conversation: The manager's request.
        manager: Decides which role works next.

    Returns:
        The manager's message.
    """
    routing = read_form(conversation)
    if routing.form is Form.ANSWER:
        return present_choice(conversation, FINISH)
    offered = _offered(routing)
    return present_choice(conversation, manager.next_role(heard(conversation), offered))


def _offered(routing: Routing) -> tuple[str, ...] | None:
    """Return the roles that the manager is held to, or None for all and the end.

    A team that has no role to begin the assistant's work is not the one that this model knows.
    There it can only choose among the few roles that it recognises, so that the user is told at
    least that nothing was done.
    """
    names: Mapping[str, str] = routing.names
    if routing.must_choose or (names and "intent" not in names):
        return tuple(names)
    return None
