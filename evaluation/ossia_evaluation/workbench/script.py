"""The script of an office replay: some steps repaired, all others as they were.

They are repeated byte for byte, but for a response that hears other facts than it once did: it
tells these, and keeps back what it kept back before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.attribution import RecordedStep, Recording, Repair, Turns
from ossia_evaluation.attribution.cuts import CutTape
from ossia_evaluation.attribution.findings import last_text, says_something
from ossia_evaluation.attribution.received import ROUTE, Received
from ossia_evaluation.workbench.contracts import (
    Action,
    OfficeContracts,
    actions_in,
    actions_of,
    facts_in,
    key_of,
)
from ossia_evaluation.workbench.players import (
    call_of,
    facts_report,
    gold_report,
)
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.routing import FINISH, ends_with_answer, read_choice
from ossia_servers.wire.turns import choosing, staffing
from ossia_workflows.workbench import RESPONSE

_PLAN = f"{MANAGER}@start:plan"


class OfficeScript:
    """Answers the model calls of one replay; made anew for each.

    A repaired step does what its contract demands at that point. A recorded one is repeated, since
    its input is not relevant; only a response rests on what was reported to it. A moment that was
    never recorded is answered rightly.
    """

    def __init__(self, contracts: OfficeContracts, recording: Recording, repair: Repair) -> None:
        """Begin a replay.

        Args:
            contracts: what the roles owe.
            recording: the episode that is replayed.
            repair: which steps are repaired.
        """
        self._contracts = contracts
        self._steps = recording.by_situation
        self._echoes = recording.echoes
        self._repair = repair
        self._cuts = CutTape(recording.cuts, repair.covers, Received)
        self._imputed: dict[str, None] = {}
        self._turns = Turns(contracts.team)
        self._done: list[Action] = []
        self._due: dict[str, list[Request]] = {}
        self._reports: dict[str, str] = {}

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the assistant's message for the next call of the replay.

        Raises:
            RequestRefused: the recorded call got no answer either.
        """
        self._cuts.check(role, request, self._turns)
        received = Received.of(role, request, self._turns)
        step = self._steps.get(received.turn.situation)
        situation = received.turn.situation
        repaired = self._repair.covers(self._echoes.get(situation, situation))
        played = None if repaired else step
        if step is None and not repaired:
            self._imputed[received.turn.situation] = None
        if role == MANAGER:
            message = self._managed(received, step, played)
        elif played is None:
            message = self._worked(received)
        else:
            message = self._repeated(received, played)
        if role not in (MANAGER, RESPONSE):
            said = last_text([message])
            self._reports[received.turn.situation] = said or self._reports.get(
                received.turn.situation, ""
            )
        self._done += actions_in(message)
        return message

    @property
    def imputed(self) -> tuple[str, ...]:
        """The moments that were answered rightly although nothing was recorded of them."""
        return tuple(self._imputed)

    def _worked(self, received: Received) -> Mapping[str, Any]:
        """Do what is due, one request a call, and report."""
        situation, call = received.turn.situation, received.turn.call
        if situation not in self._due:
            self._due[situation] = self._contracts.due(received.role, self._done)
        due = self._due[situation]
        if call < len(due):
            return present(received.conversation, (call_of(due[call]),))
        task = self._contracts.task
        if received.role == RESPONSE and task.gold.kind is GoldKind.ANSWER:
            # It owes what was reported to it, and can know no more.
            return present(
                received.conversation, facts_report(self._contracts.heard(self._reports.values()))
            )
        return present(received.conversation, gold_report(task))

    def _repeated(self, received: Received, step: RecordedStep) -> Mapping[str, Any]:
        if received.role == RESPONSE:
            facts = self._newly_told(step)
            if facts:
                return present(received.conversation, facts_report(facts))
            if self._did_otherwise() and says_something(last_text(step.messages)):
                return present(received.conversation, gold_report(self._contracts.task))
        if received.turn.call < len(step.messages):
            return step.messages[received.turn.call]
        return present(received.conversation, "")

    def _did_otherwise(self) -> bool:
        """Whether a wish was carried out otherwise than recorded, so that its report differs."""
        recorded = [action for step in self._steps.values() for action in actions_of(step)]
        is_question = self._contracts.task.gold.kind is GoldKind.ANSWER
        return not is_question and Counter(recorded) != Counter(self._done)

    def _newly_told(self, step: RecordedStep) -> Sequence[str]:
        """The facts that a recorded response would tell of what it hears now.

        Nothing where it hears what it heard, or has said nothing whatever it heard.
        """
        heard, before = self._contracts.heard(self._reports.values()), step.keys[0]
        text = last_text(step.messages)
        if key_of(heard) == before or not says_something(text):
            return ()
        kept = self._contracts.kept_back(text, facts_in(before))
        return [fact for fact in heard if fact not in kept]

    def _managed(
        self,
        received: Received,
        recorded: RecordedStep | None,
        played: RecordedStep | None,
    ) -> Mapping[str, Any]:
        contracts, turn = self._contracts, received.turn
        asked = received.conversation
        if turn.duty != ROUTE:
            # Whatever is done with a plan follows it, so a new plan is handed out anew.
            if played is not None and not (self._repair.covers(_PLAN) and turn.duty != "plan"):
                return played.messages[0]
            order = [role for role in contracts.members if contracts.due(role, ())]
            staffed = staffing(asked, [*(order or contracts.members[:1]), RESPONSE])
            return staffed or choosing(asked, RESPONSE)
        if played is not None:
            facts = self._newly_passed_on(asked, played)
            if self._ends(asked, played) and self._did_otherwise():
                return choosing(asked, None, gold_report(contracts.task))
            return choosing(asked, None, facts_report(facts)) if facts else played.messages[0]
        allowed = contracts.next_roles(turn.done, self._done)
        wished = read_choice(recorded.messages[0], asked) if recorded is not None else ""
        role = wished if wished in allowed else allowed[0]
        heard = facts_report(contracts.heard(self._reports.values()))
        return choosing(asked, None if role == FINISH else role, heard)

    def _ends(self, asked: Conversation, step: RecordedStep) -> bool:
        """Whether a recorded manager ends the work and tells the user the answer with it."""
        return ends_with_answer(asked) and read_choice(step.messages[0], asked) == FINISH

    def _newly_passed_on(self, asked: Conversation, step: RecordedStep) -> Sequence[str]:
        """The facts that a manager who ends the work with the answer would tell now.

        Nothing where it does something else, or hears what it heard.
        """
        contracts, message = self._contracts, step.messages[0]
        if not self._ends(asked, step):
            return ()
        others = [s for s in self._steps.values() if s.role not in (MANAGER, RESPONSE)]
        before = contracts.heard(last_text(s.messages) for s in others)
        heard = contracts.heard(self._reports.values())
        kept = contracts.kept_back(last_text([message]), before)
        return () if heard == before else [fact for fact in heard if fact not in kept]
