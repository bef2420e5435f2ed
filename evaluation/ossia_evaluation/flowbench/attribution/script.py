"""The script of a session's replay: some steps put right, all others as they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ossia_evaluation.attribution import RecordedStep, Repair, TalkTurns
from ossia_evaluation.attribution.cuts import CutTape
from ossia_evaluation.attribution.received import Received
from ossia_evaluation.flowbench.attribution.course import Course
from ossia_evaluation.flowbench.attribution.owed import Edits, Owing, State
from ossia_evaluation.flowbench.attribution.reading import USER, Heard, Read, loss_of
from ossia_evaluation.flowbench.attribution.turn_log import DECIDERS, TurnLog
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_servers.flowbench.asked import is_asking, sentences
from ossia_servers.flowbench.parts import call_as_planned, lead, words_as_planned
from ossia_servers.flowbench.reports import plan_text, request_of
from ossia_servers.trace import UserTurn
from ossia_servers.wire import calls as wire
from ossia_servers.wire.envelope import present
from ossia_servers.wire.talk import read_talk
from ossia_workflows.flowbench import AGENT, CALLER, DIALOGUE, MANAGER

__all__ = ["SessionScript"]


class SessionScript:
    """Answers the model calls of one replay and says what the user says; made anew for each.

    A step that is put right does what is owed at that point. One that builds on what it built on is
    repeated byte for byte; about something else it does what is owed with its own edits. The user
    follows its session, but for a step of its own that is not put right.
    """

    def __init__(self, owing: Owing, members: Sequence[str], read: Read, repair: Repair) -> None:
        """Begin a replay.

        Args:
            owing: What the roles owe.
            members: The members of the team.
            read: The episode that is replayed.
            repair: Which steps are put right.
        """
        self._owing, self._members, self._read, self._repair = owing, members, read, repair
        self._steps = read.recording.by_situation
        self._course = Course(owing.session, owing.golds)
        self._turns = TalkTurns(members)
        self._cuts = CutTape(read.recording.cuts, repair.covers, Received)
        self._state = State(said=owing.session.utterance)
        self._changed: set[str] = set()
        self._imputed: dict[str, None] = {}
        self._blind = False
        self._begin()

    @property
    def imputed(self) -> tuple[str, ...]:
        """The moments that were answered rightly although nothing was recorded of them."""
        return tuple(self._imputed)

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the assistant's message for the next call of the replay.

        Raises:
            RequestRefused: the recorded call got no answer either.
        """
        self._cuts.check(role, request, self._turns)
        received = Received.of(role, request, self._turns)
        situation = received.turn.situation
        step = self._steps.get(situation)
        repaired = self._repair.covers(situation)
        if step is None and not repaired:
            self._imputed[situation] = None
        loss = loss_of(role, self._course.stage.name)
        given_back = loss in self._steps and self._repair.covers(loss)
        if self._is_as_recorded(received, step, altered=repaired or given_back):
            assert step is not None
            message = step.messages[received.turn.call]
        else:
            own = Edits() if repaired else self._edits(situation)
            lost = Edits() if given_back else self._edits(loss)
            message = self._made(received, own + lost)
        for call in self._log.add(role, message, self._owing.tools):
            self._owing.take(call, self._state)
        return message

    async def reply(self, turns: Sequence[UserTurn]) -> str | None:
        """Return what the user says next, or None at the end of the conversation."""
        stage = self._course.stage
        situation = f"{USER}@{stage.name}"
        finding = self._read.recording.findings.get(situation)
        heard = None if finding is None or self._repair.covers(situation) else finding.edit
        told = [*turns]
        if heard is None and finding is not None and getattr(finding.edit, "deaf", False):
            right = self._owing.words(stage, self._log.owed, Edits())
            last = turns[-1]
            told[-1] = UserTurn(user=last.user, answer=f"{last.answer} {right}")
        words = meant = self._course.hear(told)
        self._blind = False
        if isinstance(heard, Heard) and not heard.deaf:
            words = self._said_otherwise(words, heard.words)
        if words is not None:
            place = self._course.stage.place
            self._owing.hear(place, words, self._state, meant=meant or "")
            self._state.said += f"\n{words}"
            self._begin()
        return words

    def _said_otherwise(self, scripted: str | None, words: str | None) -> str | None:
        if words is None:
            return None
        if scripted is None:
            self._course.linger()
        following = self._course.stage
        self._blind = following.name in self._read.blind
        return words

    def _begin(self) -> None:
        """Begin the user's next turn."""
        stage = self._course.stage
        self._turns.begin(stage.name)
        self._log = TurnLog(self._owing.of(stage, self._state))

    def _edits(self, situation: str) -> Edits:
        finding = self._read.recording.findings.get(situation)
        return finding.edit if finding is not None and isinstance(finding.edit, Edits) else Edits()

    def _is_as_recorded(
        self, received: Received, step: RecordedStep | None, *, altered: bool
    ) -> bool:
        """Whether the next answer is the recorded one."""
        if step is None or received.turn.call >= len(step.messages):
            return False
        if self._blind:
            return True
        key = self._log.key(received.role)
        if altered or key != step.keys[received.turn.call]:
            self._changed.add(step.situation)
        return step.situation not in self._changed

    def _made(self, received: Received, edits: Edits) -> Mapping[str, Any]:
        role, asked = received.role, received.conversation
        service = self._owing.session.role
        if role in DECIDERS:
            program = self._owing.program(self._course.stage, self._log.owed, edits)
            wanted = program[min(received.turn.call, len(program) - 1)]
            if role != AGENT:
                return present(asked, plan_text(wanted))
            if wanted.tool:
                return present(asked, (request_of(service, wanted.tool, wanted.arguments),))
            return present(asked, wanted.words)
        talk = read_talk(asked)
        if role == MANAGER:
            return lead(asked, talk, self._members, edits.skipped)
        if role == CALLER:
            content = call_as_planned(asked, talk, service)
            return present(asked, content if isinstance(content, str) else self._call(edits))
        words = words_as_planned(talk) if role == DIALOGUE else ""
        return present(asked, self._shortened(words, edits))

    def _call(self, edits: Edits) -> str | tuple[wire.Call, ...]:
        """The call that the planner has named, as the caller makes it."""
        wanted = self._log.planned[-1] if self._log.planned else None
        if wanted is None or not wanted.tool:
            return "No call is needed."
        made = edits.call(Call(wanted.tool, wanted.arguments))
        if made is None:
            return "No call is needed."
        return (request_of(self._owing.session.role, made.name, made.parameters or {}),)

    def _shortened(self, words: str, edits: Edits) -> str:
        """Words without the sentences that tell what is not told, or that ask."""
        tells, facts = self._owing.golds.tells(self._owing.session), self._log.owed.facts

        def stays(sentence: str) -> bool:
            if edits.mute and is_asking(sentence):
                return False
            told = (fact for fact in edits.untold if fact in facts)
            return not any(tells(sentence, fact, facts[fact]) for fact in told)

        return " ".join(each for each in sentences(words) if stays(each))
