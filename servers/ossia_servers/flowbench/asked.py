"""What an agent's reply asks a user for, read from its words alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Final

import snowballstemmer

from ossia_workflows.scenario import Kind, Slot

__all__ = ["asked_slots", "asks_once", "asks_whether", "is_asking", "is_closing", "sentences"]

_STEMMER: Final = snowballstemmer.stemmer("english")
_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE: Final = re.compile(r"(?<=[.?!;:])\s+")
_CLAUSE: Final = re.compile(r",|;|\(|\)|\band\b|\bor\b", re.IGNORECASE)
_ITEM: Final = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s")
_REQUEST: Final = re.compile(
    r"\bplease\b(?! (?:note|wait|hold|be|bear|allow))"
    r"|\b(?:tell me|let me know|give me|provide|specify|enter|share|state your|send me)\b"
    r"|\b(?:i|we)(?:'ll| will| would| also| still)* (?:need|require|want to know|have to know)\b"
    r"|\b(?:may|can|could) (?:i|we) (?:have|know|ask)\b|\bi am asking\b|\bi ask\b",
    re.IGNORECASE,
)
_WHAT: Final = re.compile(r"\b(?:what|where|when|which|who|whom|whose|how)\b", re.IGNORECASE)
_WHETHER: Final = re.compile(r"\bwhether\b", re.IGNORECASE)
_CLOSING: Final = re.compile(
    r"\b(?:anything|something|what) else\b|\bfurther (?:help|question|assistance)|"
    r"\bhow (?:can|may) (?:i|we) help\b",
    re.IGNORECASE,
)
_STOP: Final = frozenset(
    "a an and are as at be been by can could do does for from get give go had has have he her his"
    " how i if in into is it its itself kindly know let long like many may me more most much must"
    " my need no not of on one or our out please she should so some such tell than that the their"
    " them there they this those to us want was we were what when where whether which who whom"
    " whose will with would you your".split()
)
_WHERE: Final = "address|area|branch|city|country|destination|district|goal|origin|place|town|where"
_KINDS: Final[Mapping[str, re.Pattern[str]]] = {
    "where": re.compile(rf"\b(?:{_WHERE})\b"),
    "who": re.compile(r"\b(?:name|who|whom|person|colleague|surname)\b"),
}
_TYPES: Final[Mapping[str, Collection[str]]] = {
    "when": ("date", "time"),
    "date": ("date",),
    "day": ("date",),
    "time": ("time",),
    "how many": ("count", "number"),
    "how much": ("count", "number"),
    "how long": ("count", "number"),
}
_HALF: Final = 0.5
_NEAR: Final = 0.25
_SHORTEST_PREFIX: Final = 4


def is_asking(reply: str) -> bool:
    """Whether a reply has a question or a request."""
    return bool(_asking(reply))


def asks_once(reply: str) -> bool:
    """Whether there is one question or request, which may be repeated."""
    return len(set(_asking(reply))) == 1


def asks_whether(reply: str) -> bool:
    """Whether one of its questions can be answered by yes or no."""
    return any(map(_is_whether, _asking(reply)))


def is_closing(reply: str) -> bool:
    """Whether all that a reply asks is what else the user may want."""
    asking = _asking(reply)
    return bool(asking) and all(_CLOSING.search(sentence) for sentence in asking)


def asked_slots(
    reply: str, slots: Mapping[str, Slot], due: Collection[str], *, deciding: bool = False
) -> tuple[str, ...]:
    """Return the slots that a reply asks for, in their order.

    A question or a request asks for a slot whose description or name stands in it, and else for
    those that have most of their words in one of its clauses. Of those that are due few words are
    enough, or a word such as `where`.

    Args:
        reply: what the agent said.
        slots: the scenario's slots.
        due: those that the conversation needs next.
        deciding: whether it is a decision that it needs: then a question to be answered by yes or
            no asks for no slot, unless it is a request such as `may I have`.
    """
    found: set[str] = set()
    for sentence in _asking(reply):
        if not _CLOSING.search(sentence):
            rest, named = _named(" ".join(sentence.casefold().split()), slots)
            if deciding and _is_whether(sentence):
                found |= {name for name in named if _is_request(sentence, slots[name])}
                continue
            found |= named
            for clause in _CLAUSE.split(rest):
                found |= _meant(clause, slots, due)
    return tuple(name for name in slots if name in found)


def _is_request(sentence: str, slot: Slot) -> bool:
    """Whether a yes-or-no sentence with a slot's description asks for the slot itself."""
    if _WHETHER.search(sentence):
        return bool(_WHETHER.match(slot.about))
    return bool(_REQUEST.search(sentence))


