"""Sessions from seeded agendas, as many of each domain as published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import cycle, islice
from operator import itemgetter
from random import Random
from string import Template
from typing import Final

from pydantic import JsonValue

from ossia_dataset.flowbench.drafts import again
from ossia_dataset.flowbench.sessions import SUITE, Aside, AsideKind, SessionTask, Wish
from ossia_dataset.randomness import seeded_random
from ossia_dataset.tasks import DEFAULT_NOW, TaskError
from ossia_servers.flowbench.drafting import Draft, Taken, Way, WishDrafter, ways_of, words_of
from ossia_servers.flowbench.services import gold_service, scenarios
from ossia_servers.flowbench.walk import Visit, walk
from ossia_workflows.scenario import Scenario, own_scenarios, shipped_scenarios

__all__ = ["SHARES", "Share", "generate_own", "generate_sessions"]


@dataclass(frozen=True, slots=True)
class Share:
    """How many sessions of a domain go through one scenario, and how many across several."""

    single: int
    cross: int


SHARES: Final[Mapping[str, Share]] = {
    "Customer Service": Share(66, 48),
    "Personal Assistant": Share(59, 33),
    "E-tailing Recommendation": Share(21, 11),
    "Travel&Transportation": Share(78, 57),
    "Logistics Solutions": Share(38, 23),
    "Robotic Process Automation": Share(73, 29),
}
"""By domain, as published (arXiv 2406.14884, Table 8)."""

_MOST_TURNS: Final = {1: 15, 2: 20, 3: 20}
_AIMS: Final = {1: (9, 13), 2: (6, 10), 3: (5, 6)}
"""About how many turns one wish is to take, from and to, by the number of wishes."""
_MOST_ASIDES: Final = 3
_SHORT: Final = 8
"""Sessions of fewer turns have an aside in any case."""
_CHOSEN_FROM: Final = 4
"""Sessions are drafted so often each: that with most new ways, then the longest, is taken."""
_ATTEMPTS: Final = 60
_KEEN: Final = 12
"""Attempts that look for new ways; such a way alone may reach no goal, as nothing is told on it."""


def generate_sessions(seed: int) -> tuple[SessionTask, ...]:
    """Make the sessions of a seed, in the order of their domains."""
    taken: Taken = Counter()
    made: list[SessionTask] = []
    shipped = {name: scenarios()[name] for name in shipped_scenarios()}
    for field, share in SHARES.items():
        names = [name for name, found in shipped.items() if found.domain == field]
        roles = dict.fromkeys(scenarios()[name].role for name in names)
        numbers = Counter[str]()
        for name in islice(cycle(names), share.single):
            numbers[name] += 1
            made.append(_session(f"{name}-{numbers[name]:02}", (name,), seed, taken))
        for role in islice(cycle(roles), share.cross):
            numbers[role] += 1
            session = f"{role.replace('_', '-')}-cross-{numbers[role]:02}"
            own = [name for name in names if scenarios()[name].role == role]
            made.append(_session(session, _across(own, session, seed), seed, taken))
    return tuple(made)


def generate_own(seed: int, number: int) -> tuple[SessionTask, ...]:
    """Make so many sessions of each scenario of one's own, which go through it alone.

    Raises:
        TaskError: of one no session could be made that comes to an end and has a goal.
        ScenarioError: one cannot be played.
    """
    taken: Taken = Counter()
    names = [(name, each) for name in own_scenarios() for each in range(1, number + 1)]
    try:
        return tuple(_session(f"{name}-{each:02}", (name,), seed, taken) for name, each in names)
    except RuntimeError as error:
        raise TaskError(str(error)) from None


def _across(names: Sequence[str], session: str, seed: int) -> tuple[str, ...]:
    random = seeded_random(SUITE, seed, session)
    wanted = min(len(names), random.choice((2, 2, 3)))
    return tuple(random.sample(names, wanted))


def _session(session: str, names: Sequence[str], seed: int, taken: Taken) -> SessionTask:
    """A session that is walked to its end within the turns that it may have."""
    found: list[tuple[int, SessionTask, tuple[Way, ...]]] = []
    for attempt in range(_ATTEMPTS):
        known = taken if attempt < _KEEN else _all_taken()
        drafts = _Conversation(names, seeded_random(SUITE, seed, session, attempt), known)
        if not drafts.made or drafts.turns > _MOST_TURNS[len(names)]:
            continue
        made, ways = drafts.session(session), tuple(drafts.ways)
        visits = walk(made, scenarios(), gold_service(made))
        if [visit.step for visit in visits] == [way[1] for way in ways] and _has_goal(visits):
            new = sum(not taken[way] for way in set(ways))
            found.append((5 * new + drafts.turns, made, ways))
        if len(found) == _CHOSEN_FROM:
            break
    if not found:
        raise RuntimeError(f"no session {session} could be drafted in {_ATTEMPTS} attempts")
    _, best, ways = max(found, key=itemgetter(0))
    taken.update(ways)
    return best


@cache
def _all_taken() -> Taken:
    return Counter(way for name, each in scenarios().items() for way in ways_of(name, each))


def _has_goal(visits: Sequence[Visit]) -> bool:
    """Whether a gold run changes something, or tells the user what has words."""
    roles = {name: tool for each in scenarios().values() for name, tool in each.tools.items()}
    calls = [visit.call.tool for visit in visits if visit.call is not None]
    told = [value for visit in visits for value in visit.tells.values()]
    return any(roles[name].changes for name in calls) or any(
        not isinstance(value, bool) and value not in ("", []) for value in told
    )


class _Conversation:
    """The wishes of one session, with what the user has told already."""

    def __init__(self, names: Sequence[str], random: Random, taken: Taken) -> None:
        self._names = names
        self._random = random
        self._now = DEFAULT_NOW + timedelta(
            days=random.randrange(180), hours=random.randint(-2, 7), minutes=random.randrange(60)
        )
        self.made: list[Draft] = []
        self._openings: list[tuple[str, str | None]] = []
        told: dict[str, JsonValue] = {}
        for name in names:
            opening = self._opening(name)
            drafter = WishDrafter(name, scenarios()[name], random, self._now.date(), taken)
            slots = () if opening[1] is None else (opening[1],)
            draft = drafter.draft(told, slots, random.randint(*_AIMS[len(names)]))
            if draft is None:
                self.made.clear()
                return
            self.made.append(draft)
            self._openings.append(opening)
            told |= drafter.told
        self.turns = len(names) + sum(draft.turns for draft in self.made)

    @property
    def ways(self) -> list[Way]:
        """The ways of its scenarios that are taken, in order."""
        return [way for draft in self.made for way in draft.ways]

    def _opening(self, name: str) -> tuple[str, str | None]:
        """Words that name a wish, and the slot that they tell, if any."""
        words = words_of(name, scenarios()[name])
        if words.telling and self._random.random() < 0.25:
            slot = self._random.choice(sorted(words.telling))
            return self._random.choice(words.telling[slot]), slot
        return self._random.choice(words.openings), None

    def session(self, name: str) -> SessionTask:
        """Return the session, with asides where there is room."""
        scenario: Scenario = scenarios()[self._names[0]]
        wishes = tuple(self._wishes())
        made = SessionTask(
            id=name,
            suite=SUITE,
            utterance=wishes[0].words,
            seed=name,
            now=self._now,
            role=scenario.role,
            field=scenario.domain,
            wishes=(wishes[0].model_copy(update={"words": ""}), *wishes[1:]),
            answers=tuple(answer for draft in self.made for answer in draft.answers),
        )
        return made.model_copy(update={"asides": self._asides(made)})

    def _wishes(self) -> Iterator[Wish]:
        for name, draft, (opening, slot) in zip(
            self._names, self.made, self._openings, strict=True
        ):
            words = Template(opening).substitute({} if slot is None else draft.slots)
            further = name != self._names[0]
            yield Wish(
                scenario=name,
                slots=draft.slots,
                moves=tuple(draft.moves),
                words=f"{self._random.choice(again())} {words}" if further else words,
                told=() if slot is None else (slot,),
            )

    def _asides(self, session: SessionTask) -> tuple[Aside, ...]:
        """Turns without use before turns that lead on; who refuses is asked for something."""
        room = min(_MOST_ASIDES, _MOST_TURNS[len(self._names)] - self.turns)
        wanted = self._random.randint(int(self.turns < _SHORT), room) if room > 0 else 0
        visits = walk(session, scenarios(), gold_service(session))
        asked = {visit.turn for visit in visits if visit.asks}
        before = sorted(self._random.sample(range(1, self.turns), min(wanted, self.turns - 1)))
        found = []
        for shift, turn in enumerate(before):
            kinds = [kind for kind in AsideKind if kind is not AsideKind.REFUSES or turn in asked]
            found.append(Aside(turn=turn + shift, kind=self._random.choice(kinds)))
        return tuple(found)
