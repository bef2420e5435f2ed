"""The team as a CAMEL workforce: planner and coordinator over one worker for each role."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from typing import Any

from camel.agents import ChatAgent
from camel.messages import OpenAIMessage
from camel.models import ModelFactory
from camel.societies.workforce import SingleAgentWorker, Workforce
from camel.tasks.task import Task, TaskState
from camel.toolkits import FunctionTool
from camel.types import ModelPlatformType
from camel.utils import BaseTokenCounter
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, OpenAI

from ossia_adapter import Answer, Episode, Reported, Role


class CamelAdapter:
    """Plays each episode on an event loop of its own, as CAMEL's planner blocks the loop."""

    name = "camel"
    distribution = "camel-ai"

    def __init__(self) -> None:
        # Key and address of this client are never used: each episode brings its own.
        self._client = OpenAI(api_key="unset", base_url="http://unset.invalid", max_retries=0)
        self._ssl = ssl.create_default_context()

    def run(self, episode: Episode) -> Answer:
        """Play one episode.

        Args:
            episode: the task, the team, its limits and the two addresses.

        Returns:
            The final role's result, else all results, and the usage that the agents reported. A
            role that plays alone is an agent without a workforce.

        Raises:
            openai.OpenAIError, RuntimeError: planner or coordinator got no answer, or an empty one.
        """
        return asyncio.run(self._run(episode))

    async def _run(self, episode: Episode) -> Answer:
        access: dict[str, Any] = {
            "api_key": episode.api_key,
            "base_url": episode.gateway_url,
            "timeout": episode.limits.call_seconds,
        }
        # An asynchronous connection belongs to its loop; only the costly TLS context is shared.
        http = DefaultAsyncHttpxClient(verify=self._ssl)
        async with AsyncOpenAI(max_retries=0, http_client=http, **access) as client:
            crew = Crew(episode, self._client.with_options(**access), client)
            try:
                text = await play(crew)
            except AttributeError as error:  # What an empty answer of the planner comes to.
                raise RuntimeError(f"the manager's answer is empty: {error}") from error
        usages = [report["request_usage"] for report in crew.reports]
        tokens = (sum(u[f"{part}_tokens"] for u in usages) for part in ("prompt", "completion"))
        return Answer(text, Reported(len(usages), *tokens))


def answer_text(task: Task, final: str) -> str:
    """Return the result of the last subtask that the final role did, else all results."""
    done = [part for part in task.subtasks if part.state == TaskState.DONE]
    said = [part.result for part in done if part.assigned_worker_id == final]
    return str((said and said[-1]) or task.result or "")


@dataclass(frozen=True)
class Crew:
    """Makes the agents of one episode, which share two clients and a list of usage reports."""

    episode: Episode
    client: OpenAI
    async_client: AsyncOpenAI
    reports: list[dict[str, Any]] = field(default_factory=list)

    def agent(self, role: Role, agent_id: str) -> ChatAgent:
        """Return an agent of the role; an id that CAMEL makes up would enter the prompts."""
        model = ModelFactory.create(
            model_platform=ModelPlatformType.OPENAI_COMPATIBLE_MODEL,
            model_type=self.episode.model(role.name),
            model_config_dict={"temperature": 0.0},
            token_counter=RoughTokenCounter(),
            client=self.client,
            async_client=self.async_client,
        )
        return ChatAgent(
            role.prompt,
            model=model,
            # Without a limit of ours, CAMEL warns about a model unknown to it.
            token_limit=1_000_000_000,
            tools=[FunctionTool(tool) for tool in self.episode.tools(role)],
            max_iteration=self.episode.limits.tool_rounds + 1,
            agent_id=agent_id,
            on_request_usage=self.reports.append,
        )


async def play(crew: Crew) -> str:
    """Let the team, or the role that plays alone, do the task; return the answer."""
    team = crew.episode.team
    if team.alone is not None:
        said = await crew.agent(team.alone, team.alone.name).astep(crew.episode.task)
        return str(said.msgs[0].content) if said.msgs else ""
    task = Task(content=crew.episode.task, id="0")
    await build_workforce(crew).process_task_async(task)
    return answer_text(task, team.final)


def build_workforce(crew: Crew) -> Workforce:
    """Build the workforce of the episode's team."""
    team, limits = crew.episode.team, crew.episode.limits
    manager = team.manager_role
    return Workforce(
        team.goal,
        children=[RepeatableWorker(r.description, crew.agent(r, r.name)) for r in team.members],
        coordinator_agent=crew.agent(manager, "coordinator"),
        task_agent=crew.agent(manager, "planner"),
        # Without a template of ours, a new worker would call OpenAI's own model and the web.
        new_worker_agent=crew.agent(manager, "helper"),
        graceful_shutdown_timeout=0.0,
        task_timeout_seconds=limits.call_seconds * (limits.tool_rounds + 1),
        # The other means of recovery build more and more workers.
        failure_handling_config={"max_retries": 2, "enabled_strategies": ["retry", "replan"]},
    )


class RepeatableWorker(SingleAgentWorker):
    """A role's worker whose second attempt tells the model no clock time and no random id."""

    async def _process_task(self, task: Task, *others: Any, **options: Any) -> TaskState:
        state = await super()._process_task(task, *others, **options)
        (task.additional_info or {}).pop("worker_attempts", None)
        return state


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


ADAPTER = CamelAdapter()
