"""The offline agent as a model: it answers for each role of the suites' teams."""

from __future__ import annotations

from collections.abc import Sequence

from ossia_servers.flowbench.offline.course import next_wanted
from ossia_servers.flowbench.offline.known import read_known
from ossia_servers.flowbench.parts import Parts
from ossia_servers.flowbench.reports import Wanted
from ossia_servers.gateway.models import Completion, ModelCall
from ossia_servers.wire.policy import Policy, retries_of
from ossia_servers.wire.talk import TalkTurn
from ossia_workflows.flowbench import TeamKind

__all__ = ["OfflineAgent"]


class OfflineAgent:
    """Follows the workflows of its prompt. It is asked as any model is, and knows nothing else."""

    name = "offline"

    def __init__(self, kind: TeamKind, policy: Policy | None = None) -> None:
        """Make an agent.

        Args:
            kind: the team that plays.
            policy: what is done about answers that are no use; None for nothing.
        """
        self._retries = 0 if policy is None else retries_of(policy)
        self._parts = Parts(kind, self._wanted, self._retries)

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked."""
        return self._parts.play(call)

    def _wanted(self, call: ModelCall, prompt: str, talk: Sequence[TalkTurn]) -> Wanted:
        return next_wanted(read_known(prompt), talk, self._retries)
