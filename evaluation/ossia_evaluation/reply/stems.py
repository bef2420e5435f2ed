"""Content words as stems, with the synonyms that two tellings of one thing may differ in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import snowballstemmer

from ossia_dataset.normalise import spoken_number

_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,:]\d+)*")
_STEMMER: Final = snowballstemmer.stemmer("english")

FUNCTION_WORDS: Final = frozenset(
    "a an the my our your his her its their this that these those of for to in on at with from"
    " and or as by into onto about up out off over under be is are was were am been being do does"
    " did have has had will would shall should can could may might must i me you he him she it we"
    " us they them who whom which what when where how there here so then than too very just also"
    " all any some please me new called named if not no nor n't s t ll re ve d m x one ones get"
    " gets got now".split()
)
"""Words that carry no content of their own."""

_SYNONYMS: Final = tuple(
    frozenset(group.split())
    for group in (
        "start begin commence kick",
        "end finish conclude over",
        "buy purchase get pick",
        "movie film",
        "tv television telly",
        "mom mum mother mama",
        "dad father papa daddy",
        "kid child children",
        "photo picture pic image",
        "speak talk chat",
        "phone call ring telephone",
        "email mail e-mail message",
        "arrive come get",
        "leave depart go head",
        "shop store",
        "groceries grocery shopping",
        "meeting appointment",
        "delay late behind",
        "big large huge",
        "small little",
        "glad happy pleased",
        "great fantastic wonderful excellent awesome",
        "quick fast",
        "sick ill unwell",
        "house home place",
        "vacation holiday",
        "fall autumn",
        "trash rubbish garbage",
        "bring fetch",
        "complete finish done",
        "able can could",
        "thank thanks",
        "bike bicycle",
        "car automobile",
        "doctor physician",
        "soccer football",
        "lunch luncheon",
        "dinner supper",
        "hello hi hey",
        "birthday bday",
        "minute min",
        "hour hr",
        "percent %",
        "brief short",
        "lounge living",
        "reservation booking",
        "reserve book",
        "dim lower low",
        "want wish like",
        "need require must",
        "tonight evening",
        "okay ok",
        "everybody everyone",
        "price cost",
        "street st",
        "avenue ave",
        "road rd",
        "apartment apt flat",
        "flight fly plane",
        "station st",
        "washer washing",
        "fridge refrigerator",
        "light lamp",
        "hoover vacuum",
        "quiet soft low",
        "remove delete cancel clear erase drop",
        "add put",
        "song track tune",
    )
)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return the stem of one word; a number in words or digits becomes its figure."""
    plain = word.casefold().replace("\u2019", "'").removesuffix("'s").removesuffix("'")
    if plain[0].isdigit():
        plain = plain.replace(",", "")
    number = spoken_number(plain)
    if number is not None:
        return f"{number:g}"
    found: str = _STEMMER.stemWord(plain)
    return found


def spans(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each word of a text in lower case begins, and the word."""
    for match in _WORD.finditer(text):
        yield match.start(), match[0]


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, in lower case."""
    return tuple(_WORD.findall(text.casefold().replace("\u2019", "'")))


@lru_cache(maxsize=8192)
def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words."""
    return frozenset(stem(word) for word in tokens(text) if word not in FUNCTION_WORDS)


_ALIKE: Final[dict[str, frozenset[str]]] = {}
for _group in _SYNONYMS:
    _roots = frozenset(map(stem, _group))
    for _root in _roots:
        _ALIKE[_root] = _ALIKE.get(_root, frozenset()) | _roots


def alike(first: str) -> frozenset[str]:
    """Return a stem with the stems that mean the same."""
    return _ALIKE.get(first, frozenset()) | {first}


def in_others(sets: Sequence[frozenset[str]], index: int) -> frozenset[str]:
    """Return what is in any set but one.

    Args:
        sets: the sets.
        index: the position of the one.
    """
    return frozenset[str]().union(*(other for i, other in enumerate(sets) if i != index))
