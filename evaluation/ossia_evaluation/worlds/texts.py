"""Texts compared by meaning, as far as rules can hold it.

A message is right when it holds what the user wanted to be said: its content words or synonyms of
them, the same numbers and days, nobody else's doing, and no reversal. It may greet, thank and be
polite. A name of a thing is right with the same content words; how much of it plays no part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ossia_dataset.normalise import spoken_number
from ossia_evaluation.reply.stems import FUNCTION_WORDS, alike, stem, stems, tokens

_CONTRACTIONS: Final = (
    ("\u2019", "'"),
    ("won't", "will not"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("shan't", "shall not"),
    ("n't", " not"),
    ("'ll", " will"),
    ("'re", " are"),
    ("'ve", " have"),
    ("i'm", "i am"),
    ("let's", "let us"),
    ("it's", "it is"),
    ("that's", "that is"),
    ("gonna", "going to"),
    ("am going to", "will"),
    ("are going to", "will"),
    ("is going to", "will"),
    ("wanna", "want to"),
)
_WHOLE_WORDS: Final = (
    ("i'd", "i would"),
    ("he's", "he is"),
    ("she's", "she is"),
    ("what's", "what is"),
    ("who's", "who is"),
    ("noon", "12 pm"),
)
_TENS: Final = re.compile(
    r"\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]"
    r"(?:one|two|three|four|five|six|seven|eight|nine)\b"
)
_NEGATION: Final = re.compile(
    r"\b(?:no|not|never|without|none|nothing|nobody|neither|nor|hardly)\b"
)
_PERSONS: Final = {
    **dict.fromkeys("i me my mine myself we us our ours".split(), "1"),
    **dict.fromkeys("you your yours yourself".split(), "2"),
    **dict.fromkeys("he him his".split(), "he"),
    **dict.fromkeys("she her hers".split(), "she"),
    **dict.fromkeys("they them their theirs".split(), "they"),
}
_OPPOSITES: Final = tuple(
    tuple(frozenset(map(stem, side.split())) for side in pair)
    for pair in (
        ("love like enjoy", "hate dislike loathe detest"),
        ("early", "late"),
        ("before", "after"),
        ("come arrive", "leave go depart"),
        ("buy", "sell"),
        ("open", "close shut"),
        ("start begin", "end finish stop cancel"),
        ("win won", "lose lost"),
        ("more", "less fewer"),
        ("good great", "bad terrible awful"),
        ("hot warm", "cold cool"),
        ("first", "last"),
        ("always", "never"),
        ("accept agree confirm", "decline refuse reject cancel"),
        ("up", "down"),
        ("on", "off over"),
        ("in", "out"),
        ("yes", "no"),
        ("happy glad", "sad unhappy sorry"),
        ("safe", "unsafe dangerous"),
        ("right correct", "wrong incorrect"),
        ("free", "busy"),
        ("ready", "unready"),
        ("complete", "incomplete"),
        ("possible", "impossible"),
        ("with", "without"),
    )
)
_POLITE: Final = frozenset(
    stems(
        "hi hello hey dear please thanks thank regards best kind sincerely cheers love wanted"
        " want let know tell inform say saying hope well just quick note heads reminder remind"
        " message greetings morning afternoon evening day nice great good soon see talk forward"
        " looking wishes confirm confirming letting writing fyi okay ok sure also really very"
        " invited invite yours truly warm update able"
    )
)
_FILLER_NOUNS: Final = frozenset(
    stems(
        "appointment event meeting reminder alarm list item thing piece entry session note calendar"
        " task activity time incoming"
    )
)
_QUANTITIES: Final = frozenset(
    stems(
        "some few couple bit lot lots several more bottle pack packet package box bag can carton"
        " jar loaf slice slices piece pound kilo kilogram gram ounce liter litre pint gallon dozen"
        " bunch head stick sticks tin cup glass fresh"
    )
)
_AUXILIARY: Final = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|will|would|should|have|has|what|when|where|who|why"
    r"|how)\b"
)
_MAX_EXTRA: Final = 12
_ONE: Final = re.compile(r"\bone\b")
_ORDERED: Final = re.compile(r"\d+ x ")


@lru_cache(maxsize=4096)
def same_message(gold: str, actual: str, context: frozenset[str] = frozenset()) -> bool:
    """Return whether a text says what a gold text says.

    Args:
        gold: the words that the user wanted to be said.
        actual: the words that were said.
        context: stems of what the user said, of which a text may name more.
    """
    wanted, said = _spelled_out(gold), _spelled_out(actual)
    if wanted == said or not wanted or not said:
        return wanted == said
    if _asks(actual) and not _asks(gold):
        return False
    if bool(_NEGATION.search(wanted)) != bool(_NEGATION.search(said)):
        return False
    if _numbers(wanted) != _numbers(said) or not _same_persons(wanted, said):
        return False
    return not _reversed(wanted, said) and _contains(wanted, said, context)


def _asks(text: str) -> bool:
    """Whether a text asks something; "could you please" only wishes."""
    said = text.strip().casefold()
    if re.search(r"\b(?:can|could|will|would) you\b", said):
        return False
    return said.endswith("?") or _AUXILIARY.match(said) is not None


@lru_cache(maxsize=4096)
def same_thing(gold: str, actual: str, context: frozenset[str] = frozenset()) -> bool:
    """Return whether two names name one thing: an item, an event, a list.

    Args:
        gold: the gold name.
        actual: the name that was given.
        context: stems of what the user said; a name may hold more of it.
    """
    first, second = _name(gold), _name(actual)
    if not first or not second:
        return _flat(gold) == _flat(actual)
    counted, given = _numbers(f"{gold} "), _numbers(f"{actual} ")
    if _ONE.search(gold.casefold()):
        counted |= {1.0}
    if _ONE.search(actual.casefold()):
        given |= {1.0}
    if counted and given and counted != given:
        return False
    if bool(_NEGATION.search(gold.casefold())) != bool(_NEGATION.search(actual.casefold())):
        return False
    if _ORDERED.match(gold) and _numbers(gold) != _numbers(actual):
        return False
    missing = {word for word in first if not alike(word) & second}
    extra = {word for word in second if not alike(word) & first}
    if missing - _FILLER_NOUNS:
        return False
    return not (extra - _FILLER_NOUNS - context)


def _name(text: str) -> frozenset[str]:
    found = frozenset(word for word in stems(text) if not _is_figure(word))
    kept = found - _QUANTITIES
    return kept or found


def _flat(text: str) -> str:
    return " ".join(tokens(text))


def _spelled_out(text: str) -> str:
    lower = " ".join(text.casefold().split())
    for short, long in _CONTRACTIONS:
        lower = lower.replace(short, long)
    for short, long in _WHOLE_WORDS:
        lower = re.sub(rf"(?<!\w){short}(?!\w)", long, lower)
    lower = re.sub(r"\b(\d{1,2}):00\b", r"\1", lower)
    return _TENS.sub(lambda match: f"{spoken_number(match[0].replace('-', ' ')):g}", lower)


def _numbers(text: str) -> frozenset[float]:
    found = set[float]()
    for word in tokens(text):
        root = stem(word.removesuffix(":00"))
        if word != "one" and _is_figure(root):
            found.add(float(root))
        elif ":" in root:
            found |= {float(part) for part in root.split(":") if part.isdigit()}
    return frozenset(found)


def _is_figure(root: str) -> bool:
    try:
        float(root)
    except ValueError:
        return False
    return True


def _same_persons(wanted: str, said: str) -> bool:
    first, second = _persons(wanted), _persons(said)
    for person, other in (("1", "2"), ("2", "1")):
        if person in first and person not in second and other in second:
            return False
    for person, other in (("he", "she"), ("she", "he")):
        # Who writes to her about herself says "you".
        if person in first and person not in second and other in second:
            return False
    both = [person for person in first if person in ("1", "2")]
    if len(set(both)) > 1 and {"1", "2"} <= set(second):
        return both[0] == next(person for person in second if person in ("1", "2"))
    return True


def _persons(text: str) -> tuple[str, ...]:
    return tuple(_PERSONS[word] for word in tokens(text) if word in _PERSONS)


def _reversed(wanted: str, said: str) -> bool:
    """Whether a word stands in one text and its opposite in the other."""
    first, second = _roots(wanted), _roots(said)
    return any(
        first & here and not second & here and second & there and not first & there
        for pair in _OPPOSITES
        for here, there in (pair, pair[::-1])
    )


def _roots(text: str) -> frozenset[str]:
    return frozenset(map(stem, tokens(text)))


def _contains(wanted: str, said: str, context: frozenset[str]) -> bool:
    need, have = stems(wanted), stems(said)
    if len(need) < 2:
        # Of "i am on it" the small words are all there is.
        return _in_order(wanted, said) and need <= {w for word in have for w in alike(word)}
    missing = {word for word in need if not alike(word) & have}
    known = {near for word in need for near in alike(word)}
    extra = {w for w in have if w not in known and w not in _POLITE and w not in context}
    if missing:
        # A word less may be a shorter way to say it; a word in its place is another message.
        return not extra and 4 * len(missing) <= len(need) and not _ends_in(wanted, missing)
    # What is added has to leave the wanted words as they are.
    return not extra or (len(extra) <= _MAX_EXTRA and _in_order(wanted, said))


def _in_order(wanted: str, said: str) -> bool:
    small = [word for word in tokens(wanted) if word not in ("a", "an", "the", "that")]
    rest: Iterable[str] = iter(stem(word) for word in tokens(said))
    return all(any(alike(stem(word)) & {other} for other in rest) for word in small)


def _ends_in(wanted: str, missing: set[str]) -> bool:
    content = [stem(word) for word in tokens(wanted) if word not in FUNCTION_WORDS]
    return bool(content) and content[-1] in missing
