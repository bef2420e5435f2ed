"""Frameworks by idioms: what moves with the framework, and what with how its manager leads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ossia_evaluation.compare import Comparison, FrameworkSummary
from ossia_evaluation.report.figures import UNKNOWN, number


@dataclass(frozen=True, slots=True)
class IdiomTable:
    """One figure by framework and idiom, ready to be shown.

    Attributes:
        title: What is told.
        idioms: The columns, by name.
        rows: Each framework, with its model where there are several, and a cell for each idiom.
            A second variant of it in an idiom has a row of its own, by the variant's name.
    """

    title: str
    idioms: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def idiom_tables(result: Comparison) -> tuple[IdiomTable, ...]:
    """Return success, calls and tokens by framework and idiom.

    Nothing where each framework plays one idiom alone: the lines of the frameworks tell it all.

    Args:
        result: The comparison.
    """
    lines = [line for line in result.frameworks if line.idiom]
    idioms = tuple(sorted({line.idiom for line in lines}))
    cells: dict[str, dict[str, FrameworkSummary]] = {}
    for line in lines:
        by = cells.setdefault(_row(result, line), {})
        if line.idiom in by:
            by = cells.setdefault(_row(result, line, variant=True), {})
        by[line.idiom] = line
    if all(len(by) == 1 for by in cells.values()):
        return ()
    return tuple(
        IdiomTable(
            title,
            idioms,
            tuple(
                (
                    row,
                    tuple(tell(by[idiom]) if idiom in by else UNKNOWN for idiom in idioms),
                )
                for row, by in cells.items()
            ),
        )
        for title, tell in _FIGURES
        if tell is not _success or {*result.models} != {*result.equal}
    )


def _row(result: Comparison, line: FrameworkSummary, *, variant: bool = False) -> str:
    """The framework, with its variant if asked for, the run and the model of a line."""
    key, beside, run = line.framework.partition(" @")
    name = (key if variant else key.partition(":")[0]) + beside + run
    return f"{name} {result.mark(line.model)}" if len(result.models) > 1 else name


def _success(line: FrameworkSummary) -> str:
    return number(line.success.value, ".2f")


def _tokens(line: FrameworkSummary) -> str:
    mark = "~" if line.tokens_estimated and line.tokens is not None else ""
    return mark + number(line.tokens, ",.0f")


_FIGURES: Final[tuple[tuple[str, Callable[[FrameworkSummary], str]], ...]] = (
    ("Success by idiom", _success),
    ("Model calls of an episode by idiom", lambda line: number(line.calls, ",.1f")),
    ("Tokens of an episode by idiom", _tokens),
)
