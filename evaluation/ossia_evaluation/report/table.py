"""Episodes and their comparison as CSV, for spreadsheets and notebooks.

Unknown values are empty, never zero; lists are joined by `|`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ossia_evaluation.compare import Comparison, EpisodeRow, FrameworkSummary, IntentAccuracy, Pair
from ossia_evaluation.rows import Share, share

PARTS = ("count", "of", "share", "low", "high")
"""What a share is written as: two numbers, their quotient and its 95 % interval."""

_LINE = ("framework", "model")
_FIGURES = (
    *("clarifications", "calls", "tokens", "tokens_estimated", "price_usd"),
    *("price_per_success_usd", "latency_p50_s", "latency_p95_s", "cpu_s", "reported_tokens_share"),
)
"""Columns of the comparison that are fields of a line as they are."""


def csv_text(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Return CSV with a header; None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return out.getvalue()


def share_cells(part: Share | None) -> tuple[object, ...]:
    """Return a share in its `PARTS`; all of them are empty for a share out of nothing."""
    if part is None or part.value is None:
        return ("",) * len(PARTS)
    return (part.count, part.of, f"{part.value:.4f}", f"{part.low:.4f}", f"{part.high:.4f}")


def share_columns(*names: str) -> tuple[str, ...]:
    """Return the columns of shares, such as `success_low`."""
    return tuple(f"{name}_{part}" for name in names for part in PARTS)


def episodes_csv(rows: Sequence[EpisodeRow]) -> str:
    """Return a line for each episode."""
    listed = {"roles", "forced"}
    lines = (
        ["|".join(v) if name in listed else v for name, v in row.model_dump(mode="json").items()]
        for row in rows
    )
    return csv_text(list(EpisodeRow.model_fields), lines)


def comparison_csv(result: Comparison) -> str:
    """Return a line for each framework and model, with every figure and its interval.

    A run with repeats has a column for each k of pass^k after the others.
    """
    most = max((max(line.pass_hat, default=0) for line in result.frameworks), default=0)
    header = (
        *(*_LINE, "version", "episodes", "valid", "invalid"),
        *share_columns("success", "success_of_all", "acted", "slots_correct", "side_effects"),
        *("unread", "refused", "facts_told", *_FIGURES, "forced"),
        *share_columns("frame_exact", "frame_unnamed"),
        *(f"pass_hat_{k}" for k in range(1, most + 1)),
    )
    return csv_text(header, (_comparison_line(result, line, most) for line in result.frameworks))


def by_domain_csv(result: Comparison) -> str:
    """Return a line for each framework and model in each domain."""
    header = (*_LINE, "domain", *share_columns("success", "frame_exact", "frame_unnamed"))
    lines = []
    for line in result.frameworks:
        named = _accuracy(result, line)
        for domain in result.domains:
            exact = None if named is None else named.exact_by_domain.get(domain)
            unnamed = None if named is None else named.unnamed_by_domain.get(domain)
            shares = (line.by_domain.get(domain), exact, unnamed)
            cells = (cell for part in shares for cell in share_cells(part))
            lines.append((line.framework, line.model, domain, *cells))
    return csv_text(header, lines)


def by_role_csv(result: Comparison) -> str:
    """Return a line for each framework, model and role: the failures in which rules name it."""
    header = (*_LINE, "role", *PARTS)
    lines = []
    for line in result.frameworks:
        failures = line.success.of - line.success.count
        for role in result.roles:
            named: Share | None = line.by_role.get(role)
            if named is None:
                # Stored before such shares were: counted by episodes.
                named = share(line.failures_by_role.get(role, 0), failures)
            lines.append((line.framework, line.model, role, *share_cells(named)))
    return csv_text(header, lines)


def pairs_csv(result: Comparison) -> str:
    """Return a line for each pair, with the tasks that only one of the two carries out."""
    header = (
        *("pairs_of", "within", "first", "second"),
        *("both", "only_first", "only_second", "neither"),
        *("tasks", "difference", "low", "high", "test", "p_value", "p_holm"),
        *("only_first_tasks", "only_second_tasks"),
    )
    return csv_text(header, map(_pair_line, result.pairs))


def _comparison_line(
    result: Comparison, line: FrameworkSummary, repeats: int
) -> tuple[object, ...]:
    valid = line.success.of
    shares = (line.success, line.success_of_all, line.acted, line.slots_correct, line.side_effects)
    figures = line.model_dump(include=set(_FIGURES))
    if not valid:
        # Of no valid episode nothing was counted, and a number would be taken for a finding.
        figures |= {"clarifications": None, "tokens_estimated": None}
    named = _accuracy(result, line)
    frames = (None, None) if named is None else (named.exact, named.unnamed)
    return (
        *(line.framework, line.model, line.version, line.episodes, valid, line.invalid),
        *(cell for part in shares for cell in share_cells(part)),
        *(
            line.unread if valid else None,
            line.refused if valid else None,
            line.facts,
            *(figures[name] for name in _FIGURES),
            "|".join(line.forced),
        ),
        *(cell for part in frames for cell in share_cells(part)),
        *(line.pass_hat.get(k) for k in range(1, repeats + 1)),
    )


def _accuracy(result: Comparison, line: FrameworkSummary) -> IntentAccuracy | None:
    key = line.framework, line.model
    return next((one for one in result.intents if (one.framework, one.model) == key), None)


def _pair_line(pair: Pair) -> tuple[object, ...]:
    return (
        *(pair.of, pair.within, pair.first, pair.second),
        *(pair.both, len(pair.only_first), len(pair.only_second), pair.neither),
        *(pair.tasks, pair.difference, pair.low, pair.high, pair.test),
        *(pair.p_value, pair.p_holm, "|".join(pair.only_first), "|".join(pair.only_second)),
    )
