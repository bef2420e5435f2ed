"""The types that an adapter sees: the episode it plays and the answer it gives back."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ossia_adapter import wire
from ossia_adapter.tools import TOOLS, UnknownToolError, bind
from ossia_adapter.wire import WireError
from ossia_adapter.workflow import WorkflowStep

__all__ = [
    "Adapter",
    "Answer",
    "ConversationAdapter",
    "Episode",
    "Limits",
    "Reported",
    "Role",
    "Team",
    "UnknownRoleError",
    "UnknownToolError",
    "UserTurn",
    "WireError",
    "WorkflowStep",
]


class UnknownRoleError(LookupError):
    """A role was asked for that the team does not have."""


@dataclass(frozen=True, slots=True)
class Role:
    """One member of the team.

    Attributes:
        name: A Python identifier; the agent is known to the model and the gateway by it.
        description: One line for the manager: what this role is for.
        prompt: The role's instructions, given to its agent word for word.
        tools: The names of the tools it may call.
    """

    name: str
    description: str
    prompt: str
    tools: tuple[str, ...]

    @classmethod
    def from_wire(cls, value: object) -> Role:
        """Read a role from its mapping.

        Raises:
            WireError: A key is missing, unknown or of the wrong kind, the name is no identifier,
                or a tool does not exist.
        """
        fields = wire.mapping(value, "role")
        wire.keys(fields, ("name", "description", "prompt", "tools"), "role")
        name = wire.text(fields, "name", "role", empty=False)
        if not name.isidentifier():
            raise WireError(f"role name {name!r} is not an identifier")
        tools = tuple(wire.items(fields, "tools", "role"))
        unknown = [tool for tool in tools if tool not in TOOLS]
        if unknown:
            raise WireError(f"role {name} has unknown tools: {unknown!r}")
        return cls(
            name=name,
            description=wire.text(fields, "description", "role"),
            prompt=wire.text(fields, "prompt", "role"),
            tools=tools,
        )


@dataclass(frozen=True, slots=True)
class Team:
    """The roles that play together.

    Attributes:
        name: The team's name.
        goal: What the team is for, in one or two sentences.
        manager: The name of the role that delegates; empty for a team of one role, which plays
            alone.
        final: The name of the role whose message is the answer.
        roles: All roles, the manager among them, in the team's order.
    """

    name: str
    goal: str
    manager: str
    final: str
    roles: tuple[Role, ...]

    @classmethod
    def from_wire(cls, value: object) -> Team:
        """Read a team from its mapping.

        Raises:
            WireError: A key is missing, unknown or of the wrong kind, a role's name occurs
                twice, the manager or the final role is not among the roles, or nobody leads
                several.
        """
        fields = wire.mapping(value, "team")
        wire.keys(fields, ("name", "goal", "manager", "final", "roles"), "team")
        roles = tuple(Role.from_wire(role) for role in wire.items(fields, "roles", "team"))
        names = [role.name for role in roles]
        if len(set(names)) != len(names):
            raise WireError(f"team has a role twice: {names!r}")
        team = cls(
            name=wire.text(fields, "name", "team", empty=False),
            goal=wire.text(fields, "goal", "team"),
            manager=wire.text(fields, "manager", "team"),
            final=wire.text(fields, "final", "team"),
            roles=roles,
        )
        if not team.manager and len(names) != 1:
            raise WireError(f"team has {len(names)} roles and no manager")
        if team.manager and team.manager not in names:
            raise WireError(f"team has no manager named {team.manager!r}")
        if team.final not in names or team.final == team.manager:
            raise WireError(f"team has no member named {team.final!r} for its final role")
        return team

    def role(self, name: str) -> Role:
        """Return the role with this name.

        Raises:
            UnknownRoleError: The team has no such role.
        """
        for role in self.roles:
            if role.name == name:
                return role
        raise UnknownRoleError(f"the team {self.name} has no role {name!r}")

    @property
    def manager_role(self) -> Role:
        """The role that delegates.

        Raises:
            UnknownRoleError: The team has none, since its only role plays alone.
        """
        if not self.manager:
            raise UnknownRoleError(f"the team {self.name} has no manager: play team.alone")
        return self.role(self.manager)

    @property
    def alone(self) -> Role | None:
        """The only role of a team without a manager, which plays alone; None where one leads."""
        return None if self.manager else self.roles[0]

    @property
    def members(self) -> tuple[Role, ...]:
        """All roles but the manager, in the team's order."""
        return tuple(role for role in self.roles if role.name != self.manager)


@dataclass(frozen=True, slots=True)
class Limits:
    """How far an episode may go.

    Attributes:
        turns: The most turns of members in one episode.
        tool_rounds: The most rounds of tool calls inside one turn.
        call_seconds: The longest one model call may take; nor does a tool wait longer.
    """

    turns: int
    tool_rounds: int
    call_seconds: float

    @classmethod
    def from_wire(cls, value: object) -> Limits:
        """Read the limits from their mapping.

        Raises:
            WireError: A key is missing, unknown or of the wrong kind.
        """
        fields = wire.mapping(value, "limits")
        wire.keys(fields, ("turns", "tool_rounds", "call_seconds"), "limits")
        return cls(
            turns=wire.whole(fields, "turns", "limits"),
            tool_rounds=wire.whole(fields, "tool_rounds", "limits"),
            call_seconds=wire.decimal(fields, "call_seconds", "limits"),
        )


