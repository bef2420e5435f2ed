"""The team as a LangGraph supervisor: one manager node that routes to one agent for each role."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Literal, Protocol

from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from pydantic import BaseModel, Field, SecretStr, create_model

from ossia_adapter import Answer, Episode, Reported, Role, Team

FINISH = "FINISH"
"""What the supervisor answers in place of a role once the work is done."""

SUPERVISOR = "supervisor"


class Node(Protocol):
    """One node of the graph."""

    def __call__(self, state: MessagesState) -> Awaitable[Command[str]]:
        """Return what the node adds to the state and where to go from there."""


class LangGraphAdapter:
    """Runs episodes on one event loop; a graph is built for each episode."""

    name = "langgraph"
    distribution = "langgraph"

    async def run(self, episode: Episode) -> Answer:
        """Play one episode.

        Args:
            episode: the task, the team, its limits and the two addresses.

        Returns:
            The final role's last words and the usage in the messages of the members' agents.

        Raises:
            langgraph.errors.GraphRecursionError: the limit of turns is spent.
            openai.OpenAIError: the model did not answer a call.
            pydantic.ValidationError: the manager's answer names no role.
        """
        usages: list[UsageMetadata] = []
        state = await build_graph(episode, usages).ainvoke(
            {"messages": [HumanMessage(episode.task)]},
            # Each turn is a step of the supervisor and one of a role; the last step is FINISH.
            config={"recursion_limit": 2 * episode.limits.turns + 1},
        )
        reported = Reported(
            calls=len(usages),
            prompt_tokens=sum(usage["input_tokens"] for usage in usages),
            completion_tokens=sum(usage["output_tokens"] for usage in usages),
        )
        return Answer(answer_text(state["messages"], episode.team), reported)


def answer_text(messages: list[AnyMessage], team: Team) -> str:
    """Return the final role's last words, else those of whoever spoke last, else nothing."""
    spoken = messages[1:]
    final = [message for message in spoken if message.name == team.final]
    return str((final or spoken)[-1].text) if spoken else ""


def build_graph(
    episode: Episode, usages: list[UsageMetadata]
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the supervisor and one node for each member, which adds to the usages."""
    graph = StateGraph(MessagesState)
    graph.add_edge(START, SUPERVISOR)
    graph.add_node(SUPERVISOR, supervisor_node(episode))
    for role in episode.team.members:
        graph.add_node(role.name, member_node(episode, role, usages))
    return graph.compile()


def router(team: Team) -> type[BaseModel]:
    """Return the schema of the supervisor's answer: the name of a member, or `FINISH`."""
    names: Any = Literal[(*(role.name for role in team.members), FINISH)]
    duties = "\n".join(f"{role.name}: {role.description}" for role in team.members)
    return create_model(
        "Router",
        __doc__="The role that works next.",
        next=(names, Field(description=f"One of these, or {FINISH} at the end.\n{duties}")),
    )


def supervisor_node(episode: Episode) -> Node:
    """Return the node that asks the manager's model who works next and goes there."""
    manager = episode.team.manager_role
    route = chat_model(episode, manager).with_structured_output(
        router(episode.team), method="json_schema"
    )

    async def supervise(state: MessagesState) -> Command[str]:
        decision: Any = await route.ainvoke([SystemMessage(manager.prompt), *state["messages"]])
        return Command(goto=END if decision.next == FINISH else decision.next)

    return supervise


def member_node(episode: Episode, role: Role, usages: list[UsageMetadata]) -> Node:
    """Return the node that lets one role's agent work and hands back to the supervisor."""
    tools = episode.tools(role)
    calls = episode.limits.tool_rounds + 1
    agent: CompiledStateGraph[Any, Any, Any, Any] = create_agent(
        chat_model(episode, role),
        tools=list(tools),
        system_prompt=role.prompt,
        name=role.name,
        middleware=[ModelCallLimitMiddleware(run_limit=calls)] if tools else [],
    )

    async def work(state: MessagesState) -> Command[str]:
        # The outer graph's limit does not reach the inner one, whose default is 9,999 steps. One
        # call takes four of them (limit, model, count, tool); the limit's last word one more.
        inner = await agent.ainvoke(
            {"messages": state["messages"]}, config={"recursion_limit": 4 * calls + 2}
        )
        made = (message for message in inner["messages"] if isinstance(message, AIMessage))
        usages.extend(call.usage_metadata for call in made if call.usage_metadata)
        said = HumanMessage(inner["messages"][-1].text, name=role.name)
        return Command(update={"messages": [said]}, goto=SUPERVISOR)

    return work


def chat_model(episode: Episode, role: Role) -> ChatOpenAI:
    """Return the role's model behind the episode's gateway; all share LangChain's HTTP client."""
    return ChatOpenAI(
        model=episode.model(role.name),
        base_url=episode.gateway_url,
        api_key=SecretStr(episode.api_key),
        temperature=0,
        timeout=episode.limits.call_seconds,
        max_retries=0,
        use_responses_api=False,
    )


ADAPTER = LangGraphAdapter()
