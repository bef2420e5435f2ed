"""The team as AutoGen's MagenticOneGroupChat: the manager keeps ledgers of facts and progress."""

from collections.abc import Sequence
from typing import Any

from autogen_agentchat.base import TaskResult
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_core.models import CreateResult, LLMMessage, SystemMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient

from ossia_adapter import Episode
from ossia_adapter_autogen.team import AutoGenAdapter, Runnable, last_said

__all__ = ["ADAPTER", "PlannerAdapter"]


class PlannerAdapter(AutoGenAdapter):
    """Plays the team as a Magentic-One group chat whose orchestrator is the manager."""

    # Each task begins with a new ledger and forgets what was said before.
    conversation = False

    def team(self, episode: Episode) -> Runnable:
        """Build the group chat; its orchestrator ends the work and writes the answer."""
        manager = episode.team.manager_role
        return MagenticOneGroupChat(
            [self.agent(episode, role) for role in episode.team.members],
            model_client=_Prompted(manager.prompt, self.settings(episode, manager)),
            # The orchestrator lets one more turn pass before it looks at its limit.
            max_turns=max(episode.limits.turns - 1, 1),
        )

    def answer(self, result: TaskResult, final: str) -> str:
        """Return the orchestrator's final answer."""
        return last_said(result, result.messages[-1].source)


class _Prompted(OpenAIChatCompletionClient):
    """A model client that says the manager's prompt first: the orchestrator has no place for it."""

    def __init__(self, prompt: str, settings: dict[str, Any]) -> None:
        super().__init__(**settings)
        self._prompt = SystemMessage(content=prompt)

    async def create(self, messages: Sequence[LLMMessage], **settings: Any) -> CreateResult:
        return await super().create([self._prompt, *messages], **settings)


ADAPTER = PlannerAdapter()
