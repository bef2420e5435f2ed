"""A run under stress as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ossia_evaluation.csv_text import csv_text
from ossia_evaluation.report.table import share_cells, share_columns
from ossia_evaluation.stress.figures import COSTS, Cell, Difference, Stress
from ossia_evaluation.stress.played import Outcome

__all__ = ["stress_csv", "stress_pairs_csv"]

_COUNTS: Final = ("acted_twice", "sent_again", "unmet", "unpaired", "invalid")
_CHANGE: Final = ("mean", "low", "high")


def stress_csv(result: Stress) -> str:
    """Return a line for each framework, model and fault."""
    header = (
        *("framework", "label", "model", "fault", "kind", "class", "dose", "place"),
        *share_columns("recovery"),
        *Outcome,
        *_COUNTS,
        *(f"extra_{cost}_{part}" for cost in COSTS for part in _CHANGE),
    )
    return csv_text(header, _lines(result))


def _lines(result: Stress) -> Iterator[tuple[object, ...]]:
    for line in result.lines:
        for fault in result.faults:
            named = (line.framework, line.label, line.model, fault.key)
            about = (fault.kind, fault.group, fault.dose, fault.place)
            yield (*named, *about, *_cells(line.by_fault[fault.key]))


def _cells(cell: Cell) -> Iterator[object]:
    yield from share_cells(cell.recovery)
    yield from (cell.outcomes[each] for each in Outcome)
    yield from (getattr(cell, name) for name in _COUNTS)
    for cost in COSTS:
        change = cell.price.get(cost)
        yield from (getattr(change, part, None) for part in _CHANGE)


def stress_pairs_csv(result: Stress) -> str:
    """Return a line for each two frameworks by class, and for each and the reference by fault."""
    names = tuple(Difference.model_fields)
    told = (*result.differences, *result.to_reference)
    return csv_text(names, (tuple(each.model_dump().values()) for each in told))
