"""A team, and a user, that play the gold run of a session but for planted faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_servers.flowbench.reports import Wanted, plan_text, request_of
from ossia_servers.flowbench.script import GoldTurn, gold_turns
from ossia_servers.flowbench.source import gold_run
from ossia_servers.flowbench.spoken import spoken
from ossia_servers.flowbench.user import AgendaUser, Place
from ossia_servers.flowbench.walk import Call
from ossia_servers.gateway.models import Completion, ModelCall, completion_of
from ossia_servers.trace import UserTurn
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.routing import present_choice
from ossia_servers.wire.talk import read_talk
from ossia_servers.wire.turns import staffing
from ossia_workflows.flowbench import (
    AGENT,
    CALLER,
    DIALOGUE,
    MANAGER,
    PLANNER,
    TeamKind,
    members_of,
    role_scenarios,
)
from ossia_workflows.scenario import Scenario
from ossia_workflows.scenario.model import slot_or_fact

FRAMEWORK: Final = "framework"
USER: Final = "user"
MISSED, ARGUMENT, TRANSITION, FACT, SILENT = (
    "missed call",
    "wrong argument",
    "wrong transition",
    "forgotten fact",
    "no question",
)
LOST, LEAVES, MUMBLES, MISTAKES, SKIPS = (
    "lost memory",
    "leaves",
    "mumbles",
    "tells another value",
    "skips",
)
KINDS: Final[Mapping[TeamKind, Mapping[str, Sequence[str]]]] = {
    TeamKind.AGENT: {
        AGENT: (MISSED, ARGUMENT, TRANSITION, FACT, SILENT),
        USER: (LEAVES, MUMBLES, MISTAKES),
    },
    TeamKind.TEAM: {
        PLANNER: (MISSED, ARGUMENT, TRANSITION, FACT, SILENT),
        CALLER: (MISSED, ARGUMENT),
        DIALOGUE: (FACT, SILENT),
        MANAGER: (SKIPS,),
        USER: (LEAVES, MUMBLES, MISTAKES),
    },
}
QUESTIONS: Final = ("Please tell me", "What would you like")
_MUMBLE: Final = "Hm, well."


@dataclass(frozen=True, eq=False)
class Planted:
    """A fault; each is another.

    Attributes:
        role: Who makes it.
        kind: What it does.
        turn: The gold run's turn in which it is made; of the user, the turn after which.
        about: The tool, the fact or the member that it is about.
        name: The argument that is another.
        value: Its value.
    """

    role: str
    kind: str
    turn: int
    about: str = ""
    name: str = ""
    value: JsonValue = None


def _is_same(one: JsonValue, other: JsonValue) -> bool:
    """Whether values are equal; to Python `1` is `True` as well."""
    return isinstance(one, bool) is isinstance(other, bool) and one == other


def _standing(place: Place) -> tuple[int, int, int, bool]:
    return place.wish, place.reached, place.left, place.is_aside


class Gold:
    """The gold run of a session."""

    def __init__(self, session: SessionTask) -> None:
        """Walk it."""
        self.session, self.scenarios = session, role_scenarios(session.role)
        self.visits = gold_run(session)
        self.turns = gold_turns(session, self.scenarios, self.visits)
        self.tools = {n: t for each in self.scenarios.values() for n, t in each.tools.items()}
        user, said = self.user(), list[UserTurn]()
        self.places = [user.place]
        for turn in self.turns:
            said.append(UserTurn(user=turn.user, answer=turn.answer))
            user.next_words(said)
            self.places.append(user.place)

    def user(self) -> AgendaUser:
        """Return the session's user."""
        return AgendaUser(self.session, self.scenarios, self.visits)

    def scenario(self, wish: int) -> Scenario:
        """Return the scenario of a wish."""
        return self.scenarios[self.session.wishes[wish].scenario]

    def sources(self, call: Call) -> Mapping[str, str | None]:
        """Return the slots and facts to which the arguments of one of its calls are bound."""
        visit = next(each for each in self.visits if each.call == call)
        arguments = self.scenario(visit.wish).steps[visit.step].arguments
        return {name: slot_or_fact(value) for name, value in arguments.items()}

    def turn_at(self, place: Place, after: int) -> int:
        """Return the gold turn in which the user is at a place, not before another."""
        wanted = _standing(place)
        later = (*range(after + 1, len(self.turns)), *range(after + 1))
        return next((at for at in later if _standing(self.places[at]) == wanted), after)


