"""What a manager plans who decides on the whole work at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ossia_servers.assistant.offline import compound
from ossia_servers.assistant.offline.plan import Manager, needed_roles, results_by_role
from ossia_servers.assistant.offline.understanding.frames import Understander
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.duties import Planner
from ossia_servers.wire.policy import retries_of
from ossia_servers.wire.results import read_results


@dataclass(frozen=True, slots=True)
class SentencePlanner(Planner):
    """Plans by what the user's sentence asks for.

    Attributes:
        understander: Reads utterances.
        manager: Decides on the roles.
    """

    understander: Understander
    manager: Manager

    def roles(self, conversation: Conversation) -> Sequence[str]:
        """Return the roles that are to work, in their order; see `Planner.roles`."""
        frame = self.understander.understand(conversation.utterance)
        needed = needed_roles(frame.domain, tuple(frame.slots))
        intent = {"domain": frame.domain, "intent": frame.intent, "slots": dict(frame.slots)}
        if conversation.rounds is not None:
            needed = _planned_rounds(conversation, self.understander)
        return self.manager.planned_roles(conversation, intent, needed)

    @property
    def retries(self) -> int:
        """How often a result that will not do is asked for again."""
        policy = self.manager.policy
        return 1 if policy is None else retries_of(policy)

    def accepts(self, role: str | None, result: str) -> bool:
        """Say whether a result has the form that its role owes; see `Planner.accepts`."""
        owed: dict[str, object] = results_by_role(read_results([result]))
        if self.manager.policy is None:
            del owed["request"]
        return owed[role] is not None if role in owed else bool(result.strip())


def _planned_rounds(conversation: Conversation, understander: Understander) -> list[str]:
    """Return the roles of every round that the sentence may need, then `response`."""
    roles: list[str] = []
    for frame in compound.planned_frames(conversation, understander):
        if compound.ends(frame.domain):
            roles.append("intent")
        else:
            roles += needed_roles(frame.domain, tuple(frame.slots))[:-1]
    return [*roles, "response"]
