"""Prompts as the gateway hears them from a framework, and the envelope it wants around answers.

One request of the intent role is kept and worded anew for other sentences: the sentence stands in
it as a JSON string, at whatever depth of escaping. The envelope is the offline model's, which reads
from the request how an answer is to be wrapped.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ossia.errors import UserError
from ossia.run_plan import tasks_of
from ossia.runner.store import RunStore
from ossia.storage.place import Place, place_of
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.hook import ResponseHook
from ossia_servers.assistant.offline.tool_state import ToolState
from ossia_servers.trace import Trace
from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import Conversation

_ESCAPES = re.compile(r'(\\*)"$')


@dataclass(frozen=True, slots=True)
class HeardPrompt:
    """One request of the intent role, as some framework makes it.

    Attributes:
        framework: The framework's name.
        utterance: The sentence that it was made for.
        request: The body.
    """

    framework: str
    utterance: str
    request: Mapping[str, Any]

    def worded(self, utterance: str, answer: str) -> tuple[tuple[Mapping[str, Any], ...], str]:
        """Return the messages for another sentence, and an answer in the envelope they ask for.

        Args:
            utterance: The sentence.
            answer: The role's answer in the wire form.
        """
        request = copy.deepcopy(dict(self.request))
        request["messages"] = [
            _reworded(message, self.utterance, utterance) for message in request["messages"]
        ]
        told = _loaded().with_hook(_Says(answer)).complete(request)
        return tuple(request["messages"]), str(told["content"])


class _Says(ResponseHook):
    """Has a role answer what it is told to."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        return self._answer

    def choose(
        self,
        conversation: Conversation,
        right: str,
        intent: Mapping[str, Any] | None,
        done: Sequence[str],
        offered: Collection[str] | None,
    ) -> str | None:
        return right


def heard_prompts(traces: Iterable[tuple[Trace, str]]) -> tuple[HeardPrompt, ...]:
    """Return the first request of the intent role of each framework.

    Args:
        traces: Traces with the sentence of each; those without such a request, or whose request
            does not hold the sentence, are passed over.
    """
    found: dict[str, HeardPrompt] = {}
    for trace, utterance in traces:
        framework = trace.episode.framework
        if framework in found:
            continue
        for exchange in trace.gateway.exchanges:
            if exchange.role == "intent" and _holds(exchange.request, utterance):
                found[framework] = HeardPrompt(framework, utterance, exchange.request)
                break
    return tuple(found.values())


def heard_in(place: Place | Path) -> tuple[HeardPrompt, ...]:
    """Return the wordings of a stored run's frameworks.

    Raises:
        UserError: there is no such run, or no intent role was asked in it.
    """
    with RunStore(place) as store:
        tasks = tasks_of(store.config())
        found = heard_prompts(
            (trace, tasks[trace.episode.task].utterance) for trace in store.traces()
        )
    if not found:
        raise UserError(f"in the run '{place_of(place).id}' no intent agent was asked")
    return found


def _holds(request: Mapping[str, Any], utterance: str) -> bool:
    return utterance in json.dumps(request.get("messages"), ensure_ascii=False)


@cache
def _loaded() -> OfflineModel:
    return OfflineModel.load()


def _reworded(message: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": _replaced(content, old, new)}
    if isinstance(content, list):
        parts = [
            {**part, "text": _replaced(part["text"], old, new)}
            if isinstance(part, dict) and isinstance(part.get("text"), str)
            else part
            for part in content
        ]
        return {**message, "content": parts}
    return dict(message)


def _replaced(text: str, old: str, new: str) -> str:
    """Put a sentence in the place of another, escaped as deeply as the quotation mark before it."""
    before, *rest = text.split(old)
    pieces = [before]
    for after in rest:
        mark = _ESCAPES.search(pieces[-1])
        depth = (len(mark[1]) + 1).bit_length() if mark else 0
        escaped = new
        for _ in range(depth):
            escaped = json.dumps(escaped, ensure_ascii=False)[1:-1]
        pieces += [escaped, after]
    return "".join(pieces)