@dataclass
class Play:
    """One episode under way; it is the user as well.

    Attributes:
        gold: The gold run.
        faults: What is planted.
        traces: The faults that were made.
        known: The facts that calls have found out, or that were called or told without it. What
            is not among them cannot be forgotten, nor a call missed that needs it.
    """

    gold: Gold
    faults: Sequence[Planted]
    traces: set[Planted] = field(default_factory=set)
    known: set[tuple[str, str]] = field(default_factory=set)
    at: int = 0
    fresh: bool = True
    asked: dict[str, int] = field(default_factory=dict)
    seen: set[int] = field(default_factory=lambda: {0})

    def __post_init__(self) -> None:
        """Begin with the user's first words."""
        self._user = self.gold.user()
        self.last: Wanted | None = None
        self.worked: list[str] = []
        self._missed: dict[Planted, Call] = {}
        self._instead: list[tuple[str, JsonValue, JsonValue]] = []
        """Slots that the user should have told, their values, and what it told; None for none."""

    async def reply(self, turns: Sequence[UserTurn]) -> str | None:
        """Return what the user says next."""
        words, before = self._user.next_words(turns), self.at
        mine = [each for each in self.faults if each.role == USER and each.turn == before]
        self.asked.clear()
        self.worked.clear()
        self.last = None
        if words is not None:
            self.at = self.gold.turn_at(self._user.place, before)
            self.fresh = self.at not in self.seen
            self.seen.add(self.at)
        for fault in mine:
            words = self._otherwise(fault, words)
        return words

    def _otherwise(self, fault: Planted, words: str | None) -> str | None:
        if words is None or fault in self.traces:
            return words
        changed: str | None = None
        if fault.kind == MUMBLES:
            changed = _MUMBLE
        elif fault.kind == MISTAKES:
            changed = self._mistaken(fault, words)
        if fault.kind == MUMBLES:
            self._instead += [(slot, value, None) for slot, value in self._user.place.slots.items()]
        if changed != words:
            self.traces.add(fault)
        return changed

    def _mistaken(self, fault: Planted, words: str) -> str:
        """What the user says, with another value for one slot."""
        place = self._user.place
        if fault.name not in place.slots:
            return words
        old = place.slots[fault.name]
        self._instead.append((fault.name, old, fault.value))
        if words == spoken(old):
            return spoken(fault.value)
        about = self.gold.scenario(place.wish).slots[fault.name].about
        begin = f"{about[:1].upper()}{about[1:]}: "
        return words.replace(begin + spoken(old), begin + spoken(fault.value))

    def mine(self, role: str, *kinds: str) -> list[Planted]:
        """Return the faults of a role in this turn, if it comes for the first time."""
        if not self.fresh:
            return []
        return [
            each
            for each in self.faults
            if each.role == role and each.turn == self.at and each.kind in kinds
        ]

    def program(self, role: str, shown: str) -> list[Wanted]:
        """Return the calls and the words of the agent or the planner in this turn."""
        turn = self.gold.turns[self.at]
        calls: list[Wanted] = []
        for call in turn.calls if self.fresh else ():
            calls += self._made(role, call, shown)
        for fault in self.mine(role, TRANSITION):
            self.traces.add(fault)
            calls.append(Wanted(tool=fault.about, arguments=fault.value))  # type: ignore[arg-type]
        return [*calls, Wanted(words=self.words(role, turn, turn.answer))]

    def _made(self, role: str, call: Call, shown: str) -> list[Wanted]:
        given, sources = dict(call.arguments), self.gold.sources(call)
        for slot, old, new in self._instead:
            instead = {n for n, v in given.items() if sources[n] == slot and _is_same(v, old)}
            if instead and new is None:
                return []
            given |= dict.fromkeys(instead, new)
        for fault in self.mine(role, MISSED, ARGUMENT, LOST):
            if fault.about != call.tool:
                continue
            if fault.kind == MISSED:
                self._missed[fault] = call
                return []
            if fault.kind == ARGUMENT or spoken(given[fault.name]) not in shown:
                # Where the user has told just that value, the call is as it would be without it.
                if not _is_same(given[fault.name], fault.value):
                    self.traces.add(fault)
                given[fault.name] = fault.value
        bound = {
            name: source for name, source in sources.items() if given[name] == call.arguments[name]
        }
        self.known.update(_facts(call, bound))
        return [Wanted(tool=call.tool, arguments=given)]

    def called(self, tool: str, arguments: Mapping[str, JsonValue]) -> None:
        """Note that a call was made: with right arguments it finds out what the gold run's does."""
        for turn in self.gold.turns:
            for call in turn.calls:
                if call.tool == tool and call.arguments == arguments:
                    found = call.result.items()
                    self.known.update((f"{tool}.{name}", repr(value)) for name, value in found)

    def told(self, role: str) -> None:
        """Note that a role has ended its turn with words: what they tell is known."""
        forgotten = {fault.about for fault in self.mine(role, FACT)}
        facts = self.gold.turns[self.at].tells.items()
        self.known.update((fact, repr(value)) for fact, value in facts if fact not in forgotten)
        for fault, call in self._missed.items():
            if self.known.issuperset(_facts(call, self.gold.sources(call))):
                self.traces.add(fault)
        self._missed.clear()

    def words(self, role: str, turn: GoldTurn, words: str) -> str:
        """Return the words of a role with its faults in them."""
        for fault in self.mine(role, FACT, SILENT):
            if fault.kind == FACT:
                name = fault.about.partition(".")[2].replace("_", " ")
                said = f"{name}: {fault.value}"
                changed = words.replace(f", {said}", "").replace(f"{said}, ", "")
                changed = changed.replace(f"{said}.", "")
            else:
                kept = words
                for question in QUESTIONS:
                    kept = kept.partition(question)[0]
                changed = kept.strip() or "All right."
            told = {(fault.about, repr(turn.tells[fault.about]))} if fault.kind == FACT else set()
            if changed != words and told <= self.known:
                self.traces.add(fault)
            words = changed
        return words


