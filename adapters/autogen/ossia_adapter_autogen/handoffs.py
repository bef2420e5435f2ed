"""The team as AutoGen's Swarm: whoever works hands the conversation over by a tool call."""

from collections.abc import Sequence
from dataclasses import replace

from autogen_agentchat.base import Handoff, TaskResult
from autogen_agentchat.conditions import FunctionalTermination, TextMessageTermination
from autogen_agentchat.messages import (
    BaseAgentEvent,
    BaseChatMessage,
    HandoffMessage,
    ToolCallSummaryMessage,
)
from autogen_agentchat.teams import Swarm

from ossia_adapter import Episode, Role
from ossia_adapter_autogen.team import AutoGenAdapter, Runnable

__all__ = ["ADAPTER", "HandoffsAdapter"]


class HandoffsAdapter(AutoGenAdapter):
    """Plays the team as a swarm: the manager hands over to members, which hand back to it."""

    def team(self, episode: Episode) -> Runnable:
        """Build the swarm; it ends once the manager says something instead of handing over.

        It also ends once a role's rounds of tools are spent: the swarm would let it begin anew.
        """
        manager, members = episode.team.manager_role, episode.team.members
        to_members = [Handoff(target=role.name, description=role.description) for role in members]
        back = Handoff(target=manager.name)
        return Swarm(
            [
                self.agent(episode, manager, to_members),
                *(self.agent(episode, _told(role, back), [back]) for role in members),
            ],
            termination_condition=TextMessageTermination(manager.name)
            | FunctionalTermination(_rounds_spent),
            # The swarm counts the manager's turns too, and its last one.
            max_turns=2 * episode.limits.turns + 1,
        )

    def answer(self, result: TaskResult, final: str) -> str:
        """Return the final role's last words, also those that it said while handing back."""
        said = (
            words
            for message in reversed(result.messages)
            if isinstance(message, BaseChatMessage) and message.source == final
            if (words := _words(message))
        )
        return next(said, "")


def _told(role: Role, back: Handoff) -> Role:
    """Return a role whose prompt says when to hand back, as AutoGen's page on Swarm has it said."""
    needed = f"Always hand back to {back.target} by {back.name} when your part is complete."
    return replace(role, prompt=f"{role.prompt}\n\n{needed}")


def _rounds_spent(messages: Sequence[BaseAgentEvent | BaseChatMessage]) -> bool:
    return any(isinstance(message, ToolCallSummaryMessage) for message in messages)


def _words(message: BaseChatMessage) -> str:
    if not isinstance(message, HandoffMessage):
        return message.to_text()
    # Words beside the call of a handoff are its context; its own text is AutoGen's.
    return "".join(each.content for each in message.context if isinstance(each.content, str))


ADAPTER = HandoffsAdapter()
