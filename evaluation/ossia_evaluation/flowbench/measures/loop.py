"""The published simulation of a session, as its code runs it, defects included.

A user, an assistant and a simulator of tools, each a language model as published, take turns until
the user is done or a limit is reached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ossia_evaluation.flowbench.measures.judging import Crash
from ossia_evaluation.flowbench.measures.texts import rooted_input

__all__ = ["DONE", "Message", "Players", "dialog_of", "simulate"]

DONE: Final = "[DONE]"
"""The session ends where the user says this."""

_MESSAGES: Final = 40
_CALLS: Final = 10
_CALLS_IN_TURN: Final = 5
_TRIES: Final = 10
_TOOL_TRIES: Final = 5

_NAME: Final = re.compile(r"Action: (?:functions\.)?(\w+)")
_NO_MESSAGE: Final = "AttributeError: 'NoneType' object has no attribute 'get'"

Message = dict[str, Any]
"""A message as published: `role`, `content`, and `function_call` where a tool is called."""


@dataclass(frozen=True)
class Players:
    """Who speaks in a session.

    Attributes:
        user: Says the user's next words.
        assistant: Says the assistant's next words.
        tool: Says what a tool returns.
        tools: The names of the tools.
    """

    user: Callable[[], str]
    assistant: Callable[[], str]
    tool: Callable[[], str]
    tools: Collection[str]


def simulate(players: Players) -> list[Message]:
    """Return the messages of a session.

    Raises:
        Crash: the published code ends with an error; the session is lost.
    """
    messages: list[Message] = []
    calls = 0
    while len(messages) - 1 < _MESSAGES and calls < _CALLS:
        said = _user(players, messages)
        while not messages and DONE in said["content"]:
            said = _user(players, messages)
        if DONE in said["content"]:
            break
        messages.append(said)
        for _ in range(_CALLS_IN_TURN):
            messages.append(_assistant(players))
            if "function_call" not in messages[-1]:
                break
            messages.append(_tool(players, messages[-1]["function_call"]["name"]))
            calls += 1
    return messages[:-1] if messages[-1]["role"] in ("user", "function") else messages


def dialog_of(messages: Sequence[Message]) -> str:
    """Return a session as the text that is judged."""
    return "\n\n".join(f"{each['role']}:\n{each['content']}" for each in messages).strip()


def _user(players: Players, messages: list[Message]) -> Message:
    if messages and messages[-1]["role"] != "assistant":
        # A turn that ends with its last call allowed leaves no words of the assistant.
        raise Crash(f"AssertionError: {messages}")
    return {"role": "user", "content": players.user().replace("User:", "").strip()}


def _assistant(players: Players) -> Message:
    """Words without a thought are asked for again; the tenth are taken for one."""
    for left in reversed(range(_TRIES)):
        message = _read(players.assistant())
        if "Thought:" in message["content"]:
            break
        if not left:
            message["content"] = "Thought:" + message["content"]
    return message


def _read(said: str) -> Message:
    if "Action:" not in said or "Action Input:" not in said:
        return {"role": "assistant", "content": said}
    found = _NAME.search(said)
    if found is None:
        # As published after 200 further questions, each with the same error.
        raise Crash(_NO_MESSAGE)
    kept = re.sub(r"Response:.*?(\n|$)", "", said, flags=re.DOTALL)
    start = kept.find("Thought:")
    end = start + kept[start:].find("\n") + 1
    rest = re.sub(r"Thought:.*?(\n|$)", "", kept[end:], count=1, flags=re.DOTALL)
    call = {"name": found.group(1), "arguments": rooted_input(said)}
    return {"role": "assistant", "content": kept[:end] + rest, "function_call": call}


def _tool(players: Players, name: str) -> Message:
    if name not in players.tools:
        raise Crash(f"KeyError: {name!r}")
    for _ in range(_TOOL_TRIES):
        said = players.tool()
        try:
            json.loads(said)
        except (ValueError, RecursionError):
            continue
        return {"role": "function", "name": name, "content": said}
    # The published code goes on with a message that is None.
    raise Crash(_NO_MESSAGE)