@dataclass(frozen=True, slots=True)
class UserTurn:
    """One turn of a user's conversation with the team.

    Attributes:
        user: What the user said.
        answer: What the team answered.
    """

    user: str
    answer: str

    @classmethod
    def from_wire(cls, value: object) -> UserTurn:
        """Read a turn from its mapping.

        Raises:
            WireError: A key is missing, unknown or of the wrong kind.
        """
        fields = wire.mapping(value, "turn")
        wire.keys(fields, ("user", "answer"), "turn")
        return cls(wire.text(fields, "user", "turn"), wire.text(fields, "answer", "turn"))


@dataclass(frozen=True, slots=True)
class Episode:
    """One task to be played by the team: all that a worker is told.

    Where a user goes on talking, each turn is an episode that differs from the last in
    `utterance`, `history` and `memory` alone.

    Attributes:
        id: The episode's id.
        utterance: What the user said.
        gateway_url: The base URL of the OpenAI-compatible endpoint, ending in ``/v1``.
        api_key: The episode's own key for the gateway.
        servers_url: The base URL of the domain servers.
        world: The id of the episode's world.
        limits: How far the episode may go.
        team: The team that plays.
        history: The earlier turns of the conversation that `memory` does not hold, oldest first:
            all of them where the adapter keeps none.
        memory: What the adapter keeps of this conversation, such as its framework's state: empty
            at first; at the next turn it is as the last one left it. It ends with the
            conversation. None where the user says nothing more, and for an adapter that is no
            `ConversationAdapter`.
        workflow: The steps of the task's workflow, in an order that they allow, which an adapter
            that declares `workflow` runs as its framework's graph, `task_of` each by the team.
    """

    id: str
    utterance: str
    gateway_url: str
    api_key: str
    servers_url: str
    world: str
    limits: Limits
    team: Team
    history: tuple[UserTurn, ...] = ()
    memory: dict[str, Any] | None = field(default=None, repr=False, compare=False)
    workflow: tuple[WorkflowStep, ...] = ()

    @classmethod
    def from_wire(cls, value: Mapping[str, Any]) -> Episode:
        """Read an episode from its mapping on the wire.

        Args:
            value: The mapping, as parsed from JSON.

        Raises:
            WireError: A key is missing, unknown or of the wrong kind, at any depth.
        """
        fields = wire.mapping(value, "episode")
        wire.keys(fields, _EPISODE_KEYS, "episode")
        return cls(
            id=wire.text(fields, "id", "episode", empty=False),
            utterance=wire.text(fields, "utterance", "episode"),
            gateway_url=wire.text(fields, "gateway_url", "episode", empty=False),
            api_key=wire.text(fields, "api_key", "episode", empty=False),
            servers_url=wire.text(fields, "servers_url", "episode", empty=False),
            world=wire.text(fields, "world", "episode", empty=False),
            limits=Limits.from_wire(fields["limits"]),
            team=Team.from_wire(fields["team"]),
        )

    @property
    def task(self) -> str:
        """The one text that the team is given.

        What the user says now, as a JSON string literal; before it the turns of `history`.
        """
        says = f"The user says: {_literal(self.utterance)}"
        if not self.history:
            return says
        told = "".join(
            f"The user said: {_literal(turn.user)}\nYou answered: {_literal(turn.answer)}\n"
            for turn in self.history
        )
        return f"The conversation so far:\n{told}\n{says}"

    def task_of(self, step: WorkflowStep, results: Mapping[str, str]) -> str:
        """Return what the team is given for a step of `workflow`, with finished steps' results."""
        return f"{self.task}\n{step.told(results)}"

    def model(self, role_name: str) -> str:
        """Return the model name of a role's agent, by which the gateway knows the role.

        Raises:
            UnknownRoleError: The team has no such role.
        """
        return f"ossia-{self.team.role(role_name).name}"

    def tools(self, role: Role | str) -> tuple[Callable[..., str], ...]:
        """Return the functions of a role's tools, bound to this episode's world and servers.

        Each is a plain function with its name, annotations and docstring in place, so that a
        framework derives the tool's schema from it; each returns JSON text and never raises for
        what a server answers.

        Args:
            role: The role or its name.

        Raises:
            UnknownRoleError: The team has no such role.
            UnknownToolError: The role names a tool that does not exist.
        """
        names = (self.team.role(role) if isinstance(role, str) else role).tools
        seconds = self.limits.call_seconds
        return bind(names, servers_url=self.servers_url, world=self.world, seconds=seconds)


_EPISODE_KEYS = (
    *("id", "utterance", "gateway_url", "api_key"),
    *("servers_url", "world", "limits", "team"),
)


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Reported:
    """What the framework itself counted; ``None`` where it does not count.

    Attributes:
        calls: Model calls.
        prompt_tokens: Tokens of all prompts.
        completion_tokens: Tokens of all completions.
    """

    calls: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the team answered.

    Attributes:
        text: The text for the user; empty when the team ended without one.
        reported: What the framework counted, if it counts.
    """

    text: str
    reported: Reported | None = None


class Adapter(Protocol):
    """One team builder for one framework.

    Attributes:
        name: The adapter's name, such as ``autogen``.
        distribution: The framework's distribution, whose version is written into results.
    """

    name: str
    distribution: str

    def run(self, episode: Episode) -> Answer | Awaitable[Answer]:
        """Play one episode with fresh agents.

        A plain ``def`` is called in a thread of its own for each episode; an ``async def`` runs
        as one task among others on the worker's only event loop and must never block it.

        Args:
            episode: What to play.

        Returns:
            The team's answer.

        Raises:
            Exception: Whatever the framework raises; the worker reports it with its trace.
        """
        ...


class ConversationAdapter(Adapter, Protocol):
    """A team builder whose framework keeps a conversation.

    Attributes:
        conversation: Says so. For any other adapter `Episode.history` has all earlier turns, which
            `Episode.task` tells.
    """

    conversation: Literal[True]
