"""Comparison of frameworks and models: what succeeded, what it cost and which role failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ossia_evaluation.comparison import (
    COMPARISON_VERSION,
    Comparison,
    FrameworkSummary,
    Pair,
    Title,
    WorkerFigures,
)
from ossia_evaluation.finding import finding
from ossia_evaluation.grade import Verdict
from ossia_evaluation.metrics import Metric, MetricInfo
from ossia_evaluation.pairs import framework_pairs, model_pairs
from ossia_evaluation.rows import (
    DroppedCost,
    EpisodeRow,
    MetricSummary,
    Share,
    TaskShare,
    dropped_cost,
    episode_row,
    metric_summary,
    share,
    task_share,
    turn_costs,
    user_cost,
)
from ossia_evaluation.stats import pass_hat_k, percentile

__all__ = [
    "COMPARISON_VERSION",
    "Comparison",
    "DroppedCost",
    "EpisodeRow",
    "FrameworkSummary",
    "Pair",
    "Share",
    "TaskShare",
    "Title",
    "WorkerFigures",
    "compare",
    "episode_row",
    "share",
]


def compare(
    rows: Sequence[EpisodeRow],
    *,
    run: str,
    frameworks: Mapping[str, str],
    roles: Sequence[str],
    planned: int,
    facts: Mapping[str, str],
    models: Sequence[str] = (),
    metrics: Sequence[Metric] = (),
    success: str = "",
    titles: Mapping[str, Title] = MappingProxyType({}),
    alike: Collection[str] = (),
    workers: Mapping[str, WorkerFigures] = MappingProxyType({}),
) -> Comparison:
    """Compare frameworks, and models in each of them.

    Args:
        rows: every finished episode; those with a fault are left out.
        run: the run's name.
        frameworks: exact versions by name, in the order in which they are shown; others follow.
        roles: roles in the order in which they are shown.
        planned: episodes without a fault of the whole plan.
        facts: what a reader needs to repeat the run.
        models: models in the order in which they are shown; others follow.
        metrics: what the suite tells beside success, in the order in which it is shown.
        success: what a success is, as the suite tells it.
        titles: what tables call frameworks, by name; others are called by their name.
        alike: models that answer alike in whatever framework, so that success can only be lost.
        workers: what the frameworks' workers took until they were ready, by name.
    """
    rows = [row for row in rows if not row.fault]
    columns = _columns(rows, roles, metrics)
    there = _ordered(tuple(frameworks), (row.framework for row in rows))
    names = _ordered(models, (row.model for row in rows))
    lines = _lines(rows, there, names)
    pairs = (*framework_pairs(names, lines), *model_pairs(there, lines))
    result = Comparison(
        run=run,
        facts=dict(facts),
        planned=planned,
        finished=len(rows),
        frameworks=tuple(_titled(_summaries(lines, frameworks, columns), titles, workers)),
        roles=columns.roles,
        success=success,
        metrics=columns.metrics,
        group=columns.group,
        groups=tuple(_groups(rows, columns.group)),
        models=tuple(names),
        pairs=pairs,
        equal=tuple(model for model in names if model in alike and _is_equal(model, pairs)),
        invalid={r.episode: r.reason for r in rows if r.verdict is Verdict.INVALID},
        dropped=dropped_cost(rows),
        user=user_cost(rows),
        unaccounted_attempts=sum(row.unaccounted_attempts for row in rows),
        cached_calls=sum(row.cached_calls for row in rows),
        calls=sum(row.calls for row in rows),
    )
    uncommon, even = _uncommon(lines), result.frameworks
    if uncommon:
        shared = {key: [r for r in rs if _played(r) not in uncommon] for key, rs in lines.items()}
        even = tuple(_titled(_summaries(shared, frameworks, columns), titles, workers))
    tasks = tuple(sorted({task for task, _ in uncommon}))
    return result.model_copy(update={"finding": finding(result, even=even, uncommon=tasks)})


def _played(row: EpisodeRow) -> tuple[str, int]:
    return row.task, row.repeat


def _uncommon(lines: Mapping[tuple[str, str], Sequence[EpisodeRow]]) -> frozenset[tuple[str, int]]:
    """The tasks and repeats of which some lines have a valid episode, and others have none.

    A line without any valid episode is compared with nothing, and does not count.
    """
    valid = [
        frozenset(_played(row) for row in rows if row.verdict is not Verdict.INVALID)
        for rows in lines.values()
    ]
    there = [played for played in valid if played]
    return there[0].union(*there) - there[0].intersection(*there) if there else frozenset()


def _is_equal(model: str, pairs: Sequence[Pair]) -> bool:
    """Whether frameworks can be told apart by no episode with a model."""
    within = [pair for pair in pairs if pair.of == "frameworks" and pair.within == model]
    return bool(within) and all(
        pair.tasks and not pair.only_first and not pair.only_second for pair in within
    )


@dataclass(frozen=True)
class _Columns:
    """What every line tells."""

    roles: tuple[str, ...]
    metrics: tuple[MetricInfo, ...]
    group: str
    """The kind of group by which results are told; empty where there is none."""


def _columns(
    rows: Sequence[EpisodeRow], roles: Sequence[str], metrics: Sequence[Metric]
) -> _Columns:
    """What rows have: the roles to blame, the suite's metrics, and the first kind of group."""
    group = next((kind for row in rows for kind in row.groups), "")
    return _Columns(tuple(_roles(rows, roles)), tuple(metric.info for metric in metrics), group)


