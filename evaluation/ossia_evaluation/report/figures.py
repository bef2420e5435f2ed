"""How figures are written, in the terminal's tables and in the page's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ossia_evaluation.compare import Comparison, FrameworkSummary
from ossia_evaluation.metrics import MetricInfo
from ossia_evaluation.rows import MetricSummary, Share

UNKNOWN = "-"
"""Shown where nothing is known; never a zero."""


NOT_COMPARED = (
    "Not compared: checkpointing, streaming, a human in the loop, parallel branches, open-ended"
    " planning, recovery from errors, and developer effort."
)
"""Said on the first page: what no figure of a comparison tells of a framework."""


def share_text(share: Share | None) -> str:
    """Return a share with its interval: `0.62 [0.55, 0.68]`; a dash for a share out of nothing."""
    if share is None or share.value is None:
        return UNKNOWN
    return f"{share.value:.2f} [{share.low:.2f}, {share.high:.2f}]"


LOST, NONE_LOST = "answers lost", "none"


def success_head(result: Comparison) -> str:
    """Return the head of the column of success; where that is equal by construction, of losses."""
    return LOST if _all_equal(result) else "success [95 %]"


def success_cell(result: Comparison, line: FrameworkSummary) -> str:
    """Return what stands in this column."""
    if line.model not in result.equal:
        return share_text(line.success)
    return NONE_LOST if _all_equal(result) else f"{LOST}: {NONE_LOST}"


def _all_equal(result: Comparison) -> bool:
    return {*result.models} == {*result.equal}


def number(value: float | None, form: str) -> str:
    """Return a number in a form; a dash where it is unknown."""
    return UNKNOWN if value is None else format(value, form)


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """A column of what an episode takes.

    Attributes:
        head: Its head.
        of: The figure of a line.
        form: How that is written.
    """

    head: str
    of: Callable[[FrameworkSummary], float | None]
    form: str

    def cell(self, line: FrameworkSummary) -> str:
        """Return the figure of a line as it stands in the column."""
        return number(self.of(line), self.form)


_LATENCY = (
    TimeColumn("latency p50 s", lambda line: line.latency_p50_s, ".3f"),
    TimeColumn("p95 s", lambda line: line.latency_p95_s, ".3f"),
)
_THROUGHPUT = TimeColumn("throughput / min", lambda line: line.throughput_per_min, ",.0f")


def time_columns(result: Comparison) -> tuple[TimeColumn, ...]:
    """Return latency where episodes were played one at a time, throughput where several were."""
    alone = {line.jobs == 1 for line in result.frameworks}
    return (*(_LATENCY if True in alone else ()), *(() if alone == {True} else (_THROUGHPUT,)))


def time_note(result: Comparison) -> str:
    """Return what these columns measure."""
    jobs = sorted({line.jobs for line in result.frameworks if line.jobs is not None})
    if jobs == [1]:
        return "Latency: seconds of an episode that was played alone, frameworks alternating."
    at_once = f"{' or '.join(map(str, jobs))} at once" if jobs else "an unknown number at once"
    return (
        f"Throughput: episodes a minute, {at_once}, frameworks alternating on one machine;"
        " latency is measured with --jobs 1."
    )


WORKERS = "Worker footprint after import, and framework maintenance"
WORKER_HEADS = ("import CPU s", "memory MiB", "maintenance")


def worker_cells(line: FrameworkSummary) -> tuple[str, str, str]:
    """Return what stands in the columns of `WORKER_HEADS`."""
    worker = line.worker
    return (
        number(None if worker is None else worker.import_cpu_s, ".2f"),
        number(None if worker is None else worker.memory_mib, ".0f"),
        line.status or UNKNOWN,
    )


def head(metric: MetricInfo) -> str:
    """Return the head of a metric's column."""
    return f"{metric.title} [95 %]" if metric.has_interval else metric.title


def cell(metric: MetricInfo, line: FrameworkSummary) -> str:
    """Return a metric of a line as it stands in a column."""
    found = line.metrics.get(metric.name)
    if found is None or found.value is None:
        return UNKNOWN
    if not isinstance(found, Share):
        return metric.text(found.value)
    if metric.count_only:
        return str(found.count)
    low, high = metric.text(found.low), metric.text(found.high)
    return f"{metric.text(found.value)} [{low}, {high}]"


def notes(metrics: Sequence[MetricInfo]) -> Iterator[str]:
    """Yield what metrics say, one sentence for each that tells it."""
    for metric in metrics:
        if metric.help:
            yield f"{capitalised(metric.title)}: {metric.help}."


def metric_lines(result: Comparison) -> Iterator[str]:
    """Yield the lines that stand below the terminal's table of success, one for each metric.

    Lines that count nothing are not named in them.
    """
    for metric in result.lines:
        known = [(line, line.metrics.get(metric.name)) for line in result.frameworks]
        told = [
            f"{result.label(line)} {_short(metric, found)}"
            for line, found in known
            if metric.aggregate != "count" or (found is not None and found.value)
        ]
        if told:
            says = f" ({metric.help})" if metric.help else ""
            yield f"{capitalised(metric.title)}{says}: {', '.join(told)}"


def _short(metric: MetricInfo, found: MetricSummary | None) -> str:
    if found is None or found.value is None:
        return UNKNOWN
    if isinstance(found, Share) and metric.count_only:
        return str(found.count)
    return metric.text(found.value)


def capitalised(text: str) -> str:
    """Return a text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]
