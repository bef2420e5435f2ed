"""The published turn-level measure, as its code computes it, defects included.

What it gets wrong is kept, since its figures are to be compared; `corrected` is the measure to use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ossia_evaluation.flowbench.measures.judging import (
    Crash,
    Judge,
    alike,
    asking,
    match_parameters,
)
from ossia_evaluation.flowbench.measures.texts import (
    balanced_input,
    first_action,
    first_input,
    loads,
)

__all__ = ["FAILED", "Counters", "Figures", "Sample", "Turn", "Turns", "score_turns"]

FAILED: Final = "api call error"
"""What stands in for a prediction that failed; the published measure passes it over."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One turn to be predicted.

    Attributes:
        id: Its name, with the session's before `_agent_turn`.
        prompt: The system prompt.
        gold: What was to be done: `Action` and `Action Input`, or neither.
        predict: The model's words.
    """

    id: str
    prompt: str
    gold: Mapping[str, Any]
    predict: str


@dataclass(slots=True)
class Counters:
    """What is counted over the turns of a session; the names are the published ones."""

    all_function: int = 0
    all_function_pred: int = 0
    right_function: int = 0
    right_api: int = 0
    all_params: int = 0
    all_params_pred: int = 0
    right_params: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """What was read of a turn, and whether it is right.

    Attributes:
        action: The tool that was read; empty for none.
        action_input: The text of its parameters; empty for none.
        right_api: `1`, `0`, or empty: no gold call and none predicted, or an error.
        right_apiname: The same of the name alone.
    """

    action: str
    action_input: str
    right_api: str
    right_apiname: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares of right calls and right parameters; -0.0 where there is nothing to divide by."""

    call_pre: float
    call_rec: float
    param_pre: float
    param_rec: float

    @property
    def call_f1(self) -> float:
        """The harmonic mean of the calls."""
        return _f1(self.call_pre, self.call_rec)

    @property
    def param_f1(self) -> float:
        """The harmonic mean of the parameters."""
        return _f1(self.param_pre, self.param_rec)


@dataclass(frozen=True, slots=True)
class Turns:
    """What samples get.

    Attributes:
        counters: By session, as far as the code comes.
        turns: Those that are not passed over; none after a crash, which leaves nothing.
        figures: None after a crash.
        crash: The error that the published code ends with; None for none.
    """

    counters: Mapping[str, Counters]
    turns: tuple[Turn, ...]
    figures: Figures | None
    crash: str | None


def score_turns(samples: Sequence[Sample], judge: Judge) -> Turns:
    """Score the turns of one file.

    Args:
        samples: The turns, in the file's order.
        judge: Is asked where a gold text is not within the predicted one.
    """
    counters: dict[str, Counters] = {}
    turns = []
    try:
        if any("Action" in one.gold and "Action Input" not in one.gold for one in samples):
            raise Crash("KeyError: 'Action Input'")
        for sample in samples:
            if FAILED not in sample.predict:
                session = sample.id.strip().split("_agent_turn")[0]
                turns.append(_turn(sample, counters.setdefault(session, Counters()), judge))
    except Crash as error:
        return Turns(counters, (), None, str(error))
    except RecursionError as error:
        # Values that can just be read may be too deep to be compared.
        return Turns(counters, (), None, f"RecursionError: {error}")
    return Turns(counters, tuple(turns), _figures(tuple(counters.values())), None)


def _turn(sample: Sample, count: Counters, judge: Judge) -> Turn:
    said = sample.predict.strip()
    tool, parameters = sample.gold.get("Action", ""), sample.gold.get("Action Input", "")
    read = first_action(said)
    if tool == "" or parameters == "":
        return _turn_without_call(said, read, count)
    count.all_function += 1
    count.all_function_pred += read is not None
    action = (read or "").removeprefix("functions.").split(".")[0]
    written = _input(said) or ""
    _count_parameters(sample, action, written, count, judge)
    if action != tool:
        return Turn(action, written, "0", "0")
    count.right_api += 1
    right = _is_right(sample, action, written, judge)
    count.right_function += right == "1"
    return Turn(action, written, right, "1")


def _turn_without_call(said: str, read: str | None, count: Counters) -> Turn:
    """Without a gold call a predicted one is wrong; its name is read without mending."""
    if "Action: " not in said and "Action Input: " not in said:
        return Turn("", "", "", "")
    count.all_function_pred += read is not None
    written = _input(said)
    if written is None:
        raise Crash("AttributeError: 'NoneType' object has no attribute 'group'")
    return Turn(read or "", written, "0", "0")


def _input(said: str) -> str | None:
    """The text of the parameters, empty for none; None where nested braces are not balanced."""
    found = first_input(said)
    if found is None or "{" not in found:
        return ""
    return found if found.count("{") == 1 else balanced_input(said)


def _count_parameters(
    sample: Sample, action: str, written: str, count: Counters, judge: Judge
) -> None:
    predicted, gold = _object(written), _object(sample.gold["Action Input"])
    if not isinstance(gold, dict):
        kind = type(gold).__name__
        # A list or a text has a length and fails at its keys.
        raise Crash(
            f"AttributeError: '{kind}' object has no attribute 'keys'"
            if isinstance(gold, list | str)
            else f"TypeError: object of type '{kind}' has no len()"
        )
    count.all_params += len(gold)
    count.all_params_pred += len(predicted)
    ask = asking(judge, action, sample.prompt)
    for name, value in gold.items():
        if name not in predicted or type(value) is not type(predicted[name]):
            continue
        if isinstance(value, str):
            one, other = value.strip(), predicted[name].strip()
            count.right_params += alike(one, other) or ask(name, one, other)
        else:
            count.right_params += value == predicted[name]


def _object(text: object) -> Any:
    """A JSON value; an empty object where there is none."""
    try:
        return loads(text)
    except ValueError:
        return {}


def _is_right(sample: Sample, action: str, written: str, judge: Judge) -> str:
    """Whether a call of the right tool is right, in lower case; empty for a swallowed error."""
    parameters = sample.gold["Action Input"]
    try:
        predicted = loads(written.lower()) if written else {}
        gold = loads(parameters.lower() if isinstance(parameters, str) else parameters)
        ask = asking(judge, action, sample.prompt)
        return "1" if match_parameters(gold, predicted, ask, to_the_end=True) else "0"
    except (Crash, ValueError, RecursionError):
        return ""


def _figures(counters: Sequence[Counters]) -> Figures:
    calls = sum(each.right_function for each in counters)
    parameters = sum(each.right_params for each in counters)
    # As published: where there is nothing to divide by, it is -1.
    return Figures(
        calls / (sum(each.all_function_pred for each in counters) or -1),
        calls / (sum(each.all_function for each in counters) or -1),
        parameters / (sum(each.all_params_pred for each in counters) or -1),
        parameters / (sum(each.all_params for each in counters) or -1),
    )


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
