"""The offline model: answers chat completion requests for every role of the assistant team."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ossia_servers.offline import compound
from ossia_servers.offline.conventions import action_lines, routing
from ossia_servers.offline.conventions.workforce import SentencePlanner
from ossia_servers.offline.plan import Manager
from ossia_servers.offline.slips import Slips
from ossia_servers.offline.understanding.artefact import parse
from ossia_servers.offline.understanding.frames import Frame, Understander
from ossia_servers.offline.work import ToolState, perform
from ossia_servers.wire import workforce
from ossia_servers.wire.action_lines import applies as follows_action_lines
from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import (
    MEMBERS,
    Conversation,
    Message,
    read_conversation,
)

MANAGER = "manager"
_UNKNOWN_ROLE = "I know no role of this name, so I have nothing to say."


class OfflineModel:
    """Answers as a language model would, from the request alone and always alike.

    It may be shared between threads.
    """

    def __init__(self, understander: Understander, slips: Slips | None = None) -> None:
        """Make a model.

        Args:
            understander: Reads utterances.
            slips: What may replace the roles' work; None lets them do their best.
        """
        self._understander = understander
        self._slips = slips

    @classmethod
    def load(cls, path: Path | None = None) -> OfflineModel:
        """Load a trained model.

        Args:
            path: Its file; None takes the one of the installed package.

        Raises:
            ArtefactError: If the model file is damaged.
            OSError: If it cannot be read, or the package was built without one.
        """
        if path is None:
            return cls(Understander.load())
        return cls(Understander(parse(path.read_bytes())))

    def slipping(self, slips: Slips) -> OfflineModel:
        """Return the same model with its roles' work replaced where `slips` says so."""
        return OfflineModel(self._understander, slips)

    def understand(self, utterance: str) -> Frame:
        """Read an utterance.

        Args:
            utterance: What the user said.

        Returns:
            Its domain, intent and slots.
        """
        return self._understander.understand(utterance)

    def complete(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a chat completion request.

        Args:
            request: The body as received; its model name, `ossia-<role>`, says the role.

        Returns:
            An assistant message with `content`, or with `tool_calls` and no content. Equal requests
            have equal answers; requests that make no sense are answered too.
        """
        conversation = read_conversation(request)
        if compound.applies(conversation):
            conversation = compound.focus(conversation)
        done = self._answer(conversation)
        if isinstance(done, Call):
            return _calling(done, conversation)
        return {"role": "assistant", "content": done}

    def _answer(self, conversation: Conversation) -> str | Call:
        if conversation.role not in (MANAGER, *MEMBERS):
            return _UNKNOWN_ROLE
        understander, slips = self._understander, self._slips
        manager = Manager(understander.domains, slips)
        if follows_action_lines(conversation):
            return action_lines.answer(conversation, understander, manager, slips)
        if conversation.role == MANAGER:
            managed = workforce.manage(conversation, SentencePlanner(understander, manager))
            if managed is not None:
                return managed
            return routing.route(conversation, manager)
        done = perform(conversation.role, conversation, understander, _tools(conversation), slips)
        if isinstance(done, str) and workforce.is_worker_request(conversation):
            return workforce.wrap(done)
        return done


def _tools(conversation: Conversation) -> ToolState:
    messages: Sequence[Message] = conversation.messages
    if conversation.rounds is not None:
        # A framework may show a role its earlier turns; what their tools told is of those rounds.
        messages = compound.latest_turn(messages)
    returned = [message.text for message in messages if message.role == "tool"]
    last = returned[-1] if returned else None
    return ToolState(frozenset(conversation.tools), last, len(returned))


def _calling(call: Call, conversation: Conversation) -> dict[str, Any]:
    """Return a message that calls a tool; the call's id follows from the request."""
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    parts = [conversation.role, call.tool, arguments]
    parts += [part for message in conversation.messages for part in (message.role, message.text)]
    digest = hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call_{digest[:24]}",
                "type": "function",
                "function": {"name": call.tool, "arguments": arguments},
            }
        ],
    }
