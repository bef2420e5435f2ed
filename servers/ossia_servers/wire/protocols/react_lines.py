"""ReAct: `Thought:`, `Action:` and `Action Input:` in lines, and at the end `Final Answer:`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.messages import arguments as read_arguments
from ossia_servers.wire.protocols.executed import Executed

_OFFERED = re.compile(r"\bone (?:name )?of:? \[([^\]]*)\]")
_STEP = re.compile(
    r"^[ \t]*Action:[ \t]*(?P<name>[^\n]+?)[ \t]*\n"
    r"[ \t]*Action Input:[ \t]*(?P<given>.*?)[ \t]*\n"
    r"\s*Observation:[ \t]*(?P<seen>.*?)(?=^[ \t]*(?:Thought|Action|Observation):|\Z)",
    re.MULTILINE | re.DOTALL,
)
_CALL = re.compile(
    r"^[ \t]*Action:[ \t]*(?P<name>[^\n]+?)[ \t]*\n[ \t]*Action Input:[ \t]*(?P<given>.*)",
    re.MULTILINE | re.DOTALL,
)
_END = re.compile(r"^[ \t]*Final Answer:", re.MULTILINE)
_FIELDS = re.compile(r"['\"](\w+)['\"]: ?\{")


def applies(conversation: Conversation) -> bool:
    """Say whether the request follows this protocol."""
    said = conversation.said
    wanted = "Action Input:" in said and "Final Answer:" in said
    return wanted and not conversation.tools and _OFFERED.search(said) is not None


def offered(conversation: Conversation) -> list[str]:
    """Return the names of the tools or agents that the prompt offers, in its order."""
    found = _OFFERED.search(conversation.said)
    names = found.group(1).split(",") if found is not None else []
    return [name.strip(" '\"`\n") for name in names]


def executed(conversation: Conversation) -> list[Executed]:
    """Return the actions that were carried out so far, with what came of each."""
    text = "\n".join(conversation.texts)
    return [
        Executed(match["name"], match["seen"].strip(), read_arguments(match["given"]))
        for match in _STEP.finditer(text)
    ]


def call_text(conversation: Conversation, name: str, arguments: Mapping[str, Any]) -> str:
    """Return the lines that call a tool; its arguments are a JSON object."""
    return _step(name, json.dumps(dict(arguments), ensure_ascii=False))


def hand_text(conversation: Conversation, name: str, task: str) -> str:
    """Return the lines that give an agent a task: as text, or as JSON where the prompt wants it."""
    told = re.search(rf"Tool Name: {re.escape(name)}\s*\nTool Arguments: (.*)", conversation.said)
    fields = _FIELDS.findall(told.group(1)) if told is not None else []
    if fields:
        return _step(name, json.dumps(dict.fromkeys(fields, task), ensure_ascii=False))
    # LangChain takes quotes off both ends of an input, but not from within it.
    return _step(name, f"{task}\n" if task.endswith('"') else task)


def finish_text(conversation: Conversation, text: str) -> str:
    """Return the lines that end the turn with a text."""
    return f"Thought: I now know the final answer.\nFinal Answer: {text}"


def read_call(content: str) -> tuple[str, dict[str, Any]] | None:
    """Return the name and the arguments of a content's action; None where it has none.

    Args:
        content: What a model wrote. An input that is no JSON object is read as no arguments.
    """
    match = _CALL.search(content)
    if match is None or _END.search(content):
        return None
    return match["name"].strip("`'\"*[] "), dict(read_arguments(match["given"].strip()))


def is_end(content: str) -> bool:
    """Say whether a content ends the turn."""
    return _END.search(content) is not None


def _step(name: str, given: str) -> str:
    return f"Thought: I know what to do next.\nAction: {name}\nAction Input: {given}"
