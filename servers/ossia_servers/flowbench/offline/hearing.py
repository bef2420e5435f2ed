"""What a user's words mean: slots that are told, and what the user does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

import snowballstemmer
from pydantic import JsonValue

from ossia_servers.flowbench.offline.known import Slot
from ossia_workflows.scenario import Act, Kind

__all__ = [
    "act_in",
    "alike",
    "is_aside",
    "is_lost",
    "mentioned",
    "nearest",
    "refuses",
    "slots_in",
    "value_in",
]

_STEMMER: Final = snowballstemmer.stemmer("english")
_SMALL: Final = frozenset(
    "a an and are as at be by can do for from give has have i in into is it like me my need new of"
    " on one or our please that the their there they this to want we what with would you your"
    " hello hi good day help more thing something else next also".split()
)
_WORD: Final = re.compile(r"[a-z]{2,}")
_REFUSES: Final = re.compile(
    r"rather not (?:say|tell)|comfortable|have to tell|why do you|cannot (?:say|tell)"
    r"|can(?:no|')t (?:say|tell)|do(?:n't| not) know|do(?:n't| not) understand|not sure what"
    r"|that i cannot say|get an answer|still waiting|as i said|told you|taking (?:so )?long"
    r"|how much (?:more|longer)|much longer|hurry|by the way|quite different:",
    re.IGNORECASE,
)
_LOST: Final = re.compile(
    r"do(?:n't| not) (?:know|understand)|not sure what|what exactly|cannot (?:say|tell)"
    r"|^(?:which|what) .*(?:are there|choose from|offer)",
    re.IGNORECASE,
)
_ACTS: Final[Sequence[tuple[Act, re.Pattern[str]]]] = tuple(
    (act, re.compile(pattern, re.IGNORECASE))
    for act, pattern in (
        (
            Act.DISPUTES,
            r"(?:cannot|can't|can not|not think|doubt) .{0,20}\b(?:right|correct|true)\b"
            r"|\b(?:wrong|incorrect|mistake|dispute|disagree|object|not (?:right|correct|true))\b",
        ),
        (
            Act.ASKS,
            r"\b(?:know|tell me|hear|learn|anything|explain) more\b|more about|before i decide"
            r"|what else is there|details\?",
        ),
        (
            Act.CHANGES,
            r"\b(?:change|instead|different(?:ly)?|rather have|make it|another|correction"
            r"|actually)\b",
        ),
        (
            Act.DECLINES,
            r"^\W*(?:no|nope|nah)\b|\bno,? thank|rather not|leave it|(?:do not|don't) want"
            r"|never ?mind|forget it|not interested|not now|decline",
        ),
        (
            Act.CHOOSES,
            r"\bthis one\b|\bi(?:'ll| will| would)? (?:take|choose|pick|go for|prefer)\b"
            r"|\bthe (?:first|second|third|last|other) one\b",
        ),
        (
            Act.ACCEPTS,
            r"^\W*(?:yes|yeah|yep|sure|ok|okay|fine|agreed|good|great|perfect|right)\b|go ahead"
            r"|please do|that(?:'s| is| sounds) (?:fine|good|ok|great)|i (?:agree|accept|confirm)",
        ),
    )
)
_NUMBER: Final = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME: Final = re.compile(r"\b\d{1,2}:\d{2}\b")
_LEAST: Final = 0.5


def act_in(words: str, possible: Collection[Act]) -> Act | None:
    """Return what the user does; None where the words say nothing of it.

    Args:
        words: what the user says.
        possible: what the step has ways for; of several acts that words may mean, one of these.
    """
    first = words.partition("\n")[0]
    meant = [act for act, pattern in _ACTS if pattern.search(first)]
    return next((act for act in meant if act in possible), meant[0] if meant else None)


def is_aside(words: str) -> bool:
    """Whether words lead nowhere: a question of another kind, a refusal, or impatience."""
    first = words.partition("\n")[0]
    if refuses(words) and "\n" not in words.strip():
        return True
    return first.rstrip().endswith("?") and act_in(words, ()) is None


def slots_in(words: str, slots: Mapping[str, Slot], asked: Collection[str]) -> dict[str, JsonValue]:
    """Return the slots that words tell, with their values.

    Args:
        words: what the user says.
        slots: the slots of the scenario.
        asked: those that the user was asked for.
    """
    found: dict[str, JsonValue] = {}
    for name, text in _lines(words, slots, asked):
        value = value_in(text, slots[name].kind)
        if value is not None:
            found[name] = value
    if not found and not is_aside(words):
        values = {
            name: value
            for name in asked
            if (value := value_in(words, slots[name].kind if name in slots else "text")) is not None
        }
        # One value for several slots is that of the only one whose type it has.
        typed = [name for name in values if len(asked) == 1 or _is_typed(slots, name)]
        found = {name: values[name] for name in (typed if len(typed) == 1 else ())}
    return found


def refuses(words: str) -> bool:
    """Whether the user does not want to tell something, is impatient, or speaks of other things."""
    return _REFUSES.search(words.partition("\n")[0]) is not None


def is_lost(words: str) -> bool:
    """Whether the user does not know what is asked for."""
    return _LOST.search(words.partition("\n")[0]) is not None


def nearest(words: str, texts: Sequence[str]) -> list[int]:
    """Return the places of those texts that words speak of, the nearest first.

    A word counts the more, the fewer of the texts have it, and twice as it stands there.
    """
    stems, told = [_stems(text) for text in texts], [set(_plain(text)) for text in texts]
    scores = [0.0] * len(texts)
    for word in _plain(words):
        having = [at for at, found in enumerate(stems) if _stem(word) in found]
        for at in having:
            scores[at] += (1 + (word in told[at])) / len(having)
    ranked = sorted(range(len(texts)), key=lambda at: -scores[at])
    return [at for at in ranked if scores[at]]


def alike(words: str, description: str) -> float:
    """Return how much of the words is in a description, from 0 to 1."""
    wanted = _stems(words)
    return len(wanted & _stems(description)) / len(wanted) if wanted else 0.0


def _lines(
    words: str, slots: Mapping[str, Slot], asked: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The slots that lines such as `The kind of car: van` name, with what is said of them."""
    for line in words.splitlines():
        label, colon, value = line.partition(": ")
        if not colon and asked:
            label, colon, value = line.partition(" is ")
        named = [
            name
            for name, slot in slots.items()
            if label.strip("-* ").casefold() in (slot.about.casefold(), name.replace("_", " "))
        ]
        scores = {name: alike(label, f"{name} {slot.about}") for name, slot in slots.items()}
        best = max(scores, key=lambda name: scores[name], default="")
        if colon and (named or (best and scores[best] >= _LEAST)):
            yield (named[0] if named else best), value.strip()


