"""What the variants share: the adapter, its agents and their models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeAlias

from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware, dynamic_prompt
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_openai import ChatOpenAI

from ossia_adapter import Answer, Episode, Limits, Reported, Role, Team
from ossia_adapter_langgraph.counting import COUNTER, Counting
from ossia_adapter_langgraph.talk import Graph, answer_text, converse
from ossia_adapter_langgraph.workflow import run_workflow

Built: TypeAlias = tuple[Graph, int]
Build: TypeAlias = Callable[[Team, Limits, str], Built]
SETTINGS: Any = {"temperature": 0, "use_responses_api": False}

EPISODE: ContextVar[Episode] = ContextVar("episode")
"""The episode of the present asyncio task; episodes share a graph, not a task."""


@dataclass(frozen=True)
class LangGraphAdapter:
    """Runs episodes on one event loop; they share a graph, compiled once for a team.

    Attributes:
        build: Makes the graph of a team, and tells the most steps that it may take.
        final_answers: Whether the final role's words are the answer, rather than the last ones.
    """

    build: Build
    final_answers: bool = True
    name: str = "langgraph"
    distribution: str = "langgraph"
    conversation: bool = True

    async def run(self, episode: Episode) -> Answer:
        """Play one episode, or its workflow; return the answer and the tokens of all calls.

        Args:
            episode: the task, the team, its limits and the two addresses.

        Raises:
            langgraph.errors.GraphRecursionError: the limit of turns is spent.
            openai.OpenAIError: the model did not answer a call.
            pydantic.ValidationError: a router's answer names no role.
        """
        EPISODE.set(episode)
        team, limits, url = episode.team, episode.limits, episode.gateway_url
        if team.alone is None:
            graph, most = self.build(shared_team(team), limits, url)
        else:
            graph, most = role_agent(team.alone, limits, url)
        COUNTER.set(UsageMetadataCallbackHandler())
        final = team.final if self.final_answers else None

        async def play(task: str) -> str:
            said = await converse(graph, episode, task, {"recursion_limit": most})
            return answer_text(said, final)

        text = await (run_workflow(episode, play) if episode.workflow else play(episode.task))
        used = COUNTER.get().usage_metadata.values()
        tokens = (sum(u[name] for u in used) for name in ("input_tokens", "output_tokens"))
        return Answer(text, Reported(None, *tokens))


def shared_team(team: Team) -> Team:
    """Return what episodes share of their teams: all but what the manager is told."""
    roles = (replace(r, prompt="") if r.name == team.manager else r for r in team.roles)
    return replace(team, roles=tuple(roles))


def role_agent(role: Role, limits: Limits, url: str, *more: Any, middleware: Any = ()) -> Built:
    """Return one role's agent, with its tools and more, and the most steps that it may take."""
    tools = [*(shared(role, tool) for tool in EPISODE.get().tools(role)), *more]
    return build_agent(role, limits, url, tools, limits.tool_rounds + 1, role.prompt, middleware)


def manager_agent(team: Team, limits: Limits, url: str, tools: Sequence[Any]) -> Built:
    """Return the manager's agent, with a tool for each member, and the most steps it may take."""

    # The manager may know something of this episode's task alone, and the graph is shared.
    @dynamic_prompt
    def own(request: Any) -> str:
        return EPISODE.get().team.manager_role.prompt

    # One call for each turn of a member, and one to finish.
    return build_agent(team.manager_role, limits, url, tools, limits.turns + 1, middleware=[own])


def build_agent(
    role: Role,
    limits: Limits,
    url: str,
    tools: Sequence[Any],
    calls: int,
    prompt: str | None = None,
    middleware: Sequence[Any] = (),
) -> Built:
    """Return an agent that calls its model so often at most, and the steps that this takes."""
    within = [*middleware, *([ModelCallLimitMiddleware(run_limit=calls)] if tools else [])]
    named: Any = {"system_prompt": prompt, "name": role.name, "middleware": within}
    agent: Graph = create_agent(chat_model(role, limits, url), tools=tools, **named)
    # An outer graph's limit does not reach an inner one, whose default is 9,999 steps. One call
    # takes four of them (limit, model, count, tool); the limit's last word one more.
    return agent, 4 * calls + 2


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
    return ChatOpenAI(api_key=key, callbacks=[Counting()], **named, **SETTINGS)
