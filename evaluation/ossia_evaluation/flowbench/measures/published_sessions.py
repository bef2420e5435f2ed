r"""The published session-level measure, as its code computes it, defects included.

Calls are texts of the form `Action: NAME\nAction Input: {...}`, separated by an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ossia_evaluation.flowbench.measures.judging import (
    Crash,
    Judge,
    asking,
    given,
    match_parameters,
)
from ossia_evaluation.flowbench.measures.texts import loads, rooted_input

__all__ = ["Session", "Shares", "actions_of", "same_call", "score_session", "shares"]

_TRIES: Final = 10
_CALL: Final = re.compile(r"(Action: [^\n]++)\n(Action Input: [\s\S]+?)(?=\n\n|\nAction: |\Z)")
_NAME: Final = re.compile(r"Action: (?:functions\.)?(\w+)")
_GOALS: Final = re.compile(r"Total number of goals:\s+(\d+)")
_REACHED: Final = re.compile(r"Number of accomplished goals:\s+(\d+)")


@dataclass(frozen=True, slots=True)
class Session:
    """What one simulated session gets; the names are the published ones.

    Attributes:
        success_gpt: `1` or `0`, by the judge.
        progress_gpt: The share of goals reached, by the judge; may exceed 1.
        all_api_num_gt: The gold calls; 1 where there is none.
        all_api_num_pre: The session's calls; 1 where there is none.
        right_api_num: The gold calls that are equal to some call of the session.
        gen_actions_string: The session's calls.
    """

    success_gpt: str
    progress_gpt: float
    all_api_num_gt: int
    all_api_num_pre: int
    right_api_num: int
    gen_actions_string: str = ""


@dataclass(frozen=True, slots=True)
class Shares:
    """What the sessions of a file get, or those of all; the names are the published ones."""

    scenarios: str
    success_rate: float
    avg_progress: float
    tool_precision: float
    tool_recall: float


def score_session(
    dialog: str, gold: str, prompt: str, judge: Judge, *, names_bound: bool
) -> Session:
    """Score a session.

    Args:
        dialog: The conversation: each role with a colon, its words on the next lines.
        gold: The gold calls.
        prompt: The assistant's system prompt.
        judge: Is asked about the dialog first, then about parameters.
        names_bound: as for `same_call`.

    Raises:
        Crash: the published code ends with an error.
    """
    success, progress = _verdict(dialog, judge)
    written = actions_of(dialog)
    theirs, ours = gold.strip().split("\n\n"), written.strip().split("\n\n")
    right = sum(
        any(same_call(one, other, prompt, judge, names_bound=names_bound) for other in ours)
        for one in theirs
    )
    return Session(success, progress, len(theirs), len(ours), right, written)


def actions_of(dialog: str) -> str:
    """Return all calls of a dialog, whoever says them; parameters end at an empty line."""
    return "\n\n".join("\n".join(call) for call in _CALL.findall(dialog))


def _verdict(dialog: str, judge: Judge) -> tuple[str, float]:
    """Success and progress of the first reply in the wanted form, else of the last one."""
    for _ in range(_TRIES):
        reply = judge(dialog)
        first = reply.split("\n")[0]
        goals, reached = _GOALS.search(reply), _REACHED.search(reply)
        if first in ("Result: no", "Result: yes") and goals and reached:
            break
    try:
        of = int(goals.group(1)) if goals else 0
        done = int(reached.group(1)) if reached else 0
        progress = done / of if of else 0
    except (ValueError, OverflowError) as error:
        # More digits than Python reads, or than a number has.
        raise Crash(f"{type(error).__name__}: {error}") from None
    return "1" if first == "Result: yes" else "0", progress


def same_call(gold: str, predicted: str, prompt: str, judge: Judge, *, names_bound: bool) -> bool:
    """Return whether a predicted call is equal to a gold call.

    Args:
        gold: The gold call; a text without a call is one without name and parameters.
        predicted: The other.
        prompt: The assistant's system prompt.
        judge: Is asked where a gold text is not within the predicted one.
        names_bound: False as shipped: two names are used that are not defined, and the error is
            swallowed, so that calls with a text that is not empty are never equal. True with
            both defined.
    """
    tool = _name(gold)
    if tool.lower() != _name(predicted).lower():
        return False
    try:
        theirs = loads((rooted_input(gold) or "{}").lower())
        ours = loads((rooted_input(predicted) or "{}").lower())
        ask = asking(judge, tool, prompt)
        if not names_bound and any(isinstance(value, str) for value in given(theirs).values()):
            return False
        return match_parameters(theirs, ours, ask, to_the_end=False)
    except (Crash, ValueError, RecursionError):
        return False


def _name(call: str) -> str:
    found = _NAME.search(call)
    return found.group(1) if found else ""


def shares(files: Mapping[str, Sequence[Session]]) -> tuple[Shares, ...]:
    """Return what each file gets, and `All` last.

    A session that ended with an error is in no file, so that no share counts it.

    Raises:
        Crash: the calls of a file that holds sessions are none, or a success is no number.
    """
    every = [session for sessions in files.values() for session in sessions]
    try:
        return tuple(_shares(*each) for each in (*files.items(), ("All", every)))
    except (ArithmeticError, ValueError) as error:
        raise Crash(f"{type(error).__name__}: {error}") from None


def _shares(name: str, sessions: Sequence[Session]) -> Shares:
    if not sessions:
        return Shares(name, 0, 0, 0, 0)
    right = sum(session.right_api_num for session in sessions)
    return Shares(
        name,
        sum(int(session.success_gpt) for session in sessions) / len(sessions),
        sum(session.progress_gpt for session in sessions) / len(sessions),
        right / sum(session.all_api_num_pre for session in sessions),
        right / sum(session.all_api_num_gt for session in sessions),
    )
