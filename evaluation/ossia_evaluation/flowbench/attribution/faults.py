"""What a role did otherwise than is right, in edits and in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ossia_evaluation.attribution import Finding
from ossia_evaluation.flowbench.attribution.owed import Edits, Owed, Owing, same_call
from ossia_evaluation.flowbench.deviations import Cause
from ossia_evaluation.flowbench.goals import shown
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.trajectory import gold_call

__all__ = ["LOST", "Words", "decided", "finding_of", "passed_on", "told_facts", "without"]

LOST: Final = "lost memory"
"""The kind of a framework's fault; the others are causes of the grade."""

_NAMES: Final = 2

Tells = Callable[[str], bool]
"""Whether something tells a fact, `TOOL.FIELD`."""


@dataclass(frozen=True, slots=True)
class Words:
    """What counts as told in a turn.

    Attributes:
        tells: Whether the role's words tell a fact, `TOOL.FIELD`.
        later: The calls of later turns.
        asks_again: Whether the role's words ask again for one of some slots, by the argument.
        invented: Whether nobody has told an argument's value, and no call has found it out.
    """

    tells: Tells
    later: Sequence[Call]
    asks_again: Callable[[Mapping[str, str]], bool]
    invented: Callable[[Any], bool]


def decided(owing: Owing, owed: Owed, made: Sequence[tuple[Call, bool]], words: Words) -> Edits:
    """Return what somebody does otherwise who decides what comes next.

    Args:
        owing: What the roles owe.
        owed: What is owed in the turn.
        made: The calls that are made or named, and whether each was served.
        words: What is told in the turn.
    """
    left = list(made)
    missed, arguments = set[str](), dict[str, Mapping[str, Any]]()
    for _, call in owed.calls:
        same = [each for each in left if same_call(call, each[0])]
        like = same or [each for each in left if each[0].name == call.name]
        if like:
            left.remove(like[0])
        if not like and not any(same_call(call, each) for each in words.later):
            missed.add(call.name)
        elif like and not same:
            arguments[call.name] = difference(call, like[0][0])
    # With another value than the user should have told it is to be called, or asked for again.
    for tool, (number, call, lacking) in owed.otherwise.items():
        like = [each for each in left if each[0].name == tool]
        if like:
            left.remove(like[0])
            own = difference(call, like[0][0])
            arguments[tool] = {
                name: value
                for name, value in own.items()
                if name not in lacking or words.invented(value)
            }
        elif not words.asks_again(lacking) and not any(
            same_call(_filled(call, each, lacking), each) and not _is_another(owing, number, each)
            for each in words.later
        ):
            missed.add(tool)
    arguments = {tool: given for tool, given in arguments.items() if given}
    needless = tuple(call for call, served in left if served and _is_needless(owing, owed, call))
    missing = {fact.partition(".")[0] for fact in owed.facts} & missed
    untold = {
        fact
        for fact in owed.facts
        if fact.partition(".")[0] not in {*missing, *arguments} and not words.tells(fact)
    }
    return Edits(frozenset(missed), arguments, needless, frozenset(untold))


def _filled(call: Call, other: Call, names: Collection[str]) -> Call:
    """A call with some of another's arguments."""
    given = {name: value for name, value in (other.parameters or {}).items() if name in names}
    return Call(call.name, {**(call.parameters or {}), **given})


def _is_another(owing: Owing, number: int, call: Call) -> bool:
    """Whether a call is that of another step than of the one with a number."""
    own = owing.visits[number].call
    wanted = (each.call for each in owing.visits if each.call is not None and each.call != own)
    return any(same_call(gold_call(each), call) for each in wanted)


def _is_needless(owing: Owing, owed: Owed, call: Call) -> bool:
    tool = owing.tools.get(call.name)
    if tool is None or not tool.changes or call.name in owed.blocked:
        return False
    return not any(same_call(call, each) for each in owed.left)