def value_in(text: str, kind: Kind) -> JsonValue:
    """Return the value of a type that a text says; None where it says none."""
    said = " ".join(text.split())
    if isinstance(kind, tuple):
        low = said.casefold().replace("_", " ")
        said_ones = (each for each in kind if re.search(rf"\b{_spaced(each)}\b", low))
        return max(said_ones, key=len, default=None)
    if kind in ("count", "number"):
        found = _NUMBER.search(said)
        number = None if found is None else float(found[0].replace(",", ""))
        return int(number) if number is not None and number.is_integer() else number
    if kind == "boolean":
        return {"yes": True, "true": True, "no": False, "false": False}.get(
            said.casefold().partition(",")[0].rstrip(".")
        )
    if kind in ("date", "time"):
        found = (_DAY if kind == "date" else _TIME).search(said)
        return None if found is None else found[0]
    if kind == "list":
        return [each.strip() for each in said.split(",")]
    return said or None


def mentioned(words: str, slots: Mapping[str, Slot]) -> dict[str, JsonValue]:
    """Return the slots of text whose name stands before a reference: `reservation DR-4711`.

    Args:
        words: what the user says.
        slots: the slots of the scenario.
    """
    found = {
        name: re.search(rf"\b{re.escape(name.replace('_', ' '))} ([A-Z]*-?\d[\w-]*)", words)
        for name, slot in slots.items()
        if slot.kind == "text"
    }
    return {name: match[1] for name, match in found.items() if match is not None}


def _is_typed(slots: Mapping[str, Slot], name: str) -> bool:
    return name in slots and slots[name].kind not in ("text", "list")


def _spaced(choice: str) -> str:
    return re.escape(choice.replace("_", " "))


@cache
def _stem(word: str) -> str:
    found: str = _STEMMER.stemWord(word)
    return found


def _plain(text: str) -> list[str]:
    words = _WORD.findall(text.casefold().replace("_", " "))
    return [word for word in words if word not in _SMALL]


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, _plain(text)))
