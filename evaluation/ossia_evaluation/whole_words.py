"""Text for the terminal of which no word is cut, so that an address can be copied."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from ossia_evaluation.visible import visible

_WORD = re.compile(r"\s*\S+\s*")


class Indented:
    """A text whose further lines on a narrow terminal are indented like its first; none is cut."""

    def __init__(self, text: str | Text, hang: int = 0) -> None:
        """Print nothing yet.

        Args:
            text: what is printed; a `str` has no markup.
            hang: how much more the further lines are indented than the first.
        """
        self._text = Text(visible(text)) if isinstance(text, str) else text
        self._hang = hang

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield its lines."""
        plain = self._text.plain
        indent = len(plain) - len(plain.lstrip())
        width = max(1, options.max_width - indent - self._hang)
        for number, part in enumerate(whole_lines(self._text[indent:], width)):
            before = " " * (indent + (self._hang if number else 0))
            line = Text(before, no_wrap=True, overflow="ignore")
            yield line.append_text(part)


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
