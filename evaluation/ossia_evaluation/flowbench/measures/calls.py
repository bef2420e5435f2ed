"""Calls as the corrected measure has them: read from a text, and compared by type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from ossia_evaluation.flowbench.measures.judging import given
from ossia_evaluation.worlds.match import same
from ossia_servers.worlds.schema import Match

__all__ = [
    "Call",
    "Comparison",
    "SameText",
    "call_of",
    "calls_of_dialog",
    "enumerations_of",
    "read_calls",
    "same_words",
]

SameText = Callable[[str, str], bool]
"""Whether a gold text and another mean the same."""

_CALL: Final = re.compile(r"^Action:([^\n]*)(?:\n\s*Action Input:\s*)?", re.MULTILINE)
_DECLARED: Final = re.compile(r"^(?:API: (.+)|Input parameters: )", re.MULTILINE)
_ROLE: Final = re.compile(r"(?:\A|\n\n)(user|assistant|function|system):\n")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool.

    Attributes:
        name: The tool's name.
        parameters: Those that are given, which empty texts and lists are not; None where they
            are no JSON object.
    """

    name: str
    parameters: Mapping[str, Any] | None


def same_words(gold: str, predicted: str) -> bool:
    """Return whether two texts are the same but for case, punctuation and spaces."""
    return same(Match.CASEFOLD, gold, predicted)


def read_calls(text: str) -> tuple[Call, ...]:
    """Return the calls of a text: lines that begin with `Action:`, each with its JSON object.

    The JSON ends where it ends, be it nested, over several lines or with braces in texts.
    """
    return tuple(
        Call(found.group(1).strip().removeprefix("functions."), _object_at(text, found.end()))
        for found in _CALL.finditer(text)
    )


def calls_of_dialog(dialog: str) -> tuple[Call, ...]:
    """Return what the assistant calls in a dialog of the published form, and nobody else."""
    _, *parts = _ROLE.split(dialog)
    said = zip(parts[::2], parts[1::2], strict=True)
    return tuple(call for role, words in said if role == "assistant" for call in read_calls(words))


def call_of(gold: Mapping[str, Any]) -> Call | None:
    """Return the gold call of a turn; None where nothing is to be called."""
    name, written = gold.get("Action", ""), gold.get("Action Input", "")
    if not isinstance(name, str) or not name:
        return None
    if isinstance(written, str):
        return Call(name, _object_at(written, 0) if written.strip() else {})
    return Call(name, given(written) if isinstance(written, dict) else None)


def _object_at(text: str, start: int) -> Mapping[str, Any] | None:
    try:
        found, _ = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return given(found) if isinstance(found, dict) else None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)


@dataclass(frozen=True)
class Comparison:
    """How calls are compared.

    Attributes:
        enumerations: Tools with those of their parameters whose texts have to be the same.
        same_text: Compares all other texts.
    """

    enumerations: Collection[tuple[str, str]] = ()
    same_text: SameText = same_words

    def is_right(self, gold: Call, predicted: Call) -> bool:
        """Return whether a call has the gold call's name and all its parameters.

        What the gold call does not have costs precision of parameters, not the call.
        """
        both = gold.parameters is not None and predicted.parameters is not None
        right = both and gold.name == predicted.name
        return right and self.right_parameters(gold, predicted) == len(gold.parameters or ())

    def right_parameters(self, gold: Call, predicted: Call) -> int:
        """Return how many of the gold parameters a call has."""
        theirs = predicted.parameters or {}
        return sum(
            name in theirs and self._same(gold.name, name, value, theirs[name])
            for name, value in (gold.parameters or {}).items()
        )

    def _same(self, tool: str, parameter: str, gold: Any, predicted: Any) -> bool:
        exact = (tool, parameter) in self.enumerations
        try:
            return _same(gold, predicted, str.__eq__ if exact else self.same_text)
        except RecursionError:
            # What can just be read may be too deep to be compared.
            return False


def enumerations_of(prompt: str) -> frozenset[tuple[str, str]]:
    """Return the parameters that a system prompt declares with `enum`, with their tools."""
    found = ((name, _object_at(prompt, at)) for name, at in _declared(prompt))
    return frozenset(
        (name, parameter)
        for name, parameters in found
        for parameter, schema in (parameters or {}).items()
        if isinstance(schema, dict) and "enum" in schema
    )


def _declared(prompt: str) -> Iterator[tuple[str, int]]:
    """Each tool with the place of its parameters in a system prompt."""
    name = ""
    for found in _DECLARED.finditer(prompt):
        name = found.group(1) or name
        if found.group(1) is None:
            yield name, found.end()


def _same(gold: Any, predicted: Any, same_text: SameText) -> bool:
    """Numbers by value, which is no truth value; lists in their order; objects by all keys."""
    if isinstance(gold, str) and isinstance(predicted, str):
        return same_text(gold, predicted)
    if isinstance(gold, list) and isinstance(predicted, list):
        return len(gold) == len(predicted) and all(
            _same(one, other, same_text) for one, other in zip(gold, predicted, strict=True)
        )
    if isinstance(gold, dict) and isinstance(predicted, dict):
        return gold.keys() == predicted.keys() and all(
            _same(gold[name], predicted[name], same_text) for name in gold
        )
    if isinstance(gold, bool) or isinstance(predicted, bool):
        return gold is predicted
    return bool(gold == predicted)