def _facts(call: Call, sources: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """The facts to which arguments of a call are bound, with their values."""
    for name, source in sources.items():
        if source is not None and "." in source:
            yield source, repr(call.arguments[name])


class FaultyTeam:
    """Plays the team of an episode with its faults."""

    name = "faulty"

    def __init__(self, kind: TeamKind) -> None:
        """Take how the work is shared out."""
        self._members = members_of(kind)
        self.plays: dict[str, Play] = {}

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked."""
        play, role = self.plays[call.episode], call.role
        asked = read_conversation(call.request, self._members)
        if role == MANAGER:
            return completion_of(self._manage(play, asked))
        if not play.worked or play.worked[-1] != role:
            play.worked.append(role)
        number = play.asked.get(role, 0)
        play.asked[role] = number + 1
        if role in (AGENT, PLANNER):
            program = play.program(role, asked.said)
            wanted = play.last = program[min(number, len(program) - 1)]
            if not wanted.tool:
                play.told(role)
            if role == PLANNER:
                return completion_of(present(asked, plan_text(wanted)))
            return completion_of(present(asked, self._acted(play, wanted)))
        if role == CALLER:
            return completion_of(present(asked, self._called(play, asked)))
        last = play.last.words if play.last is not None else ""
        turn = play.gold.turns[play.at]
        return completion_of(present(asked, play.words(role, turn, last) or "All right."))

    def _acted(self, play: Play, wanted: Wanted) -> Any:
        if not wanted.tool:
            return wanted.words
        play.called(wanted.tool, wanted.arguments)
        return (request_of(play.gold.session.role, wanted.tool, wanted.arguments),)

    def _called(self, play: Play, asked: Any) -> Any:
        """The planned call, once; and then a report of it."""
        wanted, play.last = play.last, None
        if wanted is None or not wanted.tool:
            return self._report(asked)
        given = dict(wanted.arguments)
        for fault in play.mine(CALLER, MISSED, ARGUMENT):
            if fault.about == wanted.tool:
                if fault.kind == MISSED or not _is_same(given.get(fault.name), fault.value):
                    play.traces.add(fault)
                if fault.kind == MISSED:
                    return "It is done."
                given[fault.name] = fault.value
        play.called(wanted.tool, given)
        return (request_of(play.gold.session.role, wanted.tool, given),)

    def _report(self, asked: Any) -> str:
        made = [each for turn in read_talk(asked)[-1:] for each in turn.calls]
        return f"The service has answered: {made[-1].answer}" if made else "No call is needed."

    def _manage(self, play: Play, asked: Any) -> Mapping[str, Any]:
        skipped = {fault.about for fault in play.mine(MANAGER, SKIPS)}
        play.traces |= set(play.mine(MANAGER, SKIPS))
        order = [*(PLANNER, CALLER) * 3, PLANNER, DIALOGUE]
        staffed = staffing(asked, [role for role in order if role not in skipped])
        if staffed is not None:
            return staffed
        last = play.worked[-1] if play.worked else ""
        choice: str | None = PLANNER
        if last == DIALOGUE:
            choice = None
        elif last == PLANNER:
            choice = CALLER if play.last is not None and play.last.tool else DIALOGUE
        if choice == CALLER and CALLER in skipped:
            choice = PLANNER
        if choice == DIALOGUE and DIALOGUE in skipped:
            choice = None
        words = play.last.words if play.last is not None else ""
        task = "It is your turn."
        return present_choice(asked, choice, task=task, answer=words or "All right.")
