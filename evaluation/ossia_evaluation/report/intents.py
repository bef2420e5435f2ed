"""The intent role's accuracy by domain as tables, models laid side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ossia_evaluation.compare import Comparison, IntentAccuracy, Share

UNKNOWN = "-"
ARROW = " → "
_ALL = "all"
_TITLES = {
    "exact": "Intent accuracy by domain, exact (domain, intent and slots), %",
    "unnamed": "Intent accuracy by domain, ignoring slot names, %",
}


@dataclass(frozen=True, slots=True)
class IntentTable:
    """One table, ready to be shown.

    Attributes:
        kind: `exact` or `unnamed`.
        title: What is counted.
        columns: Titles of the columns after the domain's.
        rows: Domain and cells, with a last row for all domains together.
    """

    kind: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def intent_tables(result: Comparison) -> tuple[IntentTable, ...]:
    """Return the tables of a comparison of models; none for one model.

    With two models a cell reads `before → after`, as in Auto-SLURP's Tables 6
    and 7; with more there is a column for each framework and model.

    Args:
        result: The comparison.
    """
    if not result.intents or len(result.models) < 2:
        return ()
    return tuple(_table(result, kind, title) for kind, title in _TITLES.items())


def _table(result: Comparison, kind: str, title: str) -> IntentTable:
    columns = list(_columns(result, kind))
    rows = []
    for domain in [*result.domains, _ALL]:
        sizes = [0 if s is None else s.of for _, column in columns for s in column[domain]]
        cells = (str(max(sizes, default=0)), *(_cell(column[domain]) for _, column in columns))
        rows.append((domain, cells))
    return IntentTable(kind, title, ("n", *(name for name, _ in columns)), tuple(rows))


_Column = Mapping[str, tuple[Share | None, ...]]


def _columns(result: Comparison, kind: str) -> Iterator[tuple[str, _Column]]:
    """Name and shares by domain of each column; two models share one."""
    if len(result.models) > 2:
        for line in result.intents:
            shares = _shares(result, line, kind)
            name = f"{line.framework} {result.mark(line.model)}"
            yield name, {domain: (value,) for domain, value in shares.items()}
        return
    by_line = {(line.framework, line.model): line for line in result.intents}
    for framework in dict.fromkeys(line.framework for line in result.intents):
        lines = [by_line.get((framework, model)) for model in result.models]
        parts = [_shares(result, line, kind) for line in lines]
        yield framework, {domain: tuple(part[domain] for part in parts) for domain in parts[0]}


def _shares(
    result: Comparison, line: IntentAccuracy | None, kind: str
) -> Mapping[str, Share | None]:
    if line is None:
        return dict.fromkeys([*result.domains, _ALL])
    exact = kind == "exact"
    by_domain = line.exact_by_domain if exact else line.unnamed_by_domain
    shares: dict[str, Share | None] = {domain: by_domain.get(domain) for domain in result.domains}
    return {**shares, _ALL: line.exact if exact else line.unnamed}


def _cell(shares: tuple[Share | None, ...]) -> str:
    return ARROW.join(
        UNKNOWN if share is None or share.value is None else f"{100 * share.value:.1f}"
        for share in shares
    )
