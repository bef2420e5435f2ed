"""A supervisor agent that has one tool for each member, which calls that member's agent."""

from __future__ import annotations

from functools import lru_cache

from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, tool

from ossia_adapter import Limits, Role, Team
from ossia_adapter_langgraph.common import LangGraphAdapter, manager_agent, role_agent
from ossia_adapter_langgraph.talk import Graph


@lru_cache(maxsize=8)
def build_supervisor(team: Team, limits: Limits, url: str) -> tuple[Graph, int]:
    """Build the manager's agent, with one tool for each member."""
    members = [member_tool(role, limits, url) for role in team.members]
    return manager_agent(team, limits, url, members)


def member_tool(role: Role, limits: Limits, url: str) -> BaseTool:
    """Return the tool that lets one role's agent do what the manager asks of it."""
    agent, most = role_agent(role, limits, url)

    @tool(role.name, description=role.description)
    async def call(query: str) -> str:
        asked = {"messages": [HumanMessage(query)]}
        inner = await agent.ainvoke(asked, {"recursion_limit": most})
        return str(inner["messages"][-1].text)

    return call


ADAPTER = LangGraphAdapter(build_supervisor, final_answers=False)
