"""What each role but the manager does with what it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from ossia_dataset.normalise import PLACE_SLOTS, TIME_SLOTS, normalise_place, normalise_time_slots
from ossia_servers.assistant.offline import compound, replies
from ossia_servers.assistant.offline.hook import ResponseHook
from ossia_servers.assistant.offline.plan import domain_of
from ossia_servers.assistant.offline.prompted import bounds_in, home_in
from ossia_servers.assistant.offline.tool_state import ToolState
from ossia_servers.assistant.offline.understanding.frames import CHAT_DOMAIN, Frame, Understander
from ossia_servers.wire.calls import DATE_TOOL, HTTP_TOOL, Call
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.policy import Policy, retries_of, tool_answered


def perform(
    role: str,
    conversation: Conversation,
    understander: Understander,
    tools: ToolState,
    hook: ResponseHook | None = None,
    policy: Policy | None = None,
) -> str | Call:
    """Do a role's work.

    Args:
        role: The role.
        conversation: What it is told.
        understander: Reads utterances.
        tools: The tools.
        hook: What may replace the role's work, or None.
        policy: What the role does about a tool's answer that is no use.

    Returns:
        Its answer, or the tool that it wants to use first.
    """
    retries = 0 if policy is None else retries_of(policy)
    right = _perform(role, conversation, understander, tools, retries)
    return right if hook is None else hook.perform(conversation, right, tools)


def _perform(
    role: str,
    conversation: Conversation,
    understander: Understander,
    tools: ToolState,
    retries: int,
) -> str | Call:
    if role == "intent":
        return _intent(conversation, understander)
    if role == "time":
        return _time(conversation, understander, tools, retries)
    if role == "location":
        return _location(conversation, understander)
    if role == "url":
        return _url(conversation, understander)
    if role == "request":
        return _request(conversation, tools, retries)
    return _response(conversation, understander)


def _dump(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read(conversation: Conversation, understander: Understander) -> Frame:
    """Return the frame that the intent role gave; without one, read the sentence again."""
    given = conversation.results.intent
    if given is None:
        return understander.understand(conversation.utterance, bounds_in(conversation.messages))
    slots = {
        str(slot): value if isinstance(value, str) else _dump_value(value)
        for slot, value in given["slots"].items()
        if value is not None
    }
    return Frame(domain_of(given, understander.domains), str(given["intent"]), slots)


def _dump_value(value: object) -> str:
    if isinstance(value, list):
        return " and ".join(str(part) for part in value)
    return str(value)


def _intent(conversation: Conversation, understander: Understander) -> str:
    if conversation.rounds is not None:
        frame = compound.next_frame(conversation, understander)
    else:
        frame = understander.understand(conversation.utterance, bounds_in(conversation.messages))
    return _dump({"domain": frame.domain, "intent": frame.intent, "slots": dict(frame.slots)})


def _now(conversation: Conversation) -> datetime | None:
    today = conversation.results.today
    if today is None:
        return None
    time = today.get("time")
    for text in (f"{today['date']}T{time}", str(today["date"])):
        try:
            return datetime.fromisoformat(text).replace(tzinfo=None)
        except ValueError:
            continue
    return None


def _time(
    conversation: Conversation, understander: Understander, tools: ToolState, retries: int
) -> str | Call:
    now = _now(conversation)
    lacking = tools.last is None or (now is None and tools.calls <= retries)
    if DATE_TOOL in tools.offered and lacking:
        return Call(DATE_TOOL)
    slots = {
        slot: value
        for slot, value in _read(conversation, understander).slots.items()
        if slot in TIME_SLOTS
    }
    return _dump({"time_slots": dict(normalise_time_slots(slots, now)) if now else {}})


def _location(conversation: Conversation, understander: Understander) -> str:
    places = {}
    for slot, value in _read(conversation, understander).slots.items():
        if slot in PLACE_SLOTS:
            place = normalise_place(value, home_in(conversation.messages))
            if place:
                places[slot] = place
    return _dump({"place_slots": places})


def _url(conversation: Conversation, understander: Understander) -> str:
    frame, results = _read(conversation, understander), conversation.results
    if frame.domain == compound.NOTHING_LEFT and conversation.rounds is not None:
        return _dump({"url": ""})
    given: dict[str, str] = {}
    for found in (results.time_slots, results.place_slots):
        given |= {str(slot): str(value) for slot, value in (found or {}).items()}
    parameters = {"intent": frame.intent}
    for slot, value in frame.slots.items():
        if slot in given:
            parameters[slot] = given.pop(slot)
        elif slot not in TIME_SLOTS or results.time_slots is None:
            parameters[slot] = value
    parameters |= given
    query = urlencode(parameters, errors="replace")
    return _dump({"url": f"/{quote(frame.domain, safe='', errors='replace')}?{query}"})


def _request(conversation: Conversation, tools: ToolState, retries: int) -> str | Call:
    url = conversation.results.url
    if tools.last is not None:
        again = url and HTTP_TOOL in tools.offered and tools.calls <= retries
        if not again or tool_answered(tools.last):
            return tools.last.strip()
    if url is None:
        return "There is no address to ask: the url agent gave none."
    if conversation.rounds is not None and not url:
        return _dump({"status": 204, "body": {}})
    if HTTP_TOOL in tools.offered:
        return Call(HTTP_TOOL, {"method": "GET", "url": url})
    if conversation.results.answer is not None:
        return _dump(conversation.results.answer)
    return "There is no tool to make the request with."


def _response(conversation: Conversation, understander: Understander) -> str:
    if conversation.rounds is not None:
        return compound.tell(conversation)
    if conversation.results.answer is not None:
        return replies.tell(conversation.results.answer)
    frame = _read(conversation, understander)
    if frame.domain == CHAT_DOMAIN:
        return replies.chat(frame.intent, conversation.utterance)
    return replies.nothing()
