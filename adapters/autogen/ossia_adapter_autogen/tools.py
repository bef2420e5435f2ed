"""The team as an AutoGen agent that has the other agents as tools (AgentTool)."""

from collections.abc import Mapping, Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import TaskResult
from autogen_agentchat.tools import AgentTool
from autogen_core import CancellationToken

from ossia_adapter import Episode
from ossia_adapter_autogen.team import AutoGenAdapter, Runnable, last_said

__all__ = ["ADAPTER", "ToolsAdapter"]

_MANAGER, _MEMBERS = "manager", "members"


class ToolsAdapter(AutoGenAdapter):
    """Plays the team as a manager that calls the members as tools."""

    def team(self, episode: Episode) -> Runnable:
        """Build the manager with a tool for each member."""
        manager = episode.team.manager_role
        tools = [AgentTool(self.agent(episode, role)) for role in episode.team.members]
        lead = AssistantAgent(
            manager.name,
            # AgentTool requires it: an agent that is asked twice at a time mixes the two up.
            self.client(episode, manager, one_call=True),
            system_message=manager.prompt,
            tools=list(tools),
            max_tool_iterations=episode.limits.turns,
        )
        return _Crew(lead, tools)

    def answer(self, result: TaskResult, final: str) -> str:
        """Return the manager's last words, with which it ends the work."""
        return last_said(result, result.messages[-1].source)


class _Crew:
    """A manager with its tools: an agent's state leaves that of its tools out."""

    def __init__(self, lead: AssistantAgent, tools: Sequence[AgentTool]) -> None:
        self._lead = lead
        self._tools = tools

    async def run(self, *, task: str, cancellation_token: CancellationToken) -> TaskResult:
        return await self._lead.run(task=task, cancellation_token=cancellation_token)

    async def save_state(self) -> Mapping[str, Any]:
        members = {tool.name: await tool.save_state_json() for tool in self._tools}
        return {_MANAGER: await self._lead.save_state(), _MEMBERS: members}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        await self._lead.load_state(state[_MANAGER])
        for tool in self._tools:
            await tool.load_state_json(state[_MEMBERS][tool.name])


ADAPTER = ToolsAdapter()