def _roles(rows: Sequence[EpisodeRow], roles: Sequence[str]) -> list[str]:
    """Return the roles that are to blame somewhere, those of an order first."""
    seen = {role for row in rows for role in row.roles}
    return [*(role for role in roles if role in seen), *sorted(seen - set(roles))]


def _lines(
    rows: Sequence[EpisodeRow], frameworks: Sequence[str], models: Sequence[str]
) -> dict[tuple[str, str], list[EpisodeRow]]:
    """The rows of each framework and model that have any, in the order of the two."""
    lines: dict[tuple[str, str], list[EpisodeRow]] = {
        (framework, model): [] for framework in frameworks for model in models
    }
    for row in rows:
        lines[row.framework, row.model].append(row)
    return {key: found for key, found in lines.items() if found}


def _ordered(wanted: Sequence[str], found: Iterable[str]) -> list[str]:
    """The names that occur: wanted ones first, in that order."""
    present = dict.fromkeys(found)
    return [*(n for n in wanted if n in present), *(n for n in present if n not in wanted)]


def _summaries(
    lines: Mapping[tuple[str, str], Sequence[EpisodeRow]],
    versions: Mapping[str, str],
    columns: _Columns,
) -> Iterator[FrameworkSummary]:
    for (framework, model), rows in lines.items():
        yield _summary(framework, model, versions.get(framework, ""), rows, columns)


def _titled(
    lines: Iterable[FrameworkSummary],
    titles: Mapping[str, Title],
    workers: Mapping[str, WorkerFigures],
) -> Iterator[FrameworkSummary]:
    """The lines with their titles, but for one that two frameworks share: rows would be alike."""
    found = list(lines)
    there = {line.framework: titles.get(line.framework, Title(text="")) for line in found}
    shared = Counter(title.text for title in there.values())
    for line in found:
        title = there[line.framework]
        label = title.text if shared[title.text] == 1 else ""
        told = {"label": label, "idiom": title.idiom, "status": title.status}
        yield line.model_copy(update={**told, "worker": workers.get(line.framework)})


