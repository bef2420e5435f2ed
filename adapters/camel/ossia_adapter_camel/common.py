"""What the variants share: one agent for each role, its model and what the agents reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from camel.agents import ChatAgent
from camel.messages import OpenAIMessage
from camel.models import ModelFactory
from camel.toolkits import FunctionTool
from camel.types import ModelPlatformType
from camel.utils import BaseTokenCounter
from openai import AsyncOpenAI, OpenAI

from ossia_adapter import Episode, Reported, Role

RETRIES = 3
"""How often clients try again that CAMEL makes by itself; ours take their place."""

UNSET: Any = {"api_key": "unset", "base_url": "http://unset.invalid", "max_retries": RETRIES}
"""What a shared client is made with; its key and address are never used."""


def access(episode: Episode) -> dict[str, Any]:
    """Return how an episode's client calls the models."""
    return {
        "api_key": episode.api_key,
        "base_url": episode.gateway_url,
        "timeout": episode.limits.call_seconds,
    }


@dataclass(frozen=True)
class Crew:
    """Makes the agents of one episode, which share two clients and a list of usage reports."""

    episode: Episode
    client: OpenAI
    async_client: AsyncOpenAI
    reports: list[dict[str, Any]] = field(default_factory=list)

    def agent(
        self,
        role: Role,
        agent_id: str | None = None,
        *,
        members: Sequence[Callable[..., Any]] = (),
        calls: int | None = None,
    ) -> ChatAgent:
        """Return an agent of the role.

        Args:
            role: whose agent it is.
            agent_id: its id, the role's name by default: one that CAMEL makes up would enter the
                prompts.
            members: tools beside the role's own.
            calls: the most calls of its model, by default those of a member.
        """
        model = ModelFactory.create(
            model_platform=ModelPlatformType.OPENAI_COMPATIBLE_MODEL,
            model_type=self.episode.model(role.name),
            model_config_dict={"temperature": 0.0},
            token_counter=RoughTokenCounter(),
            client=self.client,
            async_client=self.async_client,
        )
        tools = [*self.episode.tools(role), *members]
        return ChatAgent(
            role.prompt,
            model=model,
            # Without a limit of ours, CAMEL warns about a model unknown to it.
            token_limit=1_000_000_000,
            tools=[FunctionTool(tool) for tool in tools],
            max_iteration=calls or self.episode.limits.tool_rounds + 1,
            agent_id=agent_id or role.name,
            on_request_usage=self.reports.append,
        )

    def counted(self) -> Reported:
        """Return the calls and tokens that the agents have reported since the last time."""
        usages = [report["request_usage"] for report in self.reports]
        self.reports.clear()
        tokens = (sum(u[f"{part}_tokens"] for u in usages) for part in ("prompt", "completion"))
        return Reported(len(usages), *tokens)


async def words(agent: ChatAgent, task: str) -> str:
    """Let an agent do a task; return its last words."""
    said = await agent.astep(task)
    return str(said.msgs[0].content) if said.msgs else ""


class RoughTokenCounter(BaseTokenCounter):
    """Takes four characters for a token; CAMEL's own counter downloads a vocabulary."""

    def count_tokens_from_messages(self, messages: list[OpenAIMessage]) -> int:
        """Return about how many tokens the messages have."""
        return sum(len(str(message.get("content") or "")) for message in messages) // 4

    def encode(self, text: str) -> list[int]:
        """Return the text's code points, which stand for tokens wherever CAMEL cuts a text."""
        return [ord(character) for character in text]

    def decode(self, token_ids: list[int]) -> str:
        """Return the text of `encode`'s code points."""
        return "".join(map(chr, token_ids))
