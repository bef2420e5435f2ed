"""A manager's agent that has each member's agent as a tool."""

from __future__ import annotations

from ossia_adapter import Answer, Episode
from ossia_adapter_agent_framework.common import build_agent, play_alone, run_agent


class ToolsAdapter:
    """Plays each episode with agents of its own; all share one HTTP client."""

    name = "agent-framework"
    distribution = "agent-framework-core"
    conversation = True

    async def run(self, episode: Episode) -> Answer:
        """Play one episode; return the manager's last words and the tokens of its own calls.

        Args:
            episode: The task, the team, its limits and the two addresses.

        Raises:
            agent_framework.exceptions.ChatClientException: The model did not answer the manager.
        """
        team, limits = episode.team, episode.limits
        if team.alone is not None:
            return await play_alone(episode, team.alone)
        members = [
            build_agent(episode, role, limits.tool_rounds).as_tool() for role in team.members
        ]
        manager = build_agent(episode, team.manager_role, limits.turns, members)
        return await run_agent(episode, manager)


ADAPTER = ToolsAdapter()
