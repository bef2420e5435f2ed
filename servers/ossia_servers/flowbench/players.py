"""Two models that prove the suites: the gold run, and doing nothing.

They read of a request how far the conversation is, and in which form an answer is wanted. What they
do comes from the session, so they are for checks, never for comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_servers.flowbench.parts import Parts
from ossia_servers.flowbench.reports import Wanted, argument_text, outcomes
from ossia_servers.flowbench.script import GoldTurn, gold_turns
from ossia_servers.flowbench.services import gold_service, scenarios
from ossia_servers.flowbench.walk import WalkError, walk
from ossia_servers.gateway.models import Completion, ModelCall, ModelFailure
from ossia_servers.trace import task_in
from ossia_servers.wire.talk import TalkTurn
from ossia_workflows.flowbench import TeamKind

__all__ = ["GOLD", "IDLE", "SessionPlayer"]

GOLD: Final = "gold"
IDLE: Final = "idle"

_DONE: Final = "All is done."


class SessionPlayer:
    """Plays every role of a team by the session. One instance serves one run."""

    def __init__(self, name: str, tasks: Mapping[str, SessionTask], kind: TeamKind) -> None:
        """Make a player.

        Args:
            name: `gold` or `idle`.
            tasks: the run's sessions by id.
            kind: the team that plays.

        Raises:
            ValueError: there is no such player.
        """
        if name not in (GOLD, IDLE):
            raise ValueError(f"no player is called '{name}'")
        self.name = name
        self._tasks = tasks
        self._parts = Parts(kind, self._wanted)
        self._gold = cache(self._turns)

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked.

        Raises:
            ModelFailure: the episode is none of the run's, or its session has no gold run.
        """
        return self._parts.play(call)

    def _wanted(self, call: ModelCall, prompt: str, talk: Sequence[TalkTurn]) -> Wanted:
        task = task_in(call.episode) or ""
        if task not in self._tasks:
            raise ModelFailure(f"no session belongs to the episode {call.episode}")
        if self.name == IDLE:
            return Wanted(words=_DONE)
        turns = self._gold(task)
        if not 0 < len(talk) <= len(turns):
            return Wanted(words=_DONE)
        turn = turns[len(talk) - 1]
        made = [(each.tool, each.arguments) for each in outcomes(talk[-1])]
        for wanted in turn.calls:
            given = {name: argument_text(value) for name, value in wanted.arguments.items()}
            if (wanted.tool, given) not in made:
                return Wanted(tool=wanted.tool, arguments=wanted.arguments)
            made.remove((wanted.tool, given))
        return Wanted(words=turn.answer)

    def _turns(self, task: str) -> tuple[GoldTurn, ...]:
        session = self._tasks[task]
        try:
            visits = walk(session, scenarios(), gold_service(session))
            return gold_turns(session, scenarios(), visits)
        except WalkError as error:
            raise ModelFailure(f"the session {task} has no gold run: {error}") from None
