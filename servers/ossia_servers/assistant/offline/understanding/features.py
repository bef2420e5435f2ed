"""What the learned models look at in an utterance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ossia_servers.assistant.offline.understanding.text import Token

Gazetteer = Mapping[tuple[str, ...], tuple[str, ...]]
"""Words of a known value to the slots that it is a value of."""

LONGEST_VALUE = 5
_EDGE = "<>"
_ACT, _TOPIC = "act_", "topic_"
_LEXICON = (_ACT, _TOPIC)
_STYLED = frozenset("wdig")
"""The features by whose first letter style matters to slots: words, domains, intents, values."""


def styled(features: Sequence[str], style: str) -> list[str]:
    """Return features with a second edition of them for a style of annotation.

    A model that learns from two corpora whose annotators disagree learns both what they share and
    what is peculiar to the second one.

    Args:
        features: The features.
        style: The style's name; empty for the style of our own utterances, which has no edition.

    Returns:
        The features, and those of the style after them.
    """
    if not style:
        return list(features)
    return [*features, *[f"~{feature}" for feature in features]]


def gazetteer_matches(tokens: Sequence[Token], gazetteer: Gazetteer) -> list[tuple[str, ...]]:
    """Find known values in an utterance.

    Args:
        tokens: The utterance.
        gazetteer: The known values.

    Returns:
        For each word the marks `B-slot` or `I-slot` of the values that cover it.
    """
    words = [token.word for token in tokens]
    marks: list[list[str]] = [[] for _ in words]
    for start in range(len(words)):
        for length in range(min(LONGEST_VALUE, len(words) - start), 0, -1):
            slots = gazetteer.get(tuple(words[start : start + length]))
            if slots is None:
                continue
            for slot in slots:
                for offset in range(length):
                    mark = f"{'I' if offset else 'B'}-{slot}"
                    if mark not in marks[start + offset]:
                        marks[start + offset].append(mark)
    return [tuple(found) for found in marks]


def _lexicon(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(_LEXICON)]


def _class_of(token: Token, found: Sequence[str]) -> str:
    """Return what stands for a word when its class matters more than the word itself."""
    slots = [mark[2:] for mark in found if not mark[2:].startswith(_LEXICON)]
    return (slots[0] if slots else token.kind) or token.word


def intent_features(tokens: Sequence[Token], marks: Sequence[Sequence[str]]) -> list[str]:
    """Return the features by which the intent is told.

    Args:
        tokens: The utterance.
        marks: For each word its marks, as `gazetteer_matches` gives them.

    Returns:
        The features, each once, in a fixed order.
    """
    words = [token.word for token in tokens]
    features = {f"w={word}" for word in words}
    features |= {f"k={token.kind or token.word}" for token in tokens}
    features |= {f"b={a}_{b}" for a, b in pairwise([_EDGE, *words, _EDGE])}
    classes = [_class_of(token, found) for token, found in zip(tokens, marks, strict=True)]
    features |= {f"c={a}_{b}" for a, b in pairwise([_EDGE, *classes, _EDGE])}
    features |= {f"p={word[:4]}" for word in words if len(word) > 3}
    if words:
        features |= {f"f={words[0]}", f"l={words[-1]}"}
        features |= {f"fg={name}" for name in _lexicon(_names(marks[:1]))}
    names = _names(marks)
    features |= {f"g={name}" for name in names}
    acts = [name for name in names if name.startswith(_ACT)]
    topics = [name for name in names if name.startswith(_TOPIC)]
    values = [name for name in names if not name.startswith(_LEXICON)]
    # What is done and what it is done to tell the intent only together.
    features |= {f"at={act}_{topic}" for act in acts for topic in topics}
    features |= {f"tv={topic}_{value}" for topic in topics for value in values}
    features.add(f"n={min(len(words), 10) // 2}")
    return sorted(features)


def _names(marks: Iterable[Sequence[str]]) -> list[str]:
    """Return the slots and word lists of the values that start at some word."""
    return sorted({mark[2:] for found in marks for mark in found if mark.startswith("B")})


def _around(values: Sequence[str], index: int) -> str:
    return values[index] if 0 <= index < len(values) else _EDGE


def _token_features(
    words: Sequence[str], kinds: Sequence[str], marks: Sequence[Sequence[str]], i: int
) -> list[str]:
    word, kind = words[i], kinds[i]
    before, after = _around(words, i - 1), _around(words, i + 1)
    kind_before, kind_after = _around(kinds, i - 1), _around(kinds, i + 1)
    features = [
        "bias",
        f"w0={word}",
        f"w-1={before}",
        f"w+1={after}",
        f"w-2={_around(words, i - 2)}",
        f"w+2={_around(words, i + 2)}",
        f"w-1w0={before}_{word}",
        f"w0w+1={word}_{after}",
        f"w-2w-1={_around(words, i - 2)}_{before}",
        f"w+1w+2={after}_{_around(words, i + 2)}",
        f"k0={kind}",
        f"k-1k0={kind_before}_{kind}",
        f"k0k+1={kind}_{kind_after}",
        f"k-1k0k+1={kind_before}_{kind}_{kind_after}",
        f"w-1k0={before}_{kind}",
        f"k-2k-1k0={_around(kinds, i - 2)}_{kind_before}_{kind}",
        f"p={word[:3]}",
        f"e={word[-3:]}",
        f"pos={'first' if i == 0 else 'last' if i == len(words) - 1 else 'in'}",
    ]
    features += [f"g={mark}" for mark in marks[i]]
    features += [f"w-1g={before}_{mark}" for mark in marks[i]]
    features += [f"g-1={mark}" for mark in _around_marks(marks, i - 1)]
    features += [f"g+1={mark}" for mark in _around_marks(marks, i + 1)]
    return features


def _around_marks(marks: Sequence[Sequence[str]], index: int) -> Sequence[str]:
    return marks[index] if 0 <= index < len(marks) else ()


def slot_features(
    tokens: Sequence[Token],
    marks: Sequence[Sequence[str]],
    intent: str,
    domain: str,
    style: str = "",
) -> list[list[str]]:
    """Return, for each word, the features by which its slot is told.

    Args:
        tokens: The utterance.
        marks: For each word its marks, as `gazetteer_matches` gives them.
        intent: Its intent.
        domain: Its domain.
        style: The style of annotation wanted, as in `styled`.

    Returns:
        One list of features for each word.
    """
    words = [token.word for token in tokens]
    kinds = [token.kind for token in tokens]
    rows = []
    for i in range(len(tokens)):
        features = _token_features(words, kinds, marks, i)
        before, after = _around(words, i - 1), _around(words, i + 1)
        features += [
            f"d={domain}",
            f"i={intent}",
            f"iw0={intent}_{words[i]}",
            f"dw0={domain}_{words[i]}",
            f"dw-1={domain}_{before}",
            f"dw+1={domain}_{after}",
            f"iw-1={intent}_{before}",
            f"dk={domain}_{kinds[i]}",
        ]
        features += [f"dg={domain}_{mark}" for mark in marks[i]]
        if style:
            features += [f"~{feature}" for feature in features if feature[0] in _STYLED]
        rows.append(features)
    return rows
