"""A judge's marks beside the scores by rules, as a table and lines of a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from ossia.judging import Judge, Marks
from ossia_evaluation.judged import MOST, Agreement
from ossia_evaluation.report.word_table import word_table
from ossia_evaluation.words import counted

_COLUMNS: Final = ("judged", "unscored", "mark", "by rules", "apart", "rank correlation")


def agreement_table(judge: Judge, lines: Mapping[str, Agreement]) -> RenderableType:
    """Return how far a judge's marks agree with the scores by rules.

    Args:
        judge: the judge.
        lines: the agreement by what a line of the table is called.
    """
    table = word_table("framework", *_COLUMNS)
    for name, found in lines.items():
        figures = (found.mean, found.rules, found.apart, found.rank)
        cells = ("-" if each is None else f"{each:.2f}" for each in figures)
        counts = (str(found.judged), str(found.unscored))
        table.add_row(*map(Text, (name, *counts, *cells)))
    return Group(Text(f"\nA second opinion: marks of 0 to {MOST} by {judge.model}"), table)


def marks_lines(marks: Marks) -> Iterator[str]:
    """Yield what a table of marks shows, and what they cost."""
    yield (
        f"by rules: the run's own score, times {MOST}; apart: the mean distance of the two;"
        " unscored: no mark could be read, so these count in no mean"
    )
    spent = marks.spent
    price = "an unknown price" if spent.price_usd is None else f"{spent.price_usd:.4f} USD"
    yield (
        f"asked now: {counted(marks.asked_now, 'time')}; all these marks took"
        f" {counted(spent.calls, 'call')}, {spent.tokens:,} tokens and {price}, which no figure of"
        " the run includes"
    )
    for episode, why in list(marks.unanswered.items())[:1]:
        many = counted(len(marks.unanswered), "response")
        yield f"{many} not judged, {episode} because {why}; run the same command again to ask again"
