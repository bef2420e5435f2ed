"""The script of a replay of a planning team: some steps repaired, all others as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ossia_evaluation.attribution import RecordedStep, Recording, Repair, Turns
from ossia_evaluation.attribution.cuts import CutTape
from ossia_evaluation.attribution.received import PLAN, ROUTE, Received
from ossia_evaluation.worfbench.attribution.contracts import (
    Given,
    PlanContracts,
    Read,
    Said,
    loss_of,
    plan_words,
)
from ossia_servers.wire.envelope import present
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.routing import (
    FINISH,
    ends_with_answer,
    hands_over,
    present_choice,
    read_choice,
)
from ossia_servers.wire.turns import staffing

__all__ = ["PlanScript"]

_PLANNING: Final = f"{MANAGER}@start:{PLAN}"


class PlanScript:
    """Answers the model calls of one replay; made anew for each.

    A repaired step writes what its contract demands of what it is given. A recorded one that is
    given what it was given is repeated byte for byte; given something else, it does to it what it
    did. A moment that was never recorded is answered rightly.
    """

    def __init__(
        self,
        contracts: PlanContracts,
        recording: Recording,
        reads: Mapping[str, Read],
        repair: Repair,
    ) -> None:
        """Begin a replay.

        Args:
            contracts: What the roles owe.
            recording: The episode that is replayed.
            reads: What its steps were given and wrote.
            repair: Which steps are repaired.
        """
        self._contracts = contracts
        self._steps = recording.by_situation
        self._echoes = recording.echoes
        self._reads = reads
        self._repair = repair
        self._cuts = CutTape(recording.cuts, repair.covers, Received)
        self._turns = Turns(contracts.members)
        self._said: list[Said] = []
        self._imputed: dict[str, None] = {}

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the assistant's message for the next call of the replay.

        Raises:
            RequestRefused: the recorded call got no answer either.
        """
        self._cuts.check(role, request, self._turns)
        received = Received.of(role, request, self._turns)
        situation = received.turn.situation
        step = self._steps.get(situation)
        repaired = self._repair.covers(self._echoes.get(situation, situation))
        if step is None and not repaired:
            self._imputed[situation] = None
        played = None if repaired else step
        if role == MANAGER:
            return self._managed(received, step, played)
        message = self._written(received, played, self._given(received))
        words = plan_words([message])
        draft = self._contracts.gold.read(words)
        if draft is not None:
            self._said.append(Said(role, words, draft))
        return message

    @property
    def imputed(self) -> tuple[str, ...]:
        """The moments that were answered rightly although nothing was recorded of them."""
        return tuple(self._imputed)

    def _given(self, received: Received) -> Given:
        """What a role builds on; all of it where the framework's loss is repaired."""
        given = self._contracts.given(received.role, received.conversation, self._said)
        if given.lost and self._repair.covers(loss_of(given.by, received.turn.situation)):
            whole = self._said[-1].draft if self._said else None
            return replace(given, draft=whole, lost="", task=True)
        return given

    def _written(
        self, received: Received, played: RecordedStep | None, given: Given
    ) -> Mapping[str, Any]:
        """Its recorded words where it is given the same, else what it makes of what it is given."""
        contracts, asked = self._contracts, received.conversation
        read = self._reads.get(received.turn.situation, Read(Given(), None))
        made = contracts.answer(received.role, given, read, repaired=played is None)
        if played is None:
            # Whoever got nothing and had written nothing is taken to know what is right.
            return present(asked, contracts.gold.text(made or contracts.gold.draft))
        same = (given.draft, given.task) == (read.given.draft, read.given.task)
        if same or made is None:
            return played.messages[min(received.turn.call, len(played.messages) - 1)]
        return present(asked, contracts.gold.text(made))

    def _managed(
        self, received: Received, step: RecordedStep | None, played: RecordedStep | None
    ) -> Mapping[str, Any]:
        contracts, asked, turn = self._contracts, received.conversation, received.turn
        if turn.duty != ROUTE:
            # Whatever is done with a plan follows it, so a new plan is handed out anew.
            if played is not None and not (self._repair.covers(_PLANNING) and turn.duty != PLAN):
                return played.messages[0]
            staffed = staffing(asked, contracts.members)
            return staffed or present_choice(asked, contracts.members[0])
        last = self._said[-1] if self._said else None
        given = Given() if last is None else Given(last.draft, last.role)
        read = self._reads.get(turn.situation, Read(Given(), None))
        if played is not None:
            said = read_choice(played.messages[0], asked)
            if given.draft == read.given.draft:
                return played.messages[0]
            made = contracts.answer(MANAGER, given, read, repaired=False)
            if said == FINISH and ends_with_answer(asked) and made is not None:
                return present_choice(asked, None, answer=contracts.gold.text(made))
            if said in contracts.members and hands_over(asked) and read.passed:
                return present_choice(asked, said)
            return played.messages[0]
        role = contracts.next_role(turn.done)
        answer = None if given.draft is None else contracts.gold.text(given.draft)
        return present_choice(asked, None if role == FINISH else role, answer=answer)
