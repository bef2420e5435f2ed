"""Models that prove the suite: the gold plan, and plans that need no model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.worfbench.measures.variants import make_variant
from ossia_evaluation.worfbench.plan import END, START, Plan, parse_published
from ossia_servers.gateway.models import Completion, ModelCall, ModelFailure, completion_of
from ossia_servers.trace import task_in
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.turns import Turns
from ossia_workflows.worfbench import DECOMPOSER, MANAGER, TeamKind, members_of

__all__ = ["PLAYERS", "PlanPlayer", "plan_text"]

PLAYERS: Final[Mapping[str, str]] = {
    "gold": "gold",
    "nonsense": "one nonsense node",
    "linear": "linearised",
    "reversed": "reversed",
}
"""How each changes the gold plan, by its name."""


class PlanPlayer:
    """Answers with a plan that is made of the task's gold plan. One instance serves one run."""

    def __init__(self, name: str, tasks: Mapping[str, PlanTask], kind: TeamKind) -> None:
        """Make a player.

        Args:
            name: one of `PLAYERS`.
            tasks: the run's tasks by id.
            kind: the team that plays.
        """
        self.name = name
        self._tasks = tasks
        self._members = members_of(kind)
        self._turns = Turns()

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked.

        Raises:
            ModelFailure: the episode is none of the run's, or its gold plan cannot be read.
        """
        task = self._tasks.get(task_in(call.episode) or "")
        gold = None if task is None else parse_published(task.workflow)
        if gold is None:
            raise ModelFailure(f"there is no gold plan of the episode {call.episode}")
        plan = plan_text(make_variant(PLAYERS[self.name], gold))
        asked = read_conversation(call.request, self._members)
        if call.role == MANAGER:
            return completion_of(self._turns.manage(call.episode, asked, self._members, plan))
        said = plan.partition("\nEdge:")[0] if call.role == DECOMPOSER else plan
        return completion_of(present(asked, said))


def plan_text(plan: Plan) -> str:
    """Return a plan in the published form; START and END are no nodes in it."""
    last = len(plan.nodes) - 1
    names = {0: START, last: END}
    lines = [f"{at}: {text}" for at, text in enumerate(plan.nodes[1:last], 1)]
    edges = [f"({names.get(one, one)},{names.get(other, other)})" for one, other in plan.edges]
    return "\n".join(["Node:", *lines, f"Edge: {' '.join(edges)}"])
