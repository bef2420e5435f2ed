"""A text protocol: the prompt ends in `Action:` and the answer is one line, `Name[{...}]`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.messages import arguments as read_arguments
from ossia_servers.wire.protocols.executed import Executed
from ossia_servers.wire.reading import find_utterances

_EXAMPLE = re.compile(r"^\s*(?:Action:\s*)?(\w+)\[\{", re.MULTILINE)
_EXECUTED = re.compile(r"^Action:\s*(\w+)\[(.*)\]\s*$", re.MULTILINE)
_LINE = re.compile(r"^\s*(?:Action:\s*)?(\w+)\[(.*)\]\s*$", re.DOTALL)
_OBSERVATION = re.compile(r"^Observation:[ \t]*", re.MULTILINE)
OWN_ACTIONS = frozenset(("finish", "think", "plan"))
"""Actions of the protocol itself, which neither call a tool nor a role."""


def applies(conversation: Conversation) -> bool:
    """Say whether the request follows this protocol."""
    prompt = conversation.prompt
    return prompt.rstrip().endswith("Action:") and _EXAMPLE.search(prompt) is not None


def offered(conversation: Conversation) -> list[str]:
    """Return the names of the tools or agents that the prompt offers, each once, in its order."""
    return [name for name in _offered(conversation) if name.lower() not in OWN_ACTIONS]


def executed(conversation: Conversation) -> list[Executed]:
    """Return the actions that were carried out so far, with what came of each."""
    _, after = _parts(conversation)
    return _executed(after)


def call_text(conversation: Conversation, name: str, arguments: Mapping[str, Any]) -> str:
    """Return the line that calls a tool."""
    return _line(name, arguments)


def hand_text(conversation: Conversation, name: str, task: str) -> str:
    """Return the line that gives an agent a task."""
    return _line(name, {"Task": task})


def finish_text(conversation: Conversation, text: str) -> str:
    """Return the line that ends the turn with a text."""
    names = _offered(conversation)
    name = next((name for name in names if name.lower() == "finish"), "Finish")
    return _line(name, {"response": text})


def read_call(content: str) -> tuple[str, dict[str, Any]] | None:
    """Return the name and the arguments of a content's action; None where it is no such line.

    Args:
        content: What a model wrote.
    """
    match = _LINE.match(content)
    return None if match is None else (match.group(1), dict(read_arguments(match.group(2))))


def is_end(content: str) -> bool:
    """Say whether a content is the line that ends the turn."""
    match = _LINE.match(content)
    return match is not None and match.group(1).lower() == "finish"


def _line(name: str, arguments: Mapping[str, Any]) -> str:
    return f"{name}[{json.dumps(dict(arguments), ensure_ascii=False)}]"


def _offered(conversation: Conversation) -> list[str]:
    before, _ = _parts(conversation)
    return list(dict.fromkeys(_EXAMPLE.findall(before)))


def _parts(conversation: Conversation) -> tuple[str, str]:
    """Split the prompt into what comes before the task and what comes after it."""
    prompt = conversation.prompt
    for mention in find_utterances(prompt):
        if mention.utterance == conversation.utterance:
            return prompt[: mention.start], prompt[mention.end :]
    return prompt, ""


def _executed(text: str) -> list[Executed]:
    starts = list(_EXECUTED.finditer(text))
    found = []
    for number, match in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        rest = text[match.end() : end]
        observed = _OBSERVATION.search(rest)
        if observed is not None:
            words = rest[observed.end() :].rstrip()
            observation = words.removesuffix("Action:").strip()
            given = read_arguments(match.group(2))
            found.append(Executed(match.group(1), observation, given))
    return found
