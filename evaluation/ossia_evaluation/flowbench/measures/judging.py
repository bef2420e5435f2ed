"""How the published code compares values: types and values exactly, texts by a judge."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Ask", "Crash", "Judge", "Question", "alike", "asking", "given", "match_parameters"]


@dataclass(frozen=True, slots=True)
class Question:
    """What a judge is asked about two texts.

    Attributes:
        parts: What it is about, in the published order: the tool, its description, the time, the
            parameter, the gold text and the other.
    """

    parts: tuple[str, str, str, str, str, str]

    @property
    def text(self) -> str:
        """The question in words of our own."""
        tool, told, time, parameter, gold, predicted = self.parts
        return (
            f"This describes the tool {tool}:\n{told}\n{time}\n"
            f"Do these two values of its parameter {parameter} mean the same? Answer yes or no.\n"
            f"1: {gold}\n2: {predicted}\n"
        )

    def is_in(self, text: str) -> bool:
        """Return whether a question in other words is about the same, in the same order."""
        place = 0
        for part in self.parts:
            found = text.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return True


Judge = Callable[[Question | str], str]
"""Answers a question, or judges a dialog, as a language model does."""

Ask = Callable[[str, str, str], bool]
"""Whether gold and predicted text of a parameter mean the same: its name, the two texts."""

_TRIES: Final = 10

# The published pattern escapes the bracket behind the backslash, so that a backslash stays.
_LEFT_OUT: Final = str.maketrans("", "", string.punctuation.replace("\\", "") + " ")


class Crash(Exception):
    """The published code ends with an error here; the message is that error."""


def alike(gold: str, predicted: str) -> bool:
    """Return whether the gold text, punctuation and spaces left out, is within the other."""
    return gold.translate(_LEFT_OUT) in predicted.translate(_LEFT_OUT)


def asking(judge: Judge, tool: str, prompt: str) -> Ask:
    """Return what asks the judge about parameters of a tool.

    Ten replies without a yes or a no are a yes; a reply that holds `no` anywhere is a no.

    Args:
        judge: Answers the question.
        tool: The tool's name.
        prompt: The system prompt, which holds the tool's description and the time. What it asks
            ends with a `Crash` where the prompt has neither.
    """

    def ask(parameter: str, gold: str, predicted: str) -> bool:
        asked = _question(tool, prompt, parameter, gold, predicted)
        reply = ""
        for _ in range(_TRIES):
            reply = judge(asked).lower()
            if "yes" in reply or "no" in reply:
                break
        return "no" not in reply

    return ask


def _question(tool: str, prompt: str, parameter: str, gold: str, predicted: str) -> Question:
    start = prompt.find(f"API: {tool}")
    end = prompt.find("\n\n", start)
    if start < 0 or end < 0:
        raise Crash("ValueError: matches is None.")
    _, told, rest = prompt.partition("Please note that the current time is:")
    if not told:
        raise Crash("AttributeError: 'NoneType' object has no attribute 'group'")
    time = told + rest.partition("\n")[0]
    return Question((tool, prompt[start : end + 2], time, parameter, gold, predicted))


def match_parameters(
    gold: Mapping[str, Any], predicted: Mapping[str, Any], ask: Ask, *, to_the_end: bool
) -> bool:
    """Return whether all gold parameters that are not empty are there with the same value.

    Args:
        gold: The gold parameters.
        predicted: The others; those that gold does not have are passed over.
        ask: Is asked about texts that differ.
        to_the_end: Whether the judge is asked about further texts behind one that is wrong.

    Raises:
        Crash: the judge cannot be asked.
    """
    theirs = given(predicted)
    right = True
    for name, value in sorted(given(gold).items()):
        if name not in theirs:
            right = False
        elif type(value) is not type(theirs[name]):
            return False
        elif isinstance(value, str):
            one, other = value.strip(), theirs[name].strip()
            right = (alike(one, other) or ask(name, one, other)) and right
        elif value != theirs[name]:
            return False
        if not right and not to_the_end:
            return False
    return right


def given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters without empty texts and empty lists."""
    return {name: value for name, value in parameters.items() if value not in ("", [])}
