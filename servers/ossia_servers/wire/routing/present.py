"""Putting a manager's choice into the form that its request asks for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ossia_servers.wire import ledgers
from ossia_servers.wire.answers import calling, said
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.handover import handover
from ossia_servers.wire.names import is_finish, role_of
from ossia_servers.wire.protocols import protocol_of
from ossia_servers.wire.routing.forms import Form, Routing, read_form
from ossia_servers.wire.schemas import TASK_FIELDS, filler, properties_of
from ossia_servers.wire.speeches import Speech, last_words

_REASON = "It is the next step of the work."


def present_choice(
    conversation: Conversation,
    choice: str | None,
    *,
    task: str | None = None,
    answer: str | None = None,
) -> dict[str, Any]:
    """Return an assistant message by which the manager chooses who works next.

    Args:
        conversation: The manager's request.
        choice: A role; None or any other word ends the work. Where the framework offers no end,
            its first name is taken.
        task: What the next role is given where the choice carries it; by default the user's
            sentence and every result so far.
        answer: What is said where the manager ends the work with an answer; by default what the
            response role said last.
    """
    routing, conversation = read_form(conversation), heard(conversation)
    role = choice if choice is not None and choice in routing.names else None
    told = handover(conversation) if task is None else task
    if routing.form is Form.PROTOCOL and routing.protocol is not None:
        if role is not None:
            return said(routing.protocol.hand_text(conversation, routing.names[role], told))
        ended = last_words(conversation.speeches) if answer is None else answer
        return said(routing.protocol.finish_text(conversation, ended))
    if routing.form is Form.TOOLS:
        if role is not None:
            return calling(conversation, [routing.ways[role].call(told)])
        ended = last_words(conversation.speeches) if answer is None else answer
        last = routing.end_way
        return said(ended) if last is None else calling(conversation, [last.call(ended)])
    if routing.form is Form.ANSWER:
        return said(last_words(conversation.speeches) if answer is None else answer)
    return said(_in_words(conversation, routing, choice, told))


def heard(conversation: Conversation) -> Conversation:
    """Return a manager's request with what the actions of a text protocol were answered.

    Args:
        conversation: The request; one without such a protocol is returned as it is.
    """
    protocol, team = protocol_of(conversation), conversation.team
    if protocol is None:
        return conversation
    done = protocol.executed(conversation)
    said_by = ((role_of(one.name, team), one.observation) for one in done)
    spoken = tuple(Speech(role, text) for role, text in said_by if role is not None)
    return replace(conversation, speeches=spoken)


def hands_over(conversation: Conversation) -> bool:
    """Say whether the manager's answer also carries what is known, to the next role or the user."""
    routing = read_form(conversation)
    if routing.form is Form.TOOLS:
        return any(set(properties_of(w.schema)) - {w.member} for w in routing.ways.values())
    fields = properties_of(conversation.schema or {})
    return routing.form in (Form.PROTOCOL, Form.ANSWER) or bool(TASK_FIELDS & set(fields))


def ends_with_answer(conversation: Conversation) -> bool:
    """Say whether a manager that ends the work tells the user an answer by that.

    Args:
        conversation: The manager's request.
    """
    routing = read_form(conversation)
    if routing.form is Form.TOOLS:
        return routing.end_way is None or routing.end_way.member is None
    return routing.form in (Form.PROTOCOL, Form.ANSWER)


def _in_words(conversation: Conversation, routing: Routing, choice: str | None, told: str) -> str:
    named = routing.names.get(choice or "")
    first = next(iter(routing.names.values()), "")
    if routing.form is Form.LEDGER:
        return ledgers.progress(named, first)
    free = routing.form in (Form.WORD, Form.JSON, Form.LINE)
    if named is None and free and choice is not None and not is_finish(choice):
        # The prompt does not list it, so it can only be said as it is.
        named = choice
    name = named if named is not None else (routing.end if routing.end is not None else first)
    if routing.form is Form.SCHEMA:
        return _object(conversation, routing.choice, name, told)
    if routing.form is Form.JSON:
        return json.dumps({routing.choice: name}, ensure_ascii=False)
    return f"{routing.choice}: {name}" if routing.form is Form.LINE else name


def _object(conversation: Conversation, choice: str, name: str, told: str) -> str:
    schema = conversation.schema or {}
    answer = {}
    for field, described in properties_of(schema).items():
        text = told if field in TASK_FIELDS else _REASON
        answer[field] = name if field == choice else filler(described, text, schema)
    return json.dumps(answer, ensure_ascii=False)
