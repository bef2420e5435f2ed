"""The tables that the benchmarks print: figures, goals and whether each goal is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Goal", "Row", "Table"]


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure with the bound that it should keep.

    Attributes:
        value: The figure.
        bound: The bound.
        better: Whether figures at or above the bound are good, or those at or below it.
        unit: What stands behind the figures, such as ` ms`.
        digits: Digits after the point.
    """

    value: float
    bound: float
    better: Literal["more", "less"]
    unit: str = ""
    digits: int = 2

    @property
    def met(self) -> bool:
        """Whether the figure keeps the bound."""
        return self.value >= self.bound if self.better == "more" else self.value <= self.bound

    @property
    def text(self) -> str:
        """The bound as it is shown, such as `>= 0.70`."""
        sign = ">=" if self.better == "more" else "<="
        return f"{sign} {self.bound:.{self.digits}f}{self.unit}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table.

    Attributes:
        cells: What it shows, one text for each column.
        goal: What it is judged by; None for a line that only informs.
        broken: Why the figures do not count, if they do not.
    """

    cells: tuple[str, ...]
    goal: Goal | None = None
    broken: str | None = None

    @property
    def verdict(self) -> str:
        """`pass`, `miss`, `broken: why`, or nothing where there is no goal."""
        if self.broken is not None:
            return f"broken: {self.broken}"
        if self.goal is None:
            return ""
        return "pass" if self.goal.met else "miss"


@dataclass(frozen=True, slots=True)
class Table:
    """The result of one benchmark.

    Attributes:
        title: What was measured.
        columns: Heads of the columns; goal and verdict are added behind.
        rows: The lines.
        notes: Sentences under the table: how it was measured.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        """Whether no line misses its goal and none is broken."""
        return all(row.verdict in ("", "pass") for row in self.rows)

    def plain(self) -> str:
        """Return the table for a terminal."""
        lines = self._lines()
        widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
        shown = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        rule = "-" * max(map(len, shown))
        return "\n".join([self.title, rule, shown[0], rule, *shown[1:], *self.notes])

    def markdown(self) -> str:
        """Return the table for a document."""
        head, *body = self._lines()
        lines = [f"### {self.title}", "", _piped(head), _piped(["---"] * len(head))]
        lines += [_piped(line) for line in body]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines)

    def _lines(self) -> list[Sequence[str]]:
        body = [
            (*row.cells, "" if row.goal is None else row.goal.text, row.verdict)
            for row in self.rows
        ]
        return [(*self.columns, "goal", "verdict"), *body]


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
