"""The team as a CAMEL workforce: planner and coordinator over one worker for each role."""

from __future__ import annotations

import asyncio
import ssl
from itertools import count
from typing import Any

from camel.agents import ChatAgent
from camel.societies.workforce import SingleAgentWorker, Workforce
from camel.tasks.task import Task, TaskState
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, OpenAI

from ossia_adapter import Answer, Episode
from ossia_adapter_camel.common import RETRIES, UNSET, Crew, access, words


class WorkforceAdapter:
    """Plays each episode on an event loop of its own, as CAMEL's planner blocks the loop."""

    name = "camel"
    distribution = "camel-ai"

    def __init__(self) -> None:
        self._client = OpenAI(**UNSET)
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
        own = access(episode)
        # An asynchronous connection belongs to its loop; only the costly TLS context is shared.
        http = DefaultAsyncHttpxClient(verify=self._ssl)
        async with AsyncOpenAI(max_retries=RETRIES, http_client=http, **own) as client:
            crew = Crew(episode, self._client.with_options(**own), client)
            try:
                text = await play(crew)
            except AttributeError as error:  # What an empty answer of the planner comes to.
                raise RuntimeError(f"the manager's answer is empty: {error}") from error
        return Answer(text, crew.counted())


def answer_text(task: Task, final: str) -> str:
    """Return the result of the last subtask that the final role did, else all results."""
    done = [part for part in task.subtasks if part.state == TaskState.DONE]
    said = [part.result for part in done if part.assigned_worker_id == final]
    return str((said and said[-1]) or task.result or "")


async def play(crew: Crew) -> str:
    """Let the team, or the role that plays alone, do the task; return the answer."""
    team = crew.episode.team
    if team.alone is not None:
        return await words(crew.agent(team.alone), crew.episode.task)
    task = Task(content=crew.episode.task, id="0")
    await build_workforce(crew).process_task_async(task)
    return answer_text(task, team.final)


def build_workforce(crew: Crew) -> Workforce:
    """Build the workforce of the episode's team."""
    team, limits = crew.episode.team, crew.episode.limits
    manager = team.manager_role
    return RepeatableWorkforce(
        team.goal,
        children=[SingleAgentWorker(r.description, crew.agent(r)) for r in team.members],
        coordinator_agent=crew.agent(manager, "coordinator"),
        task_agent=crew.agent(manager, "planner"),
        # Without a template of ours, a new worker would call OpenAI's own model and the web.
        new_worker_agent=crew.agent(manager, "helper"),
        graceful_shutdown_timeout=0.0,
        task_timeout_seconds=limits.call_seconds * (limits.tool_rounds + 1),
    )


class RepeatableWorkforce(Workforce):
    """A workforce whose models are told no clock time and no random id."""

    def __init__(self, *described: Any, **options: Any) -> None:
        super().__init__(*described, **options)
        self._numbers = count(1)

    async def _create_new_agent(self, role: str, sys_msg: str) -> ChatAgent:
        agent = await super()._create_new_agent(role, sys_msg)
        # Not the number of children: several may be made at once.
        agent.agent_id = f"worker-{next(self._numbers)}"
        return agent

    async def _get_returned_task(self) -> Task | None:
        task = await super()._get_returned_task()
        if task is not None:
            (task.additional_info or {}).pop("worker_attempts", None)
        return task


ADAPTER = WorkforceAdapter()
