"""A run under stress as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from ossia_evaluation.report.figures import UNKNOWN
from ossia_evaluation.report.word_table import WordTable, word_table
from ossia_evaluation.stress.figures import ALL, Stress, StressLine
from ossia_evaluation.stress.played import Outcome
from ossia_evaluation.words import counted

__all__ = ["MARKS", "NOTE", "stress_tables"]

MARKS: Final = ("\u25b2", "\u25bc")
"""Stand behind the best and the worst."""

NOTE: Final = (
    f"Share of the episodes that succeed without the fault. {MARKS[0]} best, {MARKS[1]} worst:"
    f" where the two differ significantly (sign-flip test by task, all pairs and classes"
    " Holm-adjusted). Clients retry a failed call by each framework's defaults, twice or more;"
    " control's does not."
)
_OTHERWISE: Final = (Outcome.LOUD, Outcome.SILENT, Outcome.DAMAGE, Outcome.RUNAWAY)


def stress_tables(result: Stress) -> Iterator[RenderableType]:
    """Yield what is told of a run under stress, sentences first."""
    yield Text(f"\nUnder stress: plan {result.plan}, {counted(len(result.faults), 'fault')}")
    for sentence in result.finding:
        yield Text(sentence, style="bold")
    for model in result.models:
        lines = result.with_model(model)
        if not lines:
            continue
        mark = f" with {model}" if len(result.models) > 1 else ""
        yield Text(f"\nRecovery by class of fault{mark}", style="bold")
        yield _recovery(result, model, lines)
        yield Text(f"\nFailure outcomes and recovery overhead{mark}", style="bold")
        yield _endings(lines)
    yield Text(NOTE)
    yield from _left_out(result)


def _recovery(result: Stress, model: str, lines: Sequence[StressLine]) -> WordTable:
    table = word_table("class of fault", *(line.label for line in lines))
    for group in (*result.groups, ALL):
        extremes = result.extremes(model, group)
        table.add_row(group, *(_share(line, group, extremes) for line in lines))
    return table


def _share(line: StressLine, group: str, extremes: Sequence[frozenset[str]]) -> str:
    value = line.by_group[group].recovery.value
    if value is None:
        return f"{UNKNOWN}  "
    marks = [m for m, names in zip(MARKS, extremes, strict=True) if line.framework in names]
    return f"{100 * value:.0f} %{''.join(marks) or ' '}"


def _endings(lines: Sequence[StressLine]) -> WordTable:
    outcomes = (each.label for each in _OTHERWISE)
    heads = ("n", *outcomes, "acts twice", "retried", "+calls", "+tokens", "+s")
    table = word_table("framework", *heads)
    for line in lines:
        cell = line.by_group[ALL]
        price = [cell.price.get(name) for name in ("calls", "tokens", "wall_s")]
        forms = ("+.1f", "+,.0f", "+.2f")
        table.add_row(
            Text(line.label),
            str(cell.recovery.of),
            *(str(cell.outcomes[each]) for each in _OTHERWISE),
            str(cell.acted_twice),
            str(cell.sent_again),
            *(
                UNKNOWN if each is None else format(each.mean + 0.0, form)
                for each, form in zip(price, forms, strict=True)
            ),
        )
    return table


def _left_out(result: Stress) -> Iterator[Text]:
    cells = [line.by_group[ALL] for line in result.lines]
    why = {
        "never reached the call where the fault would be injected": sum(
            cell.unmet for cell in cells
        ),
        "fail without the fault as well": sum(cell.unpaired for cell in cells),
        "are invalid": sum(cell.invalid for cell in cells),
    }
    told = [f"{counted(count, 'episode')} that {what}" for what, count in why.items() if count]
    if told:
        yield Text(f"Not counted: {', '.join(told)}.")
