"""One agent for each role, which passes control on by calling a handoff tool."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from langchain.tools import ToolRuntime, tool
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from ossia_adapter import Limits, Role, Team
from ossia_adapter_langgraph.common import LangGraphAdapter, manager_agent, role_agent
from ossia_adapter_langgraph.talk import Graph


@lru_cache(maxsize=8)
def build_graph(team: Team, limits: Limits, url: str) -> tuple[Graph, int]:
    """Build one node for each role; a role that hands off to nobody goes to the manager or ends."""
    graph = StateGraph(MessagesState)
    manager = team.manager
    graph.add_edge(START, manager)
    handoffs = [handoff(role) for role in team.members]
    graph.add_node(manager, role_node(*manager_agent(team, limits, url, handoffs)))
    graph.add_edge(manager, END)
    back = handoff(team.manager_role)
    for role in team.members:
        graph.add_node(role.name, role_node(*role_agent(role, limits, url, back)))
        graph.add_edge(role.name, manager)
    # Each turn is a step of the manager and one of a role; the last step ends the work.
    return graph.compile(), 2 * limits.turns + 1


def handoff(role: Role) -> BaseTool:
    """Return the tool that passes control to a role, with the words that come with the call."""

    @tool(f"transfer_to_{role.name}", description=role.description)
    def transfer(runtime: ToolRuntime) -> Command[str]:
        messages = runtime.state["messages"]
        said = next(one for one in reversed(messages) if isinstance(one, AIMessage))
        done = ToolMessage(f"Transferred to {role.name}", tool_call_id=runtime.tool_call_id)
        update = {"messages": [said, done]}
        return Command(goto=role.name, graph=Command.PARENT, update=update)

    return transfer


def role_node(agent: Graph, most: int) -> Any:
    """Return the node that lets one role's agent work until it hands off or has done."""

    async def work(state: MessagesState) -> dict[str, Any]:
        inner = await agent.ainvoke({"messages": state["messages"]}, {"recursion_limit": most})
        return {"messages": inner["messages"][-1:]}

    return work


ADAPTER = LangGraphAdapter(build_graph)
