"""A member's turn: one conversation with its model, tool calls included."""

import inspect
import json
from collections.abc import Callable
from typing import Any

from ossia_adapter import Episode, Role
from ossia_adapter_control.chat import Chat, Message
from ossia_adapter_control.manager import Turn

__all__ = ["speak"]

Tools = dict[str, Callable[..., str]]


def speak(chat: Chat, episode: Episode, role: Role, turns: list[Turn]) -> str:
    """Let a role take its turn.

    Args:
        chat: The endpoint.
        episode: The episode.
        role: The role.
        turns: What was said so far.

    Returns:
        The role's words.

    Raises:
        ModelError: The endpoint answered with an error or no completion.
        requests.RequestException: There was no answer, or not in time.
    """
    messages: list[Message] = [
        {"role": "system", "content": role.prompt},
        {"role": "user", "content": episode.task},
        *({"role": "user", "name": turn.role, "content": turn.text} for turn in turns),
    ]
    tools: Tools = {tool.__name__: tool for tool in episode.tools(role)}
    options: dict[str, Any] = {"tools": [_schema(tool) for tool in tools.values()]} if tools else {}
    for _ in range(episode.limits.tool_rounds if tools else 0):
        message = chat.complete(role.name, messages, **options)
        calls = message.get("tool_calls")
        if not calls:
            return message.get("content") or ""
        messages.append(
            {"role": "assistant", "content": message.get("content"), "tool_calls": calls}
        )
        messages += [_called(tools, call) for call in calls]
    if tools:
        options["tool_choice"] = "none"
    return chat.complete(role.name, messages, **options).get("content") or ""


def _called(tools: Tools, call: dict[str, Any]) -> Message:
    """Make one tool call; whatever is wrong with it is told to the model."""
    name = call["function"]["name"]
    try:
        arguments = json.loads(call["function"]["arguments"] or "{}")
        inspect.signature(tools[name]).bind(**arguments)
    except KeyError:
        result = f"there is no tool {name}"
    except (ValueError, TypeError) as error:
        result = f"wrong arguments: {error}"
    else:
        result = tools[name](**arguments)
    return {"role": "tool", "tool_call_id": call["id"], "content": result}


def _schema(tool: Callable[..., str]) -> dict[str, Any]:
    """Describe a tool to the model; every parameter of the tools is a text."""
    names = list(inspect.signature(tool).parameters)
    return {
        "type": "function",
        "function": {
            "name": tool.__name__,
            "description": inspect.getdoc(tool),
            "parameters": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in names},
                "required": names,
            },
        },
    }