def _summary(
    name: str, model: str, version: str, rows: Sequence[EpisodeRow], columns: _Columns
) -> FrameworkSummary:
    valid = [row for row in rows if row.verdict is not Verdict.INVALID]
    price, per_success = _prices(valid)
    seconds = [row.wall_s for row in valid]
    failed = [row for row in valid if row.verdict is Verdict.FAILURE]
    groups = _groups(valid, columns.group)
    counted = [metric for metric in columns.metrics if metric.aggregate is not None]
    refusals = [row.refusal for row in failed if row.refusal is not None]
    return FrameworkSummary(
        framework=name,
        model=model,
        version=version,
        episodes=len(rows),
        invalid=len(rows) - len(valid),
        success=task_share((row.task, row.verdict is Verdict.SUCCESS) for row in valid),
        success_of_all=task_share((row.task, row.verdict is Verdict.SUCCESS) for row in rows),
        metrics={metric.name: metric_summary(metric, valid) for metric in counted},
        refused=len(refusals),
        refusal=refusals[0] if refusals else None,
        calls=_mean(row.calls for row in valid),
        tokens=_mean(row.prompt_tokens + row.completion_tokens for row in valid),
        tokens_estimated=any(row.tokens_estimated for row in valid),
        price_usd=price,
        price_per_success_usd=per_success,
        wall_s=_mean(seconds),
        wall_p50_s=percentile(seconds, 0.5),
        wall_p95_s=percentile(seconds, 0.95),
        jobs=_alike([row.jobs for row in valid]),
        cpu_s=_mean(row.cpu_s for row in valid if row.cpu_s is not None),
        turns=turn_costs(valid),
        forced=tuple(sorted({item for row in rows for item in row.forced})),
        reported_tokens_share=_reported(valid),
        failures_by_role=dict(Counter(role for row in valid for role in row.roles)),
        by_role={
            role: task_share((row.task, role in row.roles) for row in failed)
            for role in columns.roles
        },
        by_group={
            name: task_share((row.task, row.verdict is Verdict.SUCCESS) for row in within)
            for name, within in groups.items()
        },
        metrics_by_group={
            metric.name: _by_group(metric, groups) for metric in counted if metric.by_group
        },
        pass_hat=_pass_hat(valid),
    )


def _prices(rows: Sequence[EpisodeRow]) -> tuple[float | None, float | None]:
    """Return the mean price and the price of a success; None where a price is not known."""
    prices = [row.price_usd for row in rows]
    known = [price for price in prices if price is not None]
    if not known or len(known) < len(prices):
        return None, None
    successes = sum(row.verdict is Verdict.SUCCESS for row in rows)
    return _mean(known), sum(known) / successes if successes else None


def _reported(rows: Sequence[EpisodeRow]) -> float | None:
    """Return which part of the gateway's tokens the framework reported, where it reports any."""
    counted = [row for row in rows if row.reported_tokens is not None]
    tokens = sum(row.prompt_tokens + row.completion_tokens for row in counted)
    return sum(row.reported_tokens or 0 for row in counted) / tokens if tokens else None


def _groups(rows: Sequence[EpisodeRow], kind: str) -> dict[str, list[EpisodeRow]]:
    """The rows of each group of a kind, in name order; none without a kind."""
    groups: dict[str, list[EpisodeRow]] = {}
    for row in rows if kind else ():
        groups.setdefault(row.groups.get(kind, ""), []).append(row)
    return dict(sorted(groups.items()))


def _by_group(
    metric: MetricInfo, groups: Mapping[str, Sequence[EpisodeRow]]
) -> dict[str, MetricSummary]:
    """A metric in each group that has a value of it."""
    found = {name: metric_summary(metric, rows) for name, rows in groups.items()}
    return {name: summary for name, summary in found.items() if summary.of}


def _pass_hat(rows: Sequence[EpisodeRow]) -> dict[int, float]:
    """pass^k, averaged over the tasks that have all repeats valid."""
    by_task: dict[str, list[bool]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row.verdict is Verdict.SUCCESS)
    repeats = max((len(results) for results in by_task.values()), default=0)
    if repeats < 2:
        return {}
    whole = [results for results in by_task.values() if len(results) == repeats]
    return {
        k: sum(pass_hat_k(sum(results), repeats, k) for results in whole) / len(whole)
        for k in range(1, repeats + 1)
    }


def _alike(jobs: Sequence[int | None]) -> int | None:
    """Return how many episodes were played at once, where that is the same for all."""
    return jobs[0] if len(set(jobs)) == 1 else None


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
