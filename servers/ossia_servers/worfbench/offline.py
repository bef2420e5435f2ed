"""The offline planner as a model: it answers for each role of the suites' teams."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ossia_servers.gateway.models import Completion, Model, ModelCall, completion_of
from ossia_servers.gateway.specification import ModelSpec
from ossia_servers.wire.conversation import Conversation, read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.turns import Turns
from ossia_servers.worfbench.plan import plan_of
from ossia_workflows.graph import write_text
from ossia_workflows.worfbench import DECOMPOSER, MANAGER, TeamKind, members_of

__all__ = ["OfflinePlanner", "open_planner"]

_LONGEST: Final = 20_000
"""So many characters of a task are read."""


class OfflinePlanner:
    """Plans by the words of the task. It is asked as any model is, and knows nothing else."""

    name = "offline"

    def __init__(self, kind: TeamKind) -> None:
        """Make a planner.

        Args:
            kind: the team that plays.
        """
        self._members = members_of(kind)
        self._turns = Turns()

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked."""
        asked = read_conversation(call.request, self._members)
        plan = write_text(plan_of(_task(asked)[:_LONGEST]))
        if call.role == MANAGER:
            return completion_of(self._turns.manage(call.episode, asked, self._members, plan))
        said = plan.partition("\nEdge:")[0] if call.role == DECOMPOSER else plan
        return completion_of(present(asked, said))


def open_planner(kind: TeamKind, spec: ModelSpec) -> Model:
    """Return the planner as a specification asks for it.

    Raises:
        ValueError: the specification names options. Of a policy nothing follows: the planner has
            no tools, and a plan is one answer.
    """
    if str(replace(spec, policy=None)) != OfflinePlanner.name:
        raise ValueError(f"the offline planner has no options, and {spec} names some")
    return OfflinePlanner(kind)


def _task(asked: Conversation) -> str:
    """The task as the user said it; the last words of a user where nothing is quoted."""
    users = (message.text for message in reversed(asked.messages) if message.role == "user")
    return asked.utterance or next(users, "")
