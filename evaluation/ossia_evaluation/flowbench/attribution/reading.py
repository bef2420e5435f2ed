"""Reading an episode of a session: each role's part of each turn, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ossia_evaluation.attribution import (
    Finding,
    Received,
    RecordedStep,
    Recording,
    TalkTurns,
)
from ossia_evaluation.attribution.cuts import Cut, read_cuts
from ossia_evaluation.attribution.recording import recorded_step
from ossia_evaluation.flowbench.attribution.asking import Asking
from ossia_evaluation.flowbench.attribution.course import Course, Stage
from ossia_evaluation.flowbench.attribution.faults import (
    Words,
    decided,
    finding_of,
    passed_on,
    told_facts,
    without,
)
from ossia_evaluation.flowbench.attribution.guesses import is_invented, note_guesses
from ossia_evaluation.flowbench.attribution.losses import Losses
from ossia_evaluation.flowbench.attribution.owed import Edits, Owed, Owing, State
from ossia_evaluation.flowbench.attribution.turn_log import (
    DECIDERS,
    TurnLog,
    planned_call,
    plans_in,
)
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.trajectory import Made, trajectory_of
from ossia_servers.flowbench.asked import is_asking
from ossia_servers.trace import PlayedTurn, Trace
from ossia_workflows.flowbench import CALLER, DIALOGUE, MANAGER, PLANNER

__all__ = ["FRAMEWORK", "USER", "Heard", "Read", "loss_of", "read_session"]

FRAMEWORK: Final = "framework"
USER: Final = "user"


@dataclass(frozen=True, slots=True)
class Heard:
    """What the user did in place of what its session has.

    Attributes:
        words: What it said; None where it left.
        deaf: Whether it did not take in what it was asked.
    """

    words: str | None
    deaf: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """A recorded episode.

    Attributes:
        recording: Its steps.
        blind: The stages in which nobody knows what is right, since the user did otherwise.
    """

    recording: Recording
    blind: frozenset[str]


def loss_of(role: str, stage: str) -> str:
    """Return the name of what a framework does not pass on, which can be repaired like a step."""
    return f"{FRAMEWORK}@{role}>{stage}"


def read_session(owing: Owing, members: Sequence[str], trace: Trace) -> Read:
    """Read an episode into steps and judge each.

    Args:
        owing: What the roles owe; what the episode shows of the user's words is noted in it.
        members: The members of the team.
        trace: The episode.
    """
    return _Reader(owing, members, trace).read()


@dataclass
class _Turn:
    """One turn under way."""

    number: int
    stage: Stage
    owed: Owed
    words: str
    made: Sequence[Made]
    steps: dict[str, RecordedStep] = field(default_factory=dict)
    stalled: bool = False
    heard: bool = False
    found: bool = False


class _Reader:
    def __init__(self, owing: Owing, members: Sequence[str], trace: Trace) -> None:
        self._owing, self._trace = owing, trace
        self._asking = Asking(owing)
        self._course = Course(owing.session, owing.golds)
        self._done = trajectory_of(trace, owing.tools)
        self._tells = owing.golds.tells(owing.session)
        self._turns = TalkTurns(members)
        self._members = members
        self._state = State()
        self._steps: list[RecordedStep] = []
        self._findings: dict[str, Finding] = {}
        self._cuts: list[Cut] = []
        self._blind: set[str] = set()
        self._losses = Losses(owing, trace.turns)

    def read(self) -> Read:
        begin = 0
        turns = self._trace.turns
        self._hear_opening()
        for number, turn in enumerate(turns):
            last = number == len(turns) - 1
            end = None if last else begin + turn.calls
            self._read_turn(number, turn, self._slice(begin, end))
            begin += turn.calls
        recording = Recording(tuple(self._steps), self._findings, tuple(self._cuts))
        return Read(recording, frozenset(self._blind))

    def _slice(self, begin: int, end: int | None) -> Trace:
        exchanges = self._trace.gateway.exchanges[begin:end]
        gateway = self._trace.gateway.model_copy(update={"exchanges": exchanges})
        return self._trace.model_copy(update={"gateway": gateway})

    def _hear_opening(self) -> None:
        for slot in self._owing.session.wishes[0].told:
            self._losses.told[(0, slot)] = 0

    def _read_turn(self, number: int, turn: PlayedTurn, part: Trace) -> None:
        stage = self._course.stage
        self._losses.begins.setdefault(stage.place.wish, number)
        self._state.said += f"\n{turn.user}"
        made = [each for each in self._done.calls if each.turn == number]
        self._turns.begin(stage.name)
        self._cuts += read_cuts(part, Received, _fresh(self._members, stage.name))
        self._note_guesses(stage, turn.answer, part, made)
        owed = self._owing.of(stage, self._state)
        now = _Turn(number, stage, owed, turn.answer, made)
        self._read_steps(now, part)
        for each in made:
            if each.result is not None:
                done = self._owing.take(each.call, self._state)
                if done is not None:
                    self._losses.found[done] = number
        self._hear(now)

    def _read_steps(self, now: _Turn, part: Trace) -> None:
        log = TurnLog(now.owed)
        calls: dict[str, list[tuple[Received, Mapping[str, Any]]]] = {}
        keys: dict[str, list[str]] = {}
        for exchange in part.gateway.exchanges:
            if exchange.response is None:
                continue
            received = Received.of(exchange.role, exchange.request, self._turns)
            calls.setdefault(exchange.role, []).append((received, exchange.response))
            keys.setdefault(exchange.role, []).append(log.key(exchange.role))
            log.add(exchange.role, exchange.response, self._owing.tools)
        for role, found in calls.items():
            step = recorded_step(found, keys[role])
            now.steps[role] = _at(step, len(self._steps))
            self._steps.append(now.steps[role])

    def _note_guesses(self, stage: Stage, answer: str, part: Trace, made: Sequence[Made]) -> None:
        """Note what was known without being found out, and what the user told instead."""
        named = [each.call for each in made]
        words = "" if PLANNER in self._members else answer
        for exchange in part.gateway.exchanges:
            if exchange.response is not None and exchange.role == PLANNER:
                plans = plans_in([exchange.response])
                named += [planned_call(each, self._owing.tools) for each in plans if each.tool]
                words += "".join(f"\n{each.words}" for each in plans)

        def tells(fact: str, value: Any) -> bool:
            return self._tells(words, fact, value)

        note_guesses(self._owing, self._state, stage.due, named, tells)

    # The user.

    def _hear(self, now: _Turn) -> None:
        """Hear what the user says next, judge the turn by it, and then the user."""
        turns, number, stage = self._trace.turns, now.number, now.stage
        visits, before = self._owing.visits, stage.place
        scripted = self._course.hear(turns[: number + 1])
        after = self._course.stage.place
        over = before.reached == len(visits) and not before.left
        came = (after.wish, after.left) != (before.wish, before.left)
        went_on = came or (scripted is not None and (bool(after.slots) or after.is_aside))
        now.stalled = not over and not went_on
        now.heard = went_on and not after.is_aside
        if stage.name in self._blind and (self._is_as_owed(now) or self._is_taken_up(now)):
            self._blind.discard(stage.name)
        if stage.name not in self._blind:
            self._judge(now)
        if number == len(turns) - 1 and self._trace.ending.kind != "answered":
            return
        actual = turns[number + 1].user if number + 1 < len(turns) else None
        if scripted is not None:
            for slot in after.slots:
                self._losses.told[(after.wish, slot)] = number + 1
            for slot in self._owing.session.wishes[after.wish].told:
                self._losses.told.setdefault((after.wish, slot), number + 1)
        if actual is not None and actual == scripted:
            self._owing.hear(after, actual, self._state)
        if actual != scripted:
            self._deviates(now, scripted, actual)
        elif now.stalled and not now.found and stage.name not in self._blind:
            self._deaf(now, actual)

    def _deviates(self, now: _Turn, scripted: str | None, actual: str | None) -> None:
        if scripted is None:
            self._course.linger()
        following = self._course.stage
        known = actual is None or scripted is None
        if not known and not self._owing.hear(
            following.place, actual or "", self._state, meant=scripted or ""
        ):
            self._blind.add(following.name)
        said, meant = actual or "nothing", scripted or "nothing"
        fault = "left" if actual is None else f"said '{_short(said)}'"
        where = f"where it had to say '{_short(meant)}'" if scripted else "after all was done"
        heard = Heard(actual)
        self._user_finding(
            now,
            Finding(
                said,
                meant,
                f"{fault} {where} (user, turn {now.number + 2})",
                f"with '{_short(meant)}'",
                edit=heard,
            ),
        )

    def _deaf(self, now: _Turn, actual: str | None) -> None:
        fault = f"did not take in what it was asked (user, turn {now.number + 2})"
        said = actual or "nothing"
        heard = Heard(actual, deaf=True)
        self._user_finding(now, Finding(said, "an answer", fault, "with an answer", edit=heard))

    def _user_finding(self, now: _Turn, finding: Finding) -> None:
        situation = f"{USER}@{now.stage.name}"
        words = {"role": "assistant", "content": finding.said}
        step = RecordedStep(len(self._steps), situation, USER, (), ("",), (words,))
        self._steps.append(step)
        self._findings[situation] = finding

    # The roles.

    def _is_as_owed(self, now: _Turn) -> bool:
        """Whether all is done that is owed by the session, whatever the user has said."""
        edits = (self._edits(now, role, step) for role, step in now.steps.items())
        return not any(replace(each, needless=()) for each in edits)

    def _is_taken_up(self, now: _Turn) -> bool:
        """Whether somebody goes on as if the user had said what its session has.

        Then the turn owes the rest as well; else to do nothing may be right.
        """
        calls = {call.name for _, call in now.owed.calls}
        return any(
            bool(calls - edits.missed) if calls else bool(now.owed.facts.keys() - edits.untold)
            for role, step in now.steps.items()
            if role in DECIDERS
            for edits in (self._decider(now, role, step),)
        )

    def _judge(self, now: _Turn) -> None:
        for role, step in now.steps.items():
            edits = self._edits(now, role, step)
            if not edits:
                continue
            now.found = True
            if role in DECIDERS:
                wish = now.stage.place.wish
                found = self._losses.of_decider(step, edits, now.owed, wish, now.number)
            else:
                found = self._losses.of_member(step, edits, now.steps.get(PLANNER))
            lost, why = found
            own = without(edits, lost)
            asked = self._asking.asked(now.stage)
            if own:
                self._findings[step.situation] = finding_of(own, "", now.number, asked)
            if lost:
                loss = loss_of(role, now.stage.name)
                self._steps.append(RecordedStep(len(self._steps), loss, FRAMEWORK, (), (), ()))
                self._findings[loss] = finding_of(lost, why, now.number, asked)

    def _edits(self, now: _Turn, role: str, step: RecordedStep) -> Edits:
        if role in DECIDERS:
            return self._decider(now, role, step)
        planner = now.steps.get(PLANNER)
        plans = [] if planner is None else plans_in(planner.messages)
        named = [planned_call(each, self._owing.tools) for each in plans if each.tool]
        if role == CALLER:
            made = [(each.call, each.result is not None) for each in now.made]
            return passed_on(named, made, lambda name: self._changes(name))
        words = next((each.words for each in reversed(plans) if each.words), "")
        if role == DIALOGUE:
            edits = told_facts(
                tuple(now.owed.facts), self._telling(now, words), self._telling(now, now.words)
            )
            mute = (
                not now.heard and self._asking.asks(now.stage, words) and not is_asking(now.words)
            )
            return edits + Edits(mute=mute)
        if role == MANAGER:
            return self._led(now, step, named, words)
        return Edits()

    def _led(self, now: _Turn, step: RecordedStep, named: Sequence[Call], words: str) -> Edits:
        wanted = [PLANNER, *([CALLER] if named else []), *([DIALOGUE] if words else [])]
        if self._trace.ending.kind != "answered" and now.number == len(self._trace.turns) - 1:
            return Edits()
        return Edits(skipped=frozenset(role for role in wanted if role not in now.steps))

    def _decider(self, now: _Turn, role: str, step: RecordedStep) -> Edits:
        made = [(each.call, each.result is not None) for each in now.made]
        words = now.words
        if role == PLANNER:
            plans = plans_in(step.messages)
            made = [(planned_call(each, self._owing.tools), True) for each in plans if each.tool]
            words = next((each.words for each in reversed(plans) if each.words), "")
        later = [each.call for each in self._done.calls if each.turn > now.number]
        told = Words(
            self._telling(now, words, later=True),
            later,
            lambda lacking: self._asking.asks_again(now.stage, words, {*lacking.values()}),
            lambda value: is_invented(value, self._state.said, self._done.calls),
        )
        edits = decided(self._owing, now.owed, made, told)
        mute = (
            not now.heard
            and self._asking.waits(now.stage)
            and not self._asking.asks(now.stage, words)
        )
        return edits + Edits(mute=mute)

    def _telling(self, now: _Turn, words: str, *, later: bool = False) -> Any:
        answers = [words]
        if later:
            answers += [turn.answer for turn in self._trace.turns[now.number + 1 :]]

        def tells(fact: str) -> bool:
            value = now.owed.facts[fact]
            return any(self._tells(answer, fact, value) for answer in answers)

        return tells

    def _changes(self, name: str) -> bool:
        tool = self._owing.tools.get(name)
        return tool is not None and tool.changes


def _fresh(members: Sequence[str], stage: str) -> TalkTurns:
    turns = TalkTurns(members)
    turns.begin(stage)
    return turns


def _at(step: RecordedStep, index: int) -> RecordedStep:
    return RecordedStep(index, step.situation, step.role, step.received, step.keys, step.messages)


def _short(words: str) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}..."
