"""A workflow of handoffs: the manager hands the conversation over, and members hand it back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agent_framework import AgentResponse, Message, Workflow
from agent_framework.orchestrations import HandoffAgentUserRequest, HandoffBuilder

from ossia_adapter import Answer, Episode, Role
from ossia_adapter_agent_framework.common import build_agent, counted, play_alone

TALK = "talk"


class HandoffsAdapter:
    """Plays each conversation with agents of its own; all share one HTTP client."""

    name = "agent-framework"
    distribution = "agent-framework-core"
    conversation = True

    async def run(self, episode: Episode) -> Answer:
        """Play one episode; return the final role's last words and the tokens of all calls.

        Args:
            episode: The task, the team, its limits and the two addresses.

        Raises:
            agent_framework.exceptions.ChatClientException: The model did not answer a call.
        """
        if episode.team.alone is not None:
            return await play_alone(episode, episode.team.alone)
        memory = {} if episode.memory is None else episode.memory
        talk = memory[TALK] = memory.get(TALK) or Talk(episode)
        return await talk.play(episode.task)


class Talk:
    """A workflow and how far it has come; where it waits for the user, the next turn goes on."""

    def __init__(self, episode: Episode) -> None:
        self._final, self._turns = episode.team.final, episode.limits.turns
        self._members = {role.name for role in episode.team.members}
        self._said = self._most = 0
        self._asked: str | None = None
        self._workflow = build_workflow(episode, self._spent)

    async def play(self, task: str) -> Answer:
        """Play until the manager hands over to nobody, or the turns are spent."""
        self._most = self._said + self._turns
        if self._asked is None:
            result = await self._workflow.run(task)
        else:
            answer = HandoffAgentUserRequest.create_response(task)
            result = await self._workflow.run(responses={self._asked: answer})
        waiting = result.get_request_info_events()
        self._asked = waiting[-1].request_id if waiting else None
        outputs = result.get_outputs()
        return Answer(answer_text(outputs, self._final), counted(*outputs))

    def _spent(self, conversation: list[Message]) -> bool:
        spoken = (one.author_name for one in conversation if one.role == "assistant")
        self._said = sum(name in self._members for name in spoken)
        return self._said >= self._most


def build_workflow(episode: Episode, spent: Any) -> Workflow:
    """Build the workflow of the episode's team, which ends once the conversation is `spent`."""
    team, limits = episode.team, episode.limits
    # The builder asks for the option: handoffs cut an agent's loop of tools short.
    handing: dict[str, Any] = {"require_per_service_call_history_persistence": True}
    manager = build_agent(episode, team.manager_role, limits.turns, **handing)
    told = [_told(role, team.manager) for role in team.members]
    members = [build_agent(episode, role, limits.tool_rounds, **handing) for role in told]
    builder = HandoffBuilder(participants=[manager, *members], termination_condition=spent)
    builder = builder.with_start_agent(manager).add_handoff(manager, members)
    for member in members:
        builder = builder.add_handoff(member, [manager])
    # Nobody answers a member that does not hand back: it is asked once more, then the turn ends.
    once = {role.name: 1 for role in team.members}
    return builder.with_autonomous_mode(agents=members, turn_limits=once).build()


def _told(role: Role, manager: str) -> Role:
    """Return a role that is told when to hand back, as the framework's samples tell theirs."""
    needed = f"When your part is complete, return control to {manager} by handoff_to_{manager}."
    return replace(role, prompt=f"{role.prompt}\n\n{needed}")


def answer_text(outputs: list[AgentResponse], final: str) -> str:
    """Return the final role's last words, else the last of all."""
    said = [one for output in outputs for one in output.messages if one.text]
    by_final = [message for message in said if message.author_name == final]
    return (by_final or said)[-1].text if said else ""


ADAPTER = HandoffsAdapter()
