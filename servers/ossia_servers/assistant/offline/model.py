"""The offline model: answers chat completion requests for every role of the assistant team."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline import compound
from ossia_servers.assistant.offline.conventions.routing import route
from ossia_servers.assistant.offline.conventions.workforce import SentencePlanner
from ossia_servers.assistant.offline.hook import ResponseHook
from ossia_servers.assistant.offline.plan import Manager
from ossia_servers.assistant.offline.tool_state import ToolState
from ossia_servers.assistant.offline.understanding.artefact import parse
from ossia_servers.assistant.offline.understanding.frames import Frame, Understander
from ossia_servers.assistant.offline.work import perform
from ossia_servers.wire import planning
from ossia_servers.wire.answers import said
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.conversation import Conversation, read_conversation
from ossia_servers.wire.envelope import present, tool_answers, tools_offered
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.policy import Policy, obeyed

_UNKNOWN_ROLE = "I know no role of this name, so I have nothing to say."


class OfflineModel:
    """Answers as a language model would, from the request alone and always alike.

    It may be shared between threads.
    """

    def __init__(
        self,
        understander: Understander,
        hook: ResponseHook | None = None,
        policy: Policy | None = None,
    ) -> None:
        """Make a model.

        Args:
            understander: Reads utterances.
            hook: What may replace the roles' work; None lets them do their best.
            policy: What the roles do about answers that are no use; None asks again only where a
                framework wants a result judged, and there once.
        """
        self._understander = understander
        self._hook = hook
        self._policy = policy

    @classmethod
    def load(cls, path: Path | None = None, policy: Policy | None = None) -> OfflineModel:
        """Load a trained model.

        Args:
            path: Its file; None takes the one of the installed package.
            policy: What the roles do about answers that are no use.

        Raises:
            ArtefactError: If the model file is damaged.
            OSError: If it cannot be read, or the package was built without one.
        """
        if path is None:
            return cls(Understander.load(), policy=policy)
        return cls(Understander(parse(path.read_bytes())), policy=policy)

    def with_hook(self, hook: ResponseHook) -> OfflineModel:
        """Return the same model with its roles' work replaced where `hook` says so."""
        return OfflineModel(self._understander, hook, self._policy)

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
        conversation = read_conversation(request, MEMBERS)
        if compound.applies(conversation):
            conversation = compound.focus(conversation)
        return self._answer(conversation)

    def _answer(self, conversation: Conversation) -> dict[str, Any]:
        if conversation.role not in (MANAGER, *MEMBERS):
            return present(conversation, _UNKNOWN_ROLE)
        understander, hook, policy = self._understander, self._hook, self._policy
        if conversation.role == MANAGER:
            manager = Manager(understander.domains, hook, policy)
            managed = planning.manage(conversation, SentencePlanner(understander, manager))
            return route(conversation, manager) if managed is None else said(managed)
        answers = [*tool_answers(conversation)]
        offered = tools_offered(conversation)
        if policy is Policy.GULLIBLE and HTTP_TOOL in offered:
            told, answers = obeyed(answers)
            if told is not None:
                return present(conversation, (Call(HTTP_TOOL, {"method": "GET", "url": told}),))
        last = answers[-1] if answers else None
        tools = ToolState(offered, last, len(answers))
        done = perform(conversation.role, conversation, understander, tools, hook, policy)
        return present(conversation, (done,) if isinstance(done, Call) else done)
