"""Role contracts: what a correct agent answers, given the input it actually got.

Blaming against absolute gold would accuse the time role of a date that the intent role dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ossia_dataset.normalise import is_house_place, normalise_place, normalise_time_slots
from ossia_dataset.world_tasks import Gold, WorldTask
from ossia_evaluation.worlds.match import plain, same
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Field, Kind, Match
from ossia_workflows.assistant import PLACE_SLOTS, TIME_SLOTS

LENIENT_FIELDS = frozenset({"event_name", "list_name"})
"""Fields whose differences the published judge neglects (Auto-SLURP, judge prompts)."""

PERSON_FIELDS = frozenset({"person", "to_person", "from_person"})
"""Fields that the published judge takes for the same person."""


@dataclass(frozen=True)
class Frame:
    """What the intent role answered, or should have."""

    domain: str
    intent: str
    slots: Mapping[str, str]

    @classmethod
    def of(cls, gold: Gold) -> Frame:
        """The gold frame of a task."""
        return cls(gold.domain, gold.intent, gold.slots)


def unlike_intents(said: Frame, meant: Frame) -> str:
    """Return two differing intents in words: `calendar_set, expected alarm_set`.

    Domains are named where the intents alone are the same.
    """
    if said.intent != meant.intent:
        return f"{said.intent or 'no intent'}, expected {meant.intent}"
    other = f"{said.domain or 'no domain'} {said.intent}"
    return f"{other}, expected {meant.domain} {meant.intent}"


def expected_times(slots: Mapping[str, str], task: WorldTask) -> dict[str, str]:
    """Return the normal forms of the time slots that the time role received.

    Where the received slots are the gold ones, the task's own normal forms are the oracle.
    """
    received = {name: value for name, value in slots.items() if name in TIME_SLOTS}
    gold = {name: value for name, value in task.gold.slots.items() if name in TIME_SLOTS}
    if _plain(received) == _plain(gold):
        return dict(task.gold.time)
    return normalise_time_slots(received, task.now)


def expected_places(slots: Mapping[str, str], task: WorldTask) -> dict[str, str]:
    """Return the normal forms of the place slots that the location role received."""
    received = {name: value for name, value in slots.items() if name in PLACE_SLOTS}
    gold = {name: value for name, value in task.gold.slots.items() if name in PLACE_SLOTS}
    if _plain(received) == _plain(gold):
        return dict(task.gold.place)
    return {
        name: value if is_house_place(value) else normalise_place(value, task.home)
        for name, value in received.items()
    }


def expected_parameters(
    frame: Frame, times: Mapping[str, str], places: Mapping[str, str]
) -> dict[str, str]:
    """Return the parameters that the url role should build from what it received.

    Args:
        frame: the intent role's answer.
        times: the time role's answer; a time slot that it left out is left out.
        places: the location role's answer.
    """
    exact = {**times, **places}
    kept = {
        name: exact.get(name, value)
        for name, value in frame.slots.items()
        if name in exact or name not in TIME_SLOTS
    }
    return {**kept, **{name: value for name, value in exact.items() if name not in kept}}


def differing_parameters(
    domain: Domain | None,
    gold: Mapping[str, str],
    actual: Mapping[str, str],
    *,
    lenient: bool = True,
) -> tuple[str, ...]:
    """Return the names of parameters that differ.

    Args:
        domain: whose match rules hold; None compares as words.
        gold: the right parameters.
        actual: the parameters to be judged.
        lenient: whether the published judge's leniencies hold: differences of event and list
            names are neglected, `descriptor: all` and `query: song name` may be left out, one
            person field equals another (Auto-SLURP's judge prompts). Without them free text is
            compared word by word, too.
    """
    if lenient:
        actual = _person_aligned(gold, actual)
    wrong = []
    for name in dict.fromkeys([*gold, *actual]):
        if name == "intent":
            continue
        if lenient and (name in LENIENT_FIELDS or _may_be_left_out(name, gold, actual)):
            continue
        rule = _rule(domain, name)
        if rule is Match.FREE_TEXT and not lenient:
            rule = Match.CASEFOLD
        if name not in gold or name not in actual or not same(rule, gold[name], actual[name]):
            wrong.append(name)
    return tuple(wrong)


def differing_slots(
    domain: Domain | None, task: WorldTask, actual: Mapping[str, str], *, lenient: bool = True
) -> tuple[str, ...]:
    """Return the names of raw slots that differ from the gold slots.

    Times and places are compared by what they mean, so that "on friday" is "friday" and a part of
    the day may stand in either slot.

    Args:
        domain: the gold domain, for its match rules.
        task: the task with its gold slots and normal forms.
        actual: the slots to be judged.
        lenient: as for parameters.
    """
    gold = {**task.gold.slots, **task.gold.place}
    found = {**actual, **expected_places(actual, task)}
    others = differing_parameters(
        domain, _without_times(gold), _without_times(found), lenient=lenient
    )
    return (*others, *_differing_times(task, actual))


def _differing_times(task: WorldTask, actual: Mapping[str, str]) -> tuple[str, ...]:
    gold = task.gold.slots
    wanted, got = task.gold.time, expected_times(actual, task)
    if wanted == got and bool(TIME_SLOTS & gold.keys()) == bool(TIME_SLOTS & actual.keys()):
        return ()
    unlike = [
        name
        for name in dict.fromkeys([*gold, *actual])
        if name in TIME_SLOTS and plain(gold.get(name, "")) != plain(actual.get(name, ""))
    ]
    return tuple([name for name in unlike if wanted.get(name) != got.get(name)] or unlike)


def _without_times(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in TIME_SLOTS}


def _person_aligned(gold: Mapping[str, str], actual: Mapping[str, str]) -> Mapping[str, str]:
    """Call the one person of `actual` as `gold` calls it, where both have one of their own."""
    wanted = [name for name in gold if name in PERSON_FIELDS and name not in actual]
    given = [name for name in actual if name in PERSON_FIELDS and name not in gold]
    if len(wanted) != 1 or len(given) != 1:
        return actual
    return {wanted[0] if name == given[0] else name: value for name, value in actual.items()}


def _may_be_left_out(name: str, left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    if name in left and name in right:
        return False
    value = plain(left.get(name) or right.get(name) or "")
    return (name == "descriptor" and value == "all") or (name == "query" and value == "song name")


def _rule(domain: Domain | None, name: str) -> Match:
    declared: Field | None = domain.field(name) if domain is not None else None
    if declared is None:
        return Match.CASEFOLD
    if declared.rule is Match.IGNORABLE and declared.kind is Kind.TEXT:
        return Match.FREE_TEXT
    return declared.rule


def _plain(slots: Mapping[str, str]) -> dict[str, str]:
    return {name: plain(value) for name, value in slots.items()}
