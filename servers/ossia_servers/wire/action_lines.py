"""A text protocol: the prompt ends in `Action:` and the answer is one line, `Name[{...}]`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.reading import find_utterances

_EXAMPLE = re.compile(r"^\s*(?:Action:\s*)?(\w+)\[\{", re.MULTILINE)
_EXECUTED = re.compile(r"^Action:\s*(\w+)\[.*\]\s*$", re.MULTILINE)
_OBSERVATION = re.compile(r"^Observation:[ \t]*", re.MULTILINE)
OWN_ACTIONS = frozenset(("finish", "think", "plan"))
"""Actions of the protocol itself, which neither call a tool nor a role."""


@dataclass(frozen=True, slots=True)
class Executed:
    """An action that was carried out.

    Attributes:
        name: Its name.
        observation: What came of it.
    """

    name: str
    observation: str


def applies(conversation: Conversation) -> bool:
    """Say whether the request follows this protocol."""
    prompt = conversation.prompt
    return prompt.rstrip().endswith("Action:") and _EXAMPLE.search(prompt) is not None


def offered(conversation: Conversation) -> list[str]:
    """Return the names of the actions that the prompt offers, each once, in its order."""
    before, _ = _parts(conversation)
    return list(dict.fromkeys(_EXAMPLE.findall(before)))


def executed(conversation: Conversation) -> list[Executed]:
    """Return the actions that were carried out so far, with what came of each."""
    _, after = _parts(conversation)
    return _executed(after)


def finish_line(names: Iterable[str], text: str) -> str:
    """Return the line that ends the turn.

    Args:
        names: The actions that are offered.
        text: What is said at the end.
    """
    name = next((name for name in names if name.lower() == "finish"), "Finish")
    return line(name, {"response": text})


def line(name: str, arguments: Mapping[str, Any]) -> str:
    """Return the line of one action."""
    return f"{name}[{json.dumps(dict(arguments), ensure_ascii=False)}]"


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
            found.append(Executed(match.group(1), words.removesuffix("Action:").strip()))
    return found
