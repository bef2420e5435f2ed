"""Tables that break no number and no name; what is too wide goes on in a further part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table
from rich.text import Text

_PARTS = re.compile(r"\[[^\]]*\]|\S+")
"""What of a header is never broken: a word, or several in square brackets, such as `[95 %]`."""

_PADDING = (0, 1, 0, 0)
"""One space beside the rule between columns: on 80 columns each further one breaks figures."""

_WORD = 24
"""Longer words of a text may be broken, such as a path or an address."""


def word_table(*columns: str, lead: int = 1) -> WordTable:
    """Return an empty table whose first columns are names and whose others are figures.

    Args:
        *columns: the headers. A column of texts is one that is then justified to the left.
        lead: how many columns name a row; they stand in each part of a table that is too wide.
    """
    table = WordTable(lead)
    for index, column in enumerate(columns):
        table.add_column(
            Text(column),  # A name may hold square brackets, which are no markup.
            justify="left" if index < lead else "right",
            overflow="fold",
            # Names broken in their middle cannot be read; figures give way first.
            no_wrap=index < lead,
        )
    return table


def figure_table(name: str, *figures: str) -> Table:
    """Return an empty table of a column of names and columns of figures, by their headers."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(name)
    for figure in figures:
        table.add_column(figure, justify="right")
    return table


class WordTable(Table):
    """A table in as many parts as the width asks for, each with the columns that name a row.

    rich takes room from the widest columns alike, whether or not a word of theirs still fits.
    """

    def __init__(self, lead: int) -> None:
        """Make an empty table of which so many columns name a row."""
        super().__init__(box=SIMPLE_HEAD, pad_edge=False, padding=_PADDING)
        self._lead = lead

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print the table whole where it fits, else in parts, and say so."""
        names, figures = self.columns[: self._lead], self.columns[self._lead :]
        if not all(self._part([*names, each])._fits(console, options) for each in figures):
            # Better a name on two lines than one that is cut, and no figure beside it.
            for name in names:
                name.no_wrap = False
        parts = list(self._parts(console, options))
        if len(parts) == 1:
            yield from self._whole(console, options)
            return
        for number, columns in enumerate(parts, 1):
            if number > 1:
                yield Text(
                    f"(part {number} of {len(parts)}; the table is wider than {options.max_width})"
                )
            yield from self._part(columns)._whole(console, options)

    def _parts(self, console: Console, options: ConsoleOptions) -> Iterator[Sequence[Column]]:
        """Yield the columns of each part: those that name a row, and as many others as fit."""
        names, figures = self.columns[: self._lead], self.columns[self._lead :]
        taken: list[Column] = []
        for column in figures:
            trial = self._part([*names, *taken, column])
            if taken and not trial._fits(console, options):
                yield [*names, *taken]
                taken = []
            taken.append(column)
        yield [*names, *taken]

    def _part(self, columns: Sequence[Column]) -> WordTable:
        part = WordTable(self._lead)
        for column in columns:
            part.add_column(
                column.header,
                justify=column.justify,
                overflow=column.overflow,
                no_wrap=column.no_wrap,
            )
        for cells in zip(*(column.cells for column in columns), strict=True):
            part.add_row(*cells)
        return part

    def _fits(self, console: Console, options: ConsoleOptions) -> bool:
        least = [_widths(column)[1] for column in self.columns]
        return bool(_between(len(self.columns)) + sum(least) <= options.max_width)

    def _whole(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give each column its least width, unless that would not fit, and share the rest."""
        whole, least = zip(*map(_widths, self.columns), strict=True)
        room = options.max_width - _between(len(self.columns)) - sum(least)
        # Without room rich cuts the columns, and a header may have as little as its longest part.
        widths = list(least) if room >= 0 else [0] * len(least)
        if room >= 0:
            # The columns that lack least come first, so that most are not wrapped at all.
            lacks = [all_ - word for all_, word in zip(whole, least, strict=True)]
            for index in sorted(range(len(lacks)), key=lacks.__getitem__):
                given = min(lacks[index], room)
                widths[index] += given
                self.columns[index].width = widths[index]
                room -= given
        for column, width in zip(self.columns, widths, strict=True):
            column.header = Text(_broken(str(column.header), width))
        yield from super().__rich_console__(console, options)


@cache
def _between(columns: int) -> int:
    """The room that rules and spaces take, which is the same beside columns of one letter."""
    table = Table(*"x" * columns, box=SIMPLE_HEAD, pad_edge=False, padding=_PADDING)
    console = Console(width=10 * columns)
    return table.__rich_measure__(console, console.options).maximum - columns


def _widths(column: Column) -> tuple[int, int]:
    """The width of a column's longest text, and the least that breaks nothing of it."""
    header, cells = str(column.header), [str(cell) for cell in column.cells]
    whole = max(map(cell_len, (header, *cells)), default=0)
    if column.no_wrap:
        return whole, whole
    words = max(map(cell_len, _PARTS.findall(header)), default=0)
    if column.justify == "right":
        # A figure stays with its unit or interval.
        return whole, max(words, *map(cell_len, cells), 0)
    longest = max((cell_len(word) for cell in cells for word in cell.split()), default=0)
    return whole, max(words, min(longest, _WORD))


def _broken(header: str, width: int) -> str:
    """A header on as many lines as it needs, with its brackets whole."""
    lines: list[str] = []
    for part in _PARTS.findall(header):
        if lines and cell_len(f"{lines[-1]} {part}") <= width:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return "\n".join(lines)
