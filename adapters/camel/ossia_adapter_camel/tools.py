"""The team as a ChatAgent that has the other agents as tools."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from camel.agents import ChatAgent
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, OpenAI

from ossia_adapter import Answer, Episode, Role
from ossia_adapter_camel.common import UNSET, Crew, access, words

PLAY = "play"


class CamelToolsAdapter:
    """Plays all episodes on one event loop; they share one asynchronous client."""

    name = "camel"
    distribution = "camel-ai"
    conversation = True

    def __init__(self) -> None:
        self._client = OpenAI(**UNSET)
        self._async_client = AsyncOpenAI(http_client=DefaultAsyncHttpxClient(), **UNSET)

    async def run(self, episode: Episode) -> Answer:
        """Play one episode; return the leader's last words, and what all agents reported.

        In a conversation the leader's memory goes from turn to turn.

        Args:
            episode: the task, the team, its limits and the two addresses.

        Raises:
            openai.OpenAIError: the manager's model did not answer.
        """
        memory = {} if episode.memory is None else episode.memory
        if PLAY not in memory:
            own = access(episode)
            clients = self._client.with_options(**own), self._async_client.with_options(**own)
            crew = Crew(episode, *clients)
            memory[PLAY] = (crew, leader(crew))
        crew, agent = memory[PLAY]
        return Answer(await words(agent, episode.task), crew.counted())


def leader(crew: Crew) -> ChatAgent:
    """Return the role that plays alone, or the manager with one tool for each member."""
    team = crew.episode.team
    if team.alone is not None:
        return crew.agent(team.alone)
    members = [member(crew, role) for role in team.members]
    # One call for each turn of a member, and one to finish.
    return crew.agent(team.manager_role, members=members, calls=crew.episode.limits.turns + 1)


def member(crew: Crew, role: Role) -> Callable[[str], Coroutine[Any, Any, str]]:
    """Return the tool that lets a new agent of the role do what the manager writes."""

    async def do(task: str) -> str:
        return await words(crew.agent(role), task)

    do.__name__, do.__doc__ = role.name, role.description
    return do


ADAPTER = CamelToolsAdapter()
