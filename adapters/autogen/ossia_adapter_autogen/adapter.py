"""The team as AutoGen's SelectorGroupChat."""

import asyncio
from functools import cached_property

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import TaskResult
from autogen_agentchat.conditions import SourceMatchTermination
from autogen_agentchat.messages import BaseChatMessage
from autogen_agentchat.teams import SelectorGroupChat
from autogen_core import CancellationToken
from autogen_core.models import ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openai import DefaultAsyncHttpxClient

from ossia_adapter import Answer, Episode, Reported, Role

__all__ = ["ADAPTER", "AutoGenAdapter"]

_STATE = "state"

_MODEL_INFO = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=True,
    structured_output=True,
    family=ModelFamily.UNKNOWN,
    multiple_system_messages=False,
)

# AutoGen's own selector text; the manager's prompt stands where it says "You are in a role play
# game".
_SELECTOR_TEXT = """The following roles are available:
{roles}.
Read the following conversation. Then select the next role from {participants} to play. Only return the role.

{history}

Read the above conversation. Then select the next role from {participants} to play. Only return the role.
"""  # noqa: E501 - the framework's text


class AutoGenAdapter:
    """Plays the team as a group chat whose selector is the manager."""

    name = "autogen"
    distribution = "autogen-agentchat"
    conversation = True

    @cached_property
    def _http_client(self) -> DefaultAsyncHttpxClient:
        # One for the process, since making one takes longer than an episode's whole set-up.
        return DefaultAsyncHttpxClient(trust_env=False)

    async def run(self, episode: Episode) -> Answer:
        """Play one episode.

        Args:
            episode: What to play.

        Returns:
            The final role's last message and the usage that the messages carry. A role that plays
            alone is an agent without a group chat. In a conversation the saved state of chat or
            agent goes from turn to turn.

        Raises:
            RuntimeError: An agent failed; AutoGen puts the reason into the text.
        """
        token = CancellationToken()
        alone = episode.team.alone
        team = self._group_chat(episode) if alone is None else self._agent(episode, alone)
        memory = episode.memory
        if memory:
            await team.load_state(memory[_STATE])
        playing = asyncio.create_task(team.run(task=episode.task, cancellation_token=token))
        try:
            # Cancelling the chat's own task would wait for the model call that is under way.
            result = await asyncio.shield(playing)
        except asyncio.CancelledError:
            token.cancel()
            raise
        if memory is not None:
            memory[_STATE] = await team.save_state()
        return Answer(_final_text(result, episode.team.final), _usage(result))

    def _group_chat(self, episode: Episode) -> SelectorGroupChat:
        team = episode.team
        manager = team.manager_role
        return SelectorGroupChat(
            [self._agent(episode, role) for role in team.members],
            model_client=self._client(episode, manager),
            selector_prompt=_literal(manager.prompt) + "\n\n" + _SELECTOR_TEXT,
            termination_condition=SourceMatchTermination([team.final]),
            max_turns=episode.limits.turns,
        )

    def _agent(self, episode: Episode, role: Role) -> AssistantAgent:
        return AssistantAgent(
            role.name,
            self._client(episode, role),
            description=role.description,
            system_message=role.prompt,
            tools=list(episode.tools(role)),
            reflect_on_tool_use=True,
            max_tool_iterations=episode.limits.tool_rounds,
        )

    def _client(self, episode: Episode, role: Role) -> OpenAIChatCompletionClient:
        # Every argument of the OpenAI client is taken; the declared type leaves this one out.
        return OpenAIChatCompletionClient(  # type: ignore[call-arg]
            model=episode.model(role.name),
            base_url=episode.gateway_url,
            api_key=episode.api_key,
            model_info=_MODEL_INFO,
            temperature=0,
            timeout=episode.limits.call_seconds,
            max_retries=0,
            http_client=self._http_client,
        )


def _literal(text: str) -> str:
    """Return the text such that a format template gives it back unchanged."""
    return text.replace("{", "{{").replace("}", "}}")


def _final_text(result: TaskResult, final: str) -> str:
    for message in reversed(result.messages):
        if isinstance(message, BaseChatMessage) and message.source == final:
            return message.to_text()
    return ""


def _usage(result: TaskResult) -> Reported:
    usages = [message.models_usage for message in result.messages if message.models_usage]
    return Reported(
        calls=None,
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
    )


ADAPTER = AutoGenAdapter()
