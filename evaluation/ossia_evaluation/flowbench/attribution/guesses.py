"""What calls show of the user's words: slots that were guessed, and values told in their place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ossia_evaluation.flowbench.attribution.owed import Owing, State, same_call
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.told import is_demanded
from ossia_evaluation.flowbench.trajectory import Made, gold_call
from ossia_servers.flowbench.spoken import says
from ossia_workflows.scenario.model import fits_value

__all__ = ["is_invented", "note_guesses"]


def note_guesses(
    owing: Owing,
    state: State,
    due: Sequence[int],
    named: Sequence[Call],
    tells: Callable[[str, Any], bool],
) -> None:
    """Note what was rightly called or told without being found out, and what the user told instead.

    Args:
        owing: What the roles owe; it is noted there.
        state: What has come about.
        due: The numbers of the steps that are due.
        named: The calls that are made or named in the turn.
        tells: Whether the words of the turn tell a fact, `TOOL.FIELD`, with a value.
    """
    for number in due:
        visit = owing.visits[number]
        if visit.call is None or number in state.done:
            continue
        for call in named:
            if call.name == visit.call.tool:
                _note_guess(owing, state, number, call)
    for number in range(due[0], len(owing.visits)) if due else ():
        for fact, value in _not_found_out(owing, state, number, named).items():
            source = owing.source(number, fact)
            called = {owing.source(at, fact) for at in due if (at, fact) in owing.guessed}
            told = source <= due[-1] and is_demanded(value) and tells(fact, value)
            if told or source in called:
                owing.guessed.add((number, fact))


def _not_found_out(
    owing: Owing, state: State, number: int, named: Sequence[Call]
) -> Mapping[str, Any]:
    """Return the facts that a step's call needs and that no call has found out, with the values."""
    call, found = owing.visits[number].call, dict[str, Any]()
    for name, fact in owing.bound(number).items() if call is not None else ():
        source = owing.source(number, fact) if "." in fact else -1
        finds = owing.visits[source].call if source >= 0 else None
        if call is None or finds is None or source in state.done:
            continue
        if not any(same_call(gold_call(finds), each) for each in named):
            found[fact] = call.arguments.get(name)
    return found


def _note_guess(owing: Owing, state: State, number: int, call: Call) -> None:
    visit, bound = owing.visits[number], owing.bound(number)
    assert visit.call is not None
    ours, theirs = gold_call(visit.call).parameters or {}, call.parameters or {}
    kinds = owing.tools[call.name].parameters
    for name, source in bound.items():
        value, slot = theirs.get(name), (visit.wish, source)
        if _same(ours, theirs, name):
            owing.guessed.add((number, source))
            continue
        # What the service cannot take is no value that the user told.
        if value is None or "." in source or not fits_value(value, kinds[name]):
            continue
        opposite = isinstance(value, bool) and slot in state.otherwise
        if owing.is_untold(slot, state) and (opposite or says(state.said, value)):
            owing.taken[number] = {**owing.taken.get(number, {}), name: value}


def _same(ours: Mapping[str, Any], theirs: Mapping[str, Any], name: str) -> bool:
    return same_call(Call("", {name: ours.get(name)}), Call("", {name: theirs.get(name)}))


def is_invented(value: Any, said: str, made: Sequence[Made]) -> bool:
    """Return whether nobody has told an argument's value, and no call has found it out.

    Only of numbers and of texts with a figure in them, such as a reference, since these are told to
    the letter; of a day or a time, as of words, it may be how the user's words were understood.

    Args:
        value: The value.
        said: All that the user has said.
        made: The calls that were made.
    """
    text = str(value)
    if isinstance(value, bool) or not any(sign.isdigit() for sign in text):
        return False
    if isinstance(value, list) or any(fits_value(value, kind) for kind in ("date", "time")):
        return False
    found = (json.dumps(each.result, ensure_ascii=False) for each in made if each.result)
    return not any(says(words, value) for words in (said, *found))
