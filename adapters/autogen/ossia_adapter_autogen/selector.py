"""The team as AutoGen's SelectorGroupChat: a model call names who speaks next."""

from collections.abc import Mapping
from typing import Any, ClassVar

from autogen_agentchat.conditions import SourceMatchTermination
from autogen_agentchat.teams import SelectorGroupChat

from ossia_adapter import Episode
from ossia_adapter_autogen.team import AutoGenAdapter, Runnable

__all__ = ["ADAPTER", "SelectorAdapter"]

# AutoGen's own selector text; the manager's prompt stands where it says "You are in a role play
# game".
_SELECTOR_TEXT = """The following roles are available:
{roles}.
Read the following conversation. Then select the next role from {participants} to play. Only return the role.

{history}

Read the above conversation. Then select the next role from {participants} to play. Only return the role.
"""  # noqa: E501 - the framework's text


class SelectorAdapter(AutoGenAdapter):
    """Plays the team as a group chat whose selector is the manager."""

    selecting: ClassVar[Mapping[str, Any]] = {}
    """What is set of how the next speaker is selected."""

    def team(self, episode: Episode) -> Runnable:
        """Build the group chat; it ends once the final role has spoken."""
        team = episode.team
        manager = team.manager_role
        return SelectorGroupChat(
            [self.agent(episode, role) for role in team.members],
            model_client=self.client(episode, manager),
            selector_prompt=_literal(manager.prompt) + "\n\n" + _SELECTOR_TEXT,
            termination_condition=SourceMatchTermination([team.final]),
            max_turns=episode.limits.turns,
            **self.selecting,
        )


def _literal(text: str) -> str:
    """Return the text such that a format template gives it back unchanged."""
    return text.replace("{", "{{").replace("}", "}}")


ADAPTER = SelectorAdapter()
