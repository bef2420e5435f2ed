"""How alike two utterances are, and which of many are alike."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

SIZE: Final = 3
"""How many characters the compared pieces of a text have."""

_ROUNDING: Final = 1e-9
_WORD: Final = re.compile(r"[^\W_]+")


def plain_text(text: str) -> str:
    """Return a text without case, punctuation and surplus space."""
    return " ".join(_WORD.findall(text.casefold()))


def similarity(first: str, second: str) -> float:
    """Return how much of the character trigrams of two texts is shared.

    Args:
        first: a text; case and punctuation play no part.
        second: another text.

    Returns:
        Twice the shared trigrams over all of both: 1 for equal texts, 0 for wholly different ones.
    """
    one, other = _pieces(first), _pieces(second)
    return _share(len(one & other), len(one), len(other))


class TextIndex:
    """Texts that can be searched for those like a given one."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._pieces = tuple(map(_pieces, self.texts))
        self._sizes = tuple(map(len, self._pieces))
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, pieces in enumerate(self._pieces):
            for piece in pieces:
                self._holders[piece].append(number)

    def like(self, text: str, threshold: float) -> Iterator[tuple[int, float]]:
        """Yield the place and the similarity of each text that is at least so similar.

        Args:
            text: what is looked for.
            threshold: the smallest similarity, more than 0.

        Yields:
            Places in `texts`, in ascending order.
        """
        pieces = _pieces(text)
        # Whatever is so similar shares so many pieces at least; leaving out one piece less, what
        # remains is sure to hold a shared one. The rarest pieces have the fewest holders.
        least = math.ceil(threshold * len(pieces) / (2 - threshold) - _ROUNDING)
        rarest = sorted(pieces, key=lambda piece: (len(self._holders.get(piece, ())), piece))
        looked_at = rarest[: len(rarest) - max(least, 1) + 1]
        holders = (self._holders.get(piece, ()) for piece in looked_at)
        near = Counter(chain.from_iterable(holders))
        # What each has in common even if it had all the others as well.
        size, rest, sizes = len(pieces), len(rarest) - len(looked_at), self._sizes
        able = (
            number
            for number, shared in near.items()
            if 2 * (shared + rest) >= threshold * (size + sizes[number]) - _ROUNDING
        )
        for number in sorted(able):
            other = self._pieces[number]
            share = _share(len(pieces & other), len(pieces), len(other))
            if share >= threshold:
                yield number, share


def _pieces(text: str) -> frozenset[str]:
    # The blanks at the ends count, so that a text of one letter has pieces too.
    padded = f"  {plain_text(text)} "
    return frozenset(padded[at : at + SIZE] for at in range(len(padded) - SIZE + 1))


def _share(shared: int, first: int, second: int) -> float:
    return 2 * shared / (first + second)
