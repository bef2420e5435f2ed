"""The team as a LangGraph supervisor: one manager node that routes to one agent for each role."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from functools import lru_cache, wraps
from typing import Any, Literal, TypeAlias

from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from pydantic import BaseModel, Field, create_model

from ossia_adapter import Answer, Episode, Limits, Reported, Role, Team

FINISH = "FINISH"
"""What the supervisor answers in place of a role once the work is done."""

SUPERVISOR = "supervisor"
USED = "used"
Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]
SETTINGS: Any = {"temperature": 0, "max_retries": 0, "use_responses_api": False}

EPISODE: ContextVar[Episode] = ContextVar("episode")
"""The episode of the present asyncio task; episodes share a graph, not a task."""


class LangGraphAdapter:
    """Runs episodes on one event loop; they share a graph, compiled once for a team."""

    name = "langgraph"
    distribution = "langgraph"
    conversation = True

    async def run(self, episode: Episode) -> Answer:
        """Play one episode; return the final role's last words and the members' usage.

        Args:
            episode: the task, the team, its limits and the two addresses.

        Raises:
            langgraph.errors.GraphRecursionError: the limit of turns is spent.
            openai.OpenAIError: the model did not answer a call.
            pydantic.ValidationError: the manager's answer names no role.
        """
        EPISODE.set(episode)
        team, limits, url = episode.team, episode.limits, episode.gateway_url
        if team.alone is None:
            # Each turn is a step of the supervisor and one of a role; the last step is FINISH.
            graph, most = build_graph(shared_team(team), limits, url), 2 * limits.turns + 1
        else:
            graph, most = role_agent(team.alone, limits, chat_model(team.alone, limits, url))
        said = await converse(graph, episode, most)
        of_members = [u for message in said for u in message.response_metadata.get(USED, ())]
        used = of_members or usages(said)
        tokens = (sum(u[name] for u in used) for name in ("input_tokens", "output_tokens"))
        return Answer(answer_text(said, team), Reported(len(used), *tokens))


async def converse(graph: Graph, episode: Episode, most: int) -> list[AnyMessage]:
    """Run a graph for one turn of the user's, on the conversation's thread; return its messages."""
    settings: RunnableConfig = {"recursion_limit": most}
    if episode.memory is not None:
        saver = episode.memory.setdefault("saver", InMemorySaver())
        graph = graph.builder.compile(checkpointer=saver)
        settings["configurable"] = {"thread_id": episode.id}
    state = await graph.ainvoke({"messages": [HumanMessage(episode.task)]}, settings)
    # Only the user's own words have no name.
    asked = [n for n, one in enumerate(state["messages"]) if one.type == "human" and not one.name]
    return list(state["messages"][asked[-1] :])


def usages(messages: list[AnyMessage]) -> list[Any]:
    """Return the usage of every answer of a model."""
    made = (message for message in messages if isinstance(message, AIMessage))
    return [call.usage_metadata for call in made if call.usage_metadata]


def answer_text(messages: list[AnyMessage], team: Team) -> str:
    """Return the final role's last words, else those of whoever spoke last, else nothing."""
    spoken = messages[1:]
    final = [message for message in spoken if message.name == team.final]
    return str((final or spoken)[-1].text) if spoken else ""


def shared_team(team: Team) -> Team:
    """Return what episodes share of their teams: all but what the manager is told."""
    roles = (replace(r, prompt="") if r.name == team.manager else r for r in team.roles)
    return replace(team, roles=tuple(roles))


@lru_cache(maxsize=8)
def build_graph(team: Team, limits: Limits, url: str) -> Graph:
    """Build the supervisor and one node for each member."""
    graph = StateGraph(MessagesState)
    graph.add_edge(START, SUPERVISOR)
    models = {role.name: chat_model(role, limits, url) for role in team.roles}
    graph.add_node(SUPERVISOR, supervisor_node(team, models[team.manager]))
    for role in team.members:
        graph.add_node(role.name, member_node(role, limits, models[role.name]))
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


def supervisor_node(team: Team, model: ChatOpenAI) -> Any:
    """Return the node that asks the manager's model who works next and goes there."""
    route = model.with_structured_output(router(team), method="json_schema")

    async def supervise(state: MessagesState) -> Command[str]:
        # The manager may know something of this episode's task alone, and the graph is shared.
        prompt = SystemMessage(EPISODE.get().team.manager_role.prompt)
        decision: Any = await route.ainvoke([prompt, *state["messages"]])
        return Command(goto=END if decision.next == FINISH else decision.next)

    return supervise


def role_agent(role: Role, limits: Limits, model: ChatOpenAI) -> tuple[Graph, int]:
    """Return one role's agent and the most steps that its graph may take."""
    calls = limits.tool_rounds + 1
    # The outer graph's limit does not reach the inner one, whose default is 9,999 steps. One call
    # takes four of them (limit, model, count, tool); the limit's last word one more.
    most = 4 * calls + 2
    tools = [shared(role, tool) for tool in EPISODE.get().tools(role)]
    within: Any = [ModelCallLimitMiddleware(run_limit=calls)] if tools else []
    agent: Graph = create_agent(
        model, tools=tools, system_prompt=role.prompt, name=role.name, middleware=within
    )
    return agent, most


def member_node(role: Role, limits: Limits, model: ChatOpenAI) -> Any:
    """Return the node that lets one role's agent work and hands back to the supervisor."""
    agent, most = role_agent(role, limits, model)

    async def work(state: MessagesState) -> Command[str]:
        inner = await agent.ainvoke({"messages": state["messages"]}, {"recursion_limit": most})
        used = {USED: usages(inner["messages"])}
        last = inner["messages"][-1].text
        said = HumanMessage(last, name=role.name, response_metadata=used)
        return Command(update={"messages": [said]}, goto=SUPERVISOR)

    return work


def shared(role: Role, tool: Callable[..., str]) -> Callable[..., str]:
    """Return a tool that looks the same and acts in the world of the present episode."""

    @wraps(tool)
    def act(*args: Any, **kwargs: Any) -> str:
        own = {each.__name__: each for each in EPISODE.get().tools(role)}
        return own[tool.__name__](*args, **kwargs)

    return act


def chat_model(role: Role, limits: Limits, url: str) -> ChatOpenAI:
    """Return the role's model behind the gateway; the present episode's key tells whose call."""

    async def key() -> str:
        return EPISODE.get().api_key

    named: Any = {"model": f"ossia-{role.name}", "base_url": url, "timeout": limits.call_seconds}
    return ChatOpenAI(api_key=key, **named, **SETTINGS)


ADAPTER = LangGraphAdapter()