def _is_whether(sentence: str) -> bool:
    return bool(_WHETHER.search(sentence)) or ("?" in sentence and not _WHAT.search(sentence))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a line break ends one, too."""
    for line in text.splitlines():
        yield from (found.strip() for found in _SENTENCE.split(_ITEM.sub("", line)))


@lru_cache(maxsize=128)
def _asking(reply: str) -> tuple[str, ...]:
    """The sentences that ask, and the items of a list that one introduces.

    A reply is looked at in several ways, one after another.
    """
    found: list[str] = []
    listing = False
    for line in reply.splitlines():
        if listing and _ITEM.match(line):
            found += sentences(line)
            continue
        asking = [each for each in sentences(line) if "?" in each or _REQUEST.search(each)]
        found += asking
        listing = bool(asking) or (listing and not line.strip())
    return tuple(found)


def _named(sentence: str, slots: Mapping[str, Slot]) -> tuple[str, set[str]]:
    """The sentence without the descriptions and names that stand in it, and whose they are."""
    phrases = {slot.about.casefold(): name for name, slot in slots.items()}
    for name in slots:
        if "_" in name:
            phrases |= {name: name, name.replace("_", " "): name}
    named = set()
    for phrase in sorted(phrases, key=len, reverse=True):
        if phrase not in sentence:
            continue
        sentence, times = _phrase(phrase).subn(",", sentence)
        if times:
            named.add(phrases[phrase])
    return sentence, named


@lru_cache(maxsize=4096)
def _phrase(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")


def _meant(clause: str, slots: Mapping[str, Slot], due: Collection[str]) -> set[str]:
    words = _stems(clause)
    scores = {name: _score(words, name, slot) for name, slot in slots.items()}
    best = max(scores.values(), default=0.0)
    meant = {
        name
        for name, score in scores.items()
        if score >= best - _NEAR and (score >= _HALF or (score > 0 and name in due))
    }
    if not meant:
        return {name for name in due if _is_of_kind(clause, name, slots[name])}
    return {name for name in meant if _is_of_kind(clause, name, slots[name])} or meant


def _is_of_kind(clause: str, name: str, slot: Slot) -> bool:
    """Whether a clause asks for something of a slot's kind, or names one of its choices."""
    if _names_choice(clause, slot.type):
        return True
    kinds, types = _asked_kinds(clause)
    described = f"{name.replace('_', ' ')} {slot.about}"
    return slot.type in types or any(pattern.search(described) for pattern in kinds)


@lru_cache(maxsize=4096)
def _asked_kinds(clause: str) -> tuple[tuple[re.Pattern[str], ...], frozenset[Kind]]:
    """What descriptions have for whose kind a clause asks, and the types of such slots."""
    asked = {word for word in (*_KINDS, *_TYPES) if _phrase(word).search(clause)}
    types = (kind for word, kinds in _TYPES.items() if word in asked for kind in kinds)
    return tuple(pattern for word, pattern in _KINDS.items() if word in asked), frozenset(types)


def _names_choice(clause: str, kind: Kind) -> bool:
    words = _WORD.findall(clause.replace("_", " "))
    return not isinstance(kind, str) and any(each in words for each in kind)


def _score(words: frozenset[str], name: str, slot: Slot) -> float:
    """The larger share of words that a clause has of a slot's name and of its description."""
    return max(_share(_stems(name.replace("_", " ")), words), _share(_stems(slot.about), words))


@lru_cache(maxsize=16_384)
def _share(wanted: frozenset[str], words: frozenset[str]) -> float:
    if not wanted:
        return 0.0
    return sum(any(_alike(one, other) for other in words) for one in wanted) / len(wanted)


def _alike(one: str, other: str) -> bool:
    """Whether stems are equal, or one begins with the other: `pick` and `pickup`."""
    short = min(len(one), len(other))
    return one == other or (short >= _SHORTEST_PREFIX and one[:short] == other[:short])


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in words if word not in _STOP)


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    stem: str = _STEMMER.stemWord(word)
    return stem
