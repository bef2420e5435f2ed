"""What AutoGen's variants share: agents, their model clients, and the run of a team."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import Handoff, TaskResult
from autogen_agentchat.messages import BaseChatMessage
from autogen_core import CancellationToken
from autogen_core.models import ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openai import DefaultAsyncHttpxClient

from ossia_adapter import Answer, Episode, Reported, Role

__all__ = ["AutoGenAdapter", "Runnable", "last_said"]

_STATE = "state"

_MODEL_INFO = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=True,
    structured_output=True,
    family=ModelFamily.UNKNOWN,
    multiple_system_messages=False,
)


class Runnable(Protocol):
    """A group chat or an agent: what takes a task and keeps a state."""

    async def run(self, *, task: str, cancellation_token: CancellationToken) -> TaskResult:
        """Carry a task out."""

    async def save_state(self) -> Mapping[str, Any]:
        """Return what was said so far."""

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on where a saved state ends."""


class AutoGenAdapter(ABC):
    """Plays the team; a variant says as what."""

    name = "autogen"
    distribution = "autogen-agentchat"
    conversation = True

    @cached_property
    def _http_client(self) -> DefaultAsyncHttpxClient:
        # One for the process, since making one takes longer than an episode's whole set-up.
        return DefaultAsyncHttpxClient(trust_env=False)

    @abstractmethod
    def team(self, episode: Episode) -> Runnable:
        """Build the team of an episode that has a manager."""

    def answer(self, result: TaskResult, final: str) -> str:
        """Return what the team tells the user: by default, what the final role said last."""
        return last_said(result, final)

    async def run(self, episode: Episode) -> Answer:
        """Play one episode.

        Args:
            episode: What to play.

        Returns:
            The answer and the usage that the messages carry. A role that plays alone is an agent
            without a team. In a conversation the saved state of team or agent goes from turn to
            turn.

        Raises:
            RuntimeError: An agent failed; AutoGen puts the reason into the text.
        """
        token = CancellationToken()
        alone, final, memory = episode.team.alone, episode.team.final, episode.memory
        team: Runnable = self.team(episode) if alone is None else self.agent(episode, alone)
        if memory:
            await team.load_state(memory[_STATE])
        playing = asyncio.create_task(team.run(task=episode.task, cancellation_token=token))
        try:
            # Cancelling the team's own task would wait for the model call that is under way.
            result = await asyncio.shield(playing)
        except asyncio.CancelledError:
            token.cancel()
            raise
        if memory is not None:
            memory[_STATE] = await team.save_state()
        text = self.answer(result, final) if alone is None else last_said(result, final)
        return Answer(text, _usage(result))

    def agent(
        self, episode: Episode, role: Role, handoffs: Sequence[Handoff] = ()
    ) -> AssistantAgent:
        """Return the agent of a role, with its tools and those whom it may hand over to."""
        return AssistantAgent(
            role.name,
            self.client(episode, role, one_call=bool(handoffs)),
            description=role.description,
            system_message=role.prompt,
            tools=list(episode.tools(role)),
            handoffs=list(handoffs),
            # Reflection asks without tools, where providers refuse `parallel_tool_calls`.
            reflect_on_tool_use=not handoffs,
            max_tool_iterations=episode.limits.tool_rounds,
        )

    def client(
        self, episode: Episode, role: Role, *, one_call: bool = False
    ) -> OpenAIChatCompletionClient:
        """Return the model of a role; `one_call` asks it for one tool call at a time."""
        settings = self.settings(episode, role)
        if one_call:
            settings["parallel_tool_calls"] = False
        return OpenAIChatCompletionClient(**settings)

    def settings(self, episode: Episode, role: Role) -> dict[str, Any]:
        """Return what a client is made with that asks the model of a role."""
        return {
            "model": episode.model(role.name),
            "base_url": episode.gateway_url,
            "api_key": episode.api_key,
            "model_info": _MODEL_INFO,
            "temperature": 0,
            "timeout": episode.limits.call_seconds,
            "http_client": self._http_client,
        }


def last_said(result: TaskResult, role: str) -> str:
    """Return the last message of a role; empty where it said nothing."""
    for message in reversed(result.messages):
        if isinstance(message, BaseChatMessage) and message.source == role:
            return message.to_text()
    return ""


def _usage(result: TaskResult) -> Reported:
    usages = [message.models_usage for message in result.messages if message.models_usage]
    return Reported(
        calls=None,
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
    )
