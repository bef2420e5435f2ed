"""What is expected of the attributor on wild faults."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.attribution.targets import MISSED, UNKNOWN, Checked, Figure, least, most, percent_of
from benchmarks.attribution.wild.clustered import Estimate
from benchmarks.attribution.wild.figures import WildValidation


def gates(result: WildValidation) -> tuple[Checked, ...]:
    """Return every gate with what a protocol says of it."""
    found = result.overall
    calls = float(found.model_calls) if found.cases else None
    return (
        least("exact families, %", percent_of(found.exact), 95),
        most("false exoneration, %", percent_of(found.false_exoneration), 1),
        most("false blame, %", percent_of(found.false_blame), 1),
        most("replays, mean", _figure(found.replays_mean), 8),
        most("replays, 95th percentile", _figure(found.replays_p95), 30),
        most("model calls", (calls, None, None), 0),
    )


def held(rows: Iterable[Checked]) -> bool:
    """Whether no gate is missed, and none without a case."""
    return all(row.result not in (MISSED, UNKNOWN) for row in rows)


def _figure(estimate: Estimate) -> Figure:
    return estimate.value, estimate.low, estimate.high
