"""A manager that plans ahead: the answer to whatever it is asked but who works next."""

from __future__ import annotations

from ossia_servers.wire import ledgers, workforce
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.duties import Duty, Planner, duty_of
from ossia_servers.wire.handover import handover


def manage(conversation: Conversation, planner: Planner) -> str | None:
    """Answer a manager's request if it is one of planning.

    Args:
        conversation: The manager's request.
        planner: Asked where the request is for a plan that is carried out, or a verdict.

    Returns:
        The answer, or None if the request is of another kind.
    """
    duty = duty_of(conversation)
    if duty is Duty.ROUTE:
        return None
    if duty is Duty.FACTS:
        return ledgers.facts(handover(conversation))
    if duty is Duty.OUTLINE:
        return ledgers.plan(conversation.prompt, conversation.team)
    return workforce.manage(conversation, duty, planner)
