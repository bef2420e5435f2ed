"""The script of a replay: some steps repaired, all others as they were or as they would have been.

A step that is repaired answers as its contract demands. Any other answers from the recording, byte
for byte, as long as its relevant input is unchanged; about another input it gives the right answer
with its own recorded edit applied. A moment that was never recorded is answered rightly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ossia_evaluation.assistant.attribution.addresses import address_edit
from ossia_evaluation.assistant.attribution.edits import (
    AddressEdit,
    ValuesEdit,
    asked_alike,
    values_edit,
)
from ossia_evaluation.assistant.attribution.forms import (
    in_the_form,
    in_usual_form,
    is_damaged,
    with_what_followed,
)
from ossia_evaluation.assistant.attribution.judging import dump
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.received import Heard, heard_in
from ossia_evaluation.assistant.contract import Frame
from ossia_evaluation.attribution.cuts import CutTape
from ossia_evaluation.attribution.findings import Finding, last_text
from ossia_evaluation.attribution.received import ROUTE, Turns
from ossia_evaluation.attribution.recording import RecordedStep, Recording
from ossia_evaluation.attribution.repairs import How, Played, Repair
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.envelope import present
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.routing import present_choice, read_choice
from ossia_servers.wire.ways import ends_turn
from ossia_workflows import json_objects, text_slots
from ossia_workflows.assistant import role_output

NO_WORDS: Mapping[str, str] = {}


@dataclass
class Director:
    """Answers the model calls of one replay; made anew for each.

    Attributes:
        oracle: the contracts of the task.
        recording: the episode that is replayed.
        repair: which steps are repaired.
        strict: repair also what a step said in other words that mean the same.
        given: contents to be said in place of steps, by situation.
        played: what was answered so far.
        moved: moments of the replay that stand for one of the recording under another name.
        heard: every call that was answered, as it came and as it was read.
    """

    oracle: Oracle
    recording: Recording
    repair: Repair = field(default_factory=Repair)
    strict: bool = False
    given: Mapping[str, str] = field(default_factory=dict)
    played: list[Played] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    heard: list[tuple[Mapping[str, Any], Heard]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin the replay."""
        self._turns = Turns(MEMBERS)
        self._steps = self.recording.by_situation
        self._echoes = self.recording.echoes
        self._cuts = CutTape(self.recording.cuts, self._is_spared, Heard)

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the assistant's message for the next call of the replay.

        Raises:
            RequestRefused: the recorded call got no answer either.
        """
        self._cuts.check(role, request, self._turns)
        received = Heard.of(role, request, self._turns)
        self.heard.append((request, received))
        step = self._steps.get(received.turn.situation) or self._elsewhere(received)
        situation = received.turn.situation if step is None else step.situation
        if situation != received.turn.situation:
            self.moved[received.turn.situation] = situation
        message, how = self._answer(received, situation, step)
        self.played.append(Played(situation, role, how))
        return message

    @property
    def imputed(self) -> tuple[str, ...]:
        """The moments that were answered rightly although nothing was recorded of them."""
        return tuple(dict.fromkeys(p.situation for p in self.played if p.how is How.NEW))

    @property
    def assumed(self) -> tuple[str, ...]:
        """The moments that are assumed to have answered rightly.

        Nothing was recorded of them, or no intent reached them any more.
        """
        found = dict.fromkeys(self.imputed)
        for played, (_, received) in zip(self.played, self.heard, strict=False):
            unheard = received.frame is None and played.role in _EDITED
            if played.how is How.EDITED and unheard:
                found[played.situation] = None
        return tuple(found)

    def _is_spared(self, situation: str) -> bool:
        return self.repair.covers(situation) or situation in self.given

    def _elsewhere(self, received: Heard) -> RecordedStep | None:
        """Return the manager's wrong choice that was recorded at a moment that cannot come now.

        A repair may bring in a role that had not worked, and everything after it then stands at
        another moment. The choice is the same one where the same roles are due.
        """
        turn = received.turn
        if received.role != "manager" or turn.duty != ROUTE:
            return None
        met = {played.situation for played in self.played}
        due = self.oracle.allowed(received)
        for step in self.recording.steps:
            before = heard_in(step)[0]
            wrong = step.role == "manager" and step.situation in self.recording.findings
            if not wrong or step.situation in met or before.turn.duty != ROUTE:
                continue
            to_come = before.turn.done[: len(turn.done)] == turn.done
            if not to_come and self.oracle.allowed(before) == due:
                return step
        return None

    def _answer(
        self, received: Heard, situation: str, step: RecordedStep | None
    ) -> tuple[Mapping[str, Any], How]:
        call = received.turn.call
        if situation in self.given:
            return self._given(received, self.given[situation]), How.GIVEN
        if self.repair.covers(self._echoes.get(situation, situation)):
            if step is not None and not self.strict and self._says_it_plainly(received, step):
                return step.messages[call], How.TAPE
            prefer = None if step is None else read_choice(step.messages[0], team=MEMBERS)
            return self.oracle.message(received, prefer), How.REPAIRED
        if step is None:
            return self.oracle.message(received), How.NEW
        if received.role == "manager":
            return self._managed(received, step)
        if call < len(step.keys) and step.keys[call] == received.relevant():
            return step.messages[call], How.TAPE
        finding = self.recording.findings.get(situation)
        heard = received.role == "intent" or received.frame is not None
        if finding is not None and finding.bound and heard:
            return self.oracle.message(received), How.EDITED
        return self._edited(received, step, finding), How.EDITED

    def _says_it_plainly(self, received: Heard, step: RecordedStep) -> bool:
        """Whether a recorded answer keeps its contract and holds nothing beyond it.

        There is nothing to repair in it then, and other words for the same might do harm or good
        elsewhere that is not theirs.
        """
        call, role = received.turn.call, received.role
        if step.situation in self.recording.findings:
            return False
        if call >= len(step.keys) or step.keys[call] != received.relevant():
            return False
        if role == MANAGER and received.turn.duty != ROUTE:
            return True
        if role == "response":
            return in_usual_form(step)
        if role not in _OUTPUTS:
            return False
        output = role_output(role, last_text([step.messages[call]]))
        if output is None:
            return False
        usual = present(step.received[call].conversation, dump(output))
        return usual == dict(step.messages[call])

    def _managed(self, received: Heard, step: RecordedStep) -> tuple[Mapping[str, Any], How]:
        recorded, same = step.messages[0], step.keys[0] == received.relevant()
        astray = step.situation in self.recording.findings
        if received.turn.duty != ROUTE:
            if same or astray:
                return recorded, How.TAPE
            return self.oracle.message(received), How.EDITED
        choice = read_choice(recorded, team=MEMBERS)
        allowed = self.oracle.allowed(received)
        if not astray and choice not in allowed:
            return self.oracle.message(received), How.EDITED
        if same or not choice:
            return recorded, How.TAPE
        now = present_choice(received.conversation, choice)
        usual = present_choice(step.received[0].conversation, choice)
        if is_damaged(recorded, usual):
            return recorded, How.TAPE
        return with_what_followed(now, usual, recorded), How.EDITED

    def _edited(
        self, received: Heard, step: RecordedStep, finding: Finding | None
    ) -> Mapping[str, Any]:
        recorded = step.messages[min(received.turn.call, len(step.messages) - 1)]
        if received.role == "request":
            return self._requested(received, step, recorded, finding)
        asks = any(not ends_turn(name) for name, _ in read_calls(recorded))
        if asks or (finding is not None and finding.edit is None):
            # A tool that is asked for the date needs no input; words that nobody can read stay.
            return recorded
        right = self.oracle.content(received)
        if not isinstance(right, str):
            return recorded
        edit = edit_of(heard_in(step)[0], step.messages, self.oracle)
        now = _with_edit(received, right, edit)
        message = present(received.conversation, now)
        return in_the_form(step, recorded, message)

    def _requested(
        self,
        received: Heard,
        step: RecordedStep,
        recorded: Mapping[str, Any],
        finding: Finding | None,
    ) -> Mapping[str, Any]:
        """Make the recorded calls with the new address, or pass the new answer on."""
        calls = [args for name, args in read_calls(recorded) if name == HTTP_TOOL]
        before, url = heard_in(step)[0], received.url
        if calls and url is not None and before.url is not None:
            edits = [
                address_edit(
                    before,
                    before.url,
                    str(args.get("url", "")),
                    self.oracle,
                    to_the_letter=True,
                )
                for args in calls
            ]
            urls = [
                edit.apply(url, NO_WORDS)
                if edit
                else asked_alike(url, before.url, str(args.get("url", "")))
                for edit, args in zip(edits, calls, strict=True)
            ]
            made = [
                Call(HTTP_TOOL, {**args, "url": new}) for args, new in zip(calls, urls, strict=True)
            ]
            return present(received.conversation, made)
        if not received.tool_answers:
            return self.oracle.message(received) if finding is None else recorded
        given = before.tool_answers or step.received[-1].tool_answers
        if given and not _tells_again(last_text([recorded]), given[-1]):
            return recorded
        return self.oracle.message(received)

    def _given(self, received: Heard, content: str) -> Mapping[str, Any]:
        if received.role == "manager" and received.turn.duty == ROUTE:
            return present_choice(received.conversation, content.strip())
        if received.role == "time" and received.turn.call == 0:
            first = self.oracle.content(received)
            if first is not None and not isinstance(first, str):
                return present(received.conversation, first)
        if received.role == "request" and content.strip().startswith("/"):
            if received.tool_answers:
                return present(received.conversation, received.tool_answers[-1].strip())
            call = Call(HTTP_TOOL, {"method": "GET", "url": content.strip()})
            return present(received.conversation, (call,))
        return present(received.conversation, content)


def _with_edit(received: Heard, right: str, edit: ValuesEdit | AddressEdit | None) -> str:
    """Return a right content with a recorded edit applied."""
    if edit is None:
        return right
    frame = received.frame or Frame("", "", {})
    if isinstance(edit, AddressEdit):
        output = role_output("url", right) or {"url": right}
        return dump({"url": edit.apply(str(output["url"]), frame.slots)})
    key = {"time": "time_slots", "location": "place_slots"}[received.role]
    output = role_output(received.role, right) or {key: {}}
    return dump({key: edit.apply(output[key], frame.slots)})


def _tells_again(said: str, given: str) -> bool:
    """Whether a report holds the answer that a tool has given, as far as that can be read."""
    answer = next(iter(json_objects(given)), None)
    return given.strip() in said if answer is None else answer in list(json_objects(said))


_OUTPUTS = frozenset({"intent", "time", "location", "url"})
"""Roles whose whole answer is one JSON object."""

_EDITED = frozenset({"time", "location", "url"})
"""Roles whose answer follows from others' answers, value by value."""


def edit_of(
    given: Heard, messages: Sequence[Mapping[str, Any]], oracle: Oracle
) -> ValuesEdit | AddressEdit | None:
    """Return every difference between what a step said and what its contract demands.

    The match rules may forgive a difference that a server does not, so a step that keeps its
    contract by them can have an edit all the same.

    Args:
        given: what the role received.
        messages: what it said.
        oracle: the contracts of the task.

    Returns:
        The edit; None where the answer cannot be read, the contract is silent, or nothing differs.
    """
    if given.role not in _EDITED:
        return None
    output = role_output(given.role, last_text(messages))
    if output is None:
        return None
    if given.role == "url":
        right = oracle.url(given)
        if right is None:
            return None
        said = str(output["url"]).strip()
        return address_edit(given, right, said, oracle, to_the_letter=True) or None
    key = "time_slots" if given.role == "time" else "place_slots"
    values = oracle.times(given) if given.role == "time" else oracle.places(given)
    told, frame = text_slots(output[key]), oracle.frame(given)
    wrong = oracle.differing_values(frame.domain, values, told, to_the_letter=True)
    return values_edit(values, told, wrong, frame.slots) or None