def difference(call: Call, other: Call) -> dict[str, Any]:
    """Return the arguments of another call that differ; None for one that it leaves out."""
    ours, theirs = call.parameters or {}, other.parameters or {}
    return {
        name: theirs.get(name)
        for name in dict.fromkeys((*ours, *theirs))
        if not same_call(Call("", {name: ours.get(name)}), Call("", {name: theirs.get(name)}))
    }


def passed_on(
    planned: Sequence[Call], made: Sequence[tuple[Call, bool]], changing: Callable[[str], bool]
) -> Edits:
    """Return what a caller does otherwise than the planner has named.

    Args:
        planned: What the planner has named.
        made: The calls that were made, and whether each was served.
        changing: Whether a tool changes something.
    """
    left, missed = list(made), set[str]()
    arguments: dict[str, Mapping[str, Any]] = {}
    for call in planned:
        same = [each for each in left if same_call(call, each[0])]
        like = same or [each for each in left if each[0].name == call.name]
        if like:
            left.remove(like[0])
        if not like:
            missed.add(call.name)
        elif not same:
            arguments[call.name] = difference(call, like[0][0])
    needless = tuple(call for call, served in left if served and changing(call.name))
    return Edits(frozenset(missed), arguments, needless)


def told_facts(facts: Sequence[str], given: Tells, told: Tells) -> Edits:
    """Return the facts that a role was given and does not tell."""
    untold = (fact for fact in facts if given(fact) and not told(fact))
    return Edits(untold=frozenset(untold))


def finding_of(edits: Edits, lost: str, turn: int, asked: str) -> Finding:
    """Return how a step leaves its contract.

    Args:
        edits: What it does otherwise.
        lost: What the framework has lost; empty where a role is at fault.
        turn: The user's turn, from 0.
        asked: What it is to ask for.
    """
    kinds = list(_clauses(edits, asked))
    said = ", ".join(clause for _, clause, _ in kinds[:_NAMES])
    more = len(kinds) - _NAMES
    said += f" and {more} more" if more > 0 else ""
    meant = ", ".join(right for _, _, right in kinds[:_NAMES])
    kind = LOST if lost else kinds[0][0]
    fault = f"{lost}, and so it {said}" if lost else said
    remedy = f"with {'that given back' if lost else meant}"
    return Finding(said, meant, f"{fault} ({kind}, turn {turn + 1})", remedy, edit=edits)


def _clauses(edits: Edits, asked: str) -> Sequence[tuple[str, str, str]]:
    found = [
        (Cause.MISSED_CALL, f"did not call {tool}", f"{tool} called")
        for tool in sorted(edits.missed)
    ]
    for tool, given in sorted(edits.arguments.items()):
        said = ", ".join(f"{name} {_value(value)}" for name, value in given.items())
        found.append((Cause.WRONG_ARGUMENT, f"called {tool} with {said}", f"{tool} called rightly"))
    found += [
        (
            Cause.WRONG_TRANSITION,
            f"called {call.name}, which was not due",
            f"{call.name} not called",
        )
        for call in edits.needless
    ]
    found += [
        (Cause.FORGOTTEN_FACT, f"did not tell {fact}", f"{fact} told")
        for fact in sorted(edits.untold)
    ]
    if edits.mute:
        found.append((Cause.WRONG_TRANSITION, f"did not ask {asked}", f"the user asked {asked}"))
    found += [
        (Cause.WRONG_TRANSITION, f"passed over *{role}*", f"*{role}* asked")
        for role in sorted(edits.skipped)
    ]
    return [(str(kind), said, right) for kind, said, right in found]


def _value(value: Any) -> str:
    return "left out" if value is None else f"'{shown(value)[:60]}'"


def without(edits: Edits, lost: Edits) -> Edits:
    """Return the edits that are not lost ones."""
    return replace(
        edits,
        missed=edits.missed - lost.missed,
        arguments={
            tool: left
            for tool, given in edits.arguments.items()
            if (left := {n: v for n, v in given.items() if n not in lost.arguments.get(tool, {})})
        },
        needless=() if lost.needless else edits.needless,
        untold=edits.untold - lost.untold,
        mute=edits.mute and not lost.mute,
    )
