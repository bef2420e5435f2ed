"""What the variants share: the process's client, one agent for each role, and a role alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from agent_framework import Agent, AgentResponse, UsageDetails
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI

from ossia_adapter import Answer, Episode, Reported, Role

SESSION = "session"


@cache
def shared_client() -> AsyncOpenAI:
    """Return the process's client; its key and address are never used: each episode has its own."""
    return AsyncOpenAI(api_key="unset", base_url="http://unset.invalid")


def build_agent(
    episode: Episode,
    role: Role,
    rounds: int,
    members: Sequence[Callable[..., Any]] = (),
    **options: Any,
) -> Agent[Any]:
    """Return a role's agent.

    Args:
        episode: What is played.
        role: Whose agent it is.
        rounds: How often it may call tools; then the model is asked once more, without tools.
        members: Tools beside the role's own.
        options: What else the framework is told of the agent.
    """
    client = shared_client().with_options(
        api_key=episode.api_key,
        base_url=episode.gateway_url,
        timeout=episode.limits.call_seconds,
    )
    return Agent(
        OpenAIChatCompletionClient(
            model=episode.model(role.name),
            async_client=client,
            function_invocation_configuration={"max_iterations": rounds},
        ),
        role.prompt,
        # An id that the framework makes up would differ from process to process.
        id=role.name,
        name=role.name,
        description=role.description,
        tools=[*episode.tools(role), *members],
        default_options={"temperature": 0},
        **options,
    )


async def play_alone(episode: Episode, role: Role) -> Answer:
    """Let a role do the task without a manager."""
    return await run_agent(episode, build_agent(episode, role, episode.limits.tool_rounds))


async def run_agent(episode: Episode, agent: Agent[Any]) -> Answer:
    """Let an agent do the task, in the conversation's session.

    Returns:
        Its last words, and the tokens of its own calls.
    """
    memory = {} if episode.memory is None else episode.memory
    session = memory.setdefault(SESSION, agent.create_session())
    response = await agent.run(episode.task, session=session)
    return Answer(response.messages[-1].text if response.messages else "", counted(response))


def counted(*responses: AgentResponse[Any]) -> Reported:
    """Return the tokens that responses tell: those of their own agents' calls."""
    used = [response.usage_details or UsageDetails() for response in responses]
    prompt = sum(each.get("input_token_count") or 0 for each in used)
    return Reported(None, prompt, sum(each.get("output_token_count") or 0 for each in used))
