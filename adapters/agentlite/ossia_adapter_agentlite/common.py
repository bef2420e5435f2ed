"""What the variants share: the adapter, its manager and its agents."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from agentlite.actions import BaseAction
from agentlite.agents import BaseAgent, ManagerAgent
from agentlite.commons import TaskPackage
from agentlite.logging.base import BaseAgentLogger

from ossia_adapter import Answer, Episode, Role
from ossia_adapter_agentlite.means import GatewayLLM, ToolAction

AgentT = TypeVar("AgentT", bound=BaseAgent)


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
