"""A supervisor node that routes, with structured output, to one agent for each member."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, RetryPolicy
from pydantic import BaseModel, Field, create_model

from ossia_adapter import Limits, Role, Team
from ossia_adapter_langgraph.common import EPISODE, LangGraphAdapter, chat_model, role_agent
from ossia_adapter_langgraph.talk import Graph

FINISH = "FINISH"
"""What the supervisor answers in place of a role once the work is done."""

SUPERVISOR = "supervisor"


@lru_cache(maxsize=8)
def build_graph(team: Team, limits: Limits, url: str) -> tuple[Graph, int]:
    """Build the supervisor and one node for each member."""
    return routed(team, limits, url)


def routed(
    team: Team,
    limits: Limits,
    url: str,
    retry: RetryPolicy | None = None,
    middleware: Sequence[Any] = (),
) -> tuple[Graph, int]:
    """Build the graph whose nodes are tried again by a policy, and the members' agents."""
    graph = StateGraph(MessagesState)
    graph.add_edge(START, SUPERVISOR)
    supervisor = supervisor_node(team, chat_model(team.manager_role, limits, url))
    graph.add_node(SUPERVISOR, supervisor, retry_policy=retry)
    for role in team.members:
        graph.add_node(role.name, member_node(role, limits, url, middleware), retry_policy=retry)
    # Each turn is a step of the supervisor and one of a role; the last step is FINISH.
    return graph.compile(), 2 * limits.turns + 1


def router(team: Team) -> type[BaseModel]:
    """Return the schema of the supervisor's answer: the name of a member, or `FINISH`."""
    names: Any = Literal[(*(role.name for role in team.members), FINISH)]
    duties = "\n".join(f"{role.name}: {role.description}" for role in team.members)
    return create_model(
        "Router",
        __doc__="The role that works next.",
        next=(names, Field(description=f"One of these, or {FINISH} at the end.\n{duties}")),
    )


def supervisor_node(team: Team, model: ChatOpenAI) -> Any:
    """Return the node that asks the manager's model who works next and goes there."""
    route = model.with_structured_output(router(team), method="json_schema")

    async def supervise(state: MessagesState) -> Command[str]:
        # The manager may know something of this episode's task alone, and the graph is shared.
        prompt = SystemMessage(EPISODE.get().team.manager_role.prompt)
        decision: Any = await route.ainvoke([prompt, *state["messages"]])
        return Command(goto=END if decision.next == FINISH else decision.next)

    return supervise


def member_node(role: Role, limits: Limits, url: str, middleware: Sequence[Any] = ()) -> Any:
    """Return the node that lets one role's agent work and hands back to the supervisor."""
    agent, most = role_agent(role, limits, url, middleware=middleware)

    async def work(state: MessagesState) -> Command[str]:
        inner = await agent.ainvoke({"messages": state["messages"]}, {"recursion_limit": most})
        said = HumanMessage(inner["messages"][-1].text, name=role.name)
        return Command(update={"messages": [said]}, goto=SUPERVISOR)

    return work


ADAPTER = LangGraphAdapter(build_graph)
