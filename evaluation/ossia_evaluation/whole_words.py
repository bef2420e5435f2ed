"""Text for the terminal of which no word is cut, so that an address can be copied."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

_WORD = re.compile(r"\s*\S+\s*")


def whole_lines(text: Text, width: int) -> Iterator[Text]:
    """Yield the lines of a text; a word that is longer than the width has a line of its own.

    rich would cut such a word, or else break no line at all.
    """
    for line in text.split("\n", allow_blank=True):
        taken, breaks = 0, []
        for word in _WORD.finditer(line.plain):
            if taken and taken + cell_len(word.group().rstrip()) > width:
                breaks.append(word.start())
                taken = 0
            taken += cell_len(word.group())
        for part in line.divide(breaks):
            part.rstrip()
            yield part


def has_longer_word(text: Text, width: int) -> bool:
    """Return whether rich would cut a word of a text."""
    return any(cell_len(word) > width for word in text.plain.split())
