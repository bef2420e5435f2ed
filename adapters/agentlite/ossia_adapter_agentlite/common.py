"""What the variants share: the adapter, its manager, its agents, their models and actions."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypeVar

from agentlite.actions import BaseAction
from agentlite.agents import BaseAgent, ManagerAgent
from agentlite.commons import TaskPackage
from agentlite.llm.agent_llms import BaseLLM
from agentlite.llm.LLMConfig import LLMConfig
from agentlite.logging.base import BaseAgentLogger
from openai import OpenAI

from ossia_adapter import Answer, Episode, Role

AgentT = TypeVar("AgentT", bound=BaseAgent)

NO_PARAMETERS = {"none": "this action takes no parameters"}
"""What stands for an empty list of parameters, which the framework refuses."""


class RoutingError(RuntimeError):
    """AgentLite can read no action in a line; its own error is the cause."""


class AgentLiteAdapter:
    """Runs one episode in each thread; all share one HTTP client."""

    name = "agentlite"
    distribution = "agentlite-llm"

    def __init__(self, *, described: bool, reasoning: str = "react") -> None:
        """Choose a variant.

        Args:
            described: whether the manager reads the members' descriptions alone.
            reasoning: the framework's reasoning type of all agents.
        """
        self._described, self._reasoning = described, reasoning

    def run(self, episode: Episode) -> Answer:
        """Play one episode.

        Args:
            episode: the task, the team, its limits and the two addresses.

        Returns:
            The response with which the manager finished, or the agent that plays alone. AgentLite
            counts no calls or tokens.

        Raises:
            openai.OpenAIError: the model did not answer a call.
            RoutingError: the manager, or a member, named neither an agent nor an action, or named
                an agent and gave it no task.
        """
        alone = episode.team.alone
        leader = self._manager(episode) if alone is None else self._agent(episode, alone)
        # The framework's own task id is made once, at import, so threads would share it.
        task = TaskPackage(instruction=episode.task, task_id=episode.id)
        try:
            return Answer(str(leader(task)), None)
        except (UnboundLocalError, KeyError) as error:
            # What the framework runs into when it can read no action.
            raise RoutingError(f"no action can be read: {type(error).__name__}: {error}") from error

    def _manager(self, episode: Episode) -> ManagerAgent:
        """Return the manager with one team agent for each member of the episode's team."""
        role = episode.team.manager_role
        manager = Manager(
            llm=GatewayLLM(episode, role),
            name=role.name,
            role=role.prompt,
            reasoning_type=self._reasoning,
            TeamAgents=[self._member(episode, member) for member in episode.team.members],
            logger=BaseAgentLogger(),
        )
        # One step for each turn of the team, and one to finish.
        return settled(manager, episode.limits.turns + 1)

    def _member(self, episode: Episode, role: Role) -> BaseAgent:
        """Return a member's agent, of which the manager reads the attribute `role`."""
        if not self._described:
            return self._agent(episode, replace(role, prompt=f"{role.description}\n{role.prompt}"))
        agent = self._agent(episode, role)
        # The agent's own prompt is made by now.
        agent.role = role.description
        return agent

    def _agent(self, episode: Episode, role: Role) -> BaseAgent:
        """Return the agent of one role."""
        agent = BaseAgent(
            name=role.name,
            role=role.prompt,
            llm=GatewayLLM(episode, role),
            actions=[ToolAction(tool) for tool in episode.tools(role)],
            reasoning_type=self._reasoning,
            logger=BaseAgentLogger(),
        )
        return settled(agent, episode.limits.tool_rounds + 1)


class Manager(ManagerAgent):  # type: ignore[misc]
    """A manager with a list of actions of its own: by default all share one, which grows."""

    def __add_inner_actions__(self) -> None:
        self.actions: list[BaseAction] = []
        super().__add_inner_actions__()


def settled(agent: AgentT, steps: int) -> AgentT:
    """Limit an agent's steps, and order its actions, which the framework takes from a set."""
    agent.max_exec_steps = steps
    agent.actions.sort(key=lambda action: str(action.action_name))
    return agent


@cache
def shared_client() -> OpenAI:
    """Return the process's client; its key and address are never used: each episode has its own."""
    return OpenAI(api_key="unset", base_url="http://unset.invalid", max_retries=0)


class GatewayLLM(BaseLLM):  # type: ignore[misc]
    """A role's model behind the episode's gateway."""

    def __init__(self, episode: Episode, role: Role) -> None:
        super().__init__(LLMConfig({"llm_name": episode.model(role.name), "temperature": 0.0}))
        self._client = shared_client().with_options(
            api_key=episode.api_key,
            base_url=episode.gateway_url,
            timeout=episode.limits.call_seconds,
        )

    def run(self, prompt: str) -> str:
        """Return what the model writes after the prompt, empty where it writes no text.

        Raises:
            openai.OpenAIError: the model did not answer.
        """
        completion = self._client.chat.completions.create(
            model=self.llm_name,
            messages=[{"role": "user", "content": prompt}],
            temperature=self.temperature,
        )
        return completion.choices[0].message.content or ""


class ToolAction(BaseAction):  # type: ignore[misc]
    """One of the SDK's tools as an action."""

    def __init__(self, tool: Callable[..., str]) -> None:
        self._tool = tool
        self._signature = inspect.signature(tool)
        parameters = dict.fromkeys(self._signature.parameters, "text")
        super().__init__(
            action_name=tool.__name__,
            action_desc=inspect.getdoc(tool) or "",
            params_doc=parameters or NO_PARAMETERS,
        )

    def __call__(self, **arguments: object) -> str:
        """Call the tool; arguments that do not fit are answered, as an observation, not raised."""
        if not self._signature.parameters:
            return self._tool()
        try:
            bound = self._signature.bind(**arguments)
        except TypeError as error:
            return json.dumps({"error": f"{self.action_name}: {error}"})
        return self._tool(*bound.args, **bound.kwargs)
