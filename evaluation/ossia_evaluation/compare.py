"""Comparison of frameworks and models: what succeeded, what it cost and which role failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ossia_evaluation.comparison import (
    COMPARISON_VERSION,
    Comparison,
    FrameworkSummary,
    IntentAccuracy,
    Pair,
)
from ossia_evaluation.finding import finding
from ossia_evaluation.pairs import framework_pairs, model_pairs
from ossia_evaluation.reply.judgement import Truth
from ossia_evaluation.rows import (
    DroppedCost,
    EpisodeRow,
    Share,
    TaskShare,
    dropped_cost,
    episode_row,
    share,
    task_share,
)
from ossia_evaluation.score import Verdict
from ossia_evaluation.stats import pass_hat_k, percentile

__all__ = [
    "COMPARISON_VERSION",
    "Comparison",
    "DroppedCost",
    "EpisodeRow",
    "FrameworkSummary",
    "IntentAccuracy",
    "Pair",
    "Share",
    "TaskShare",
    "compare",
    "episode_row",
    "share",
]


def compare(
    rows: Sequence[EpisodeRow],
    *,
    run: str,
    order: Sequence[str],
    versions: Mapping[str, str],
    roles: Sequence[str],
    planned: int,
    facts: Mapping[str, str],
    models: Sequence[str] = (),
) -> Comparison:
    """Compare frameworks, and models in each of them.

    Args:
        rows: every finished episode.
        run: the run's name.
        order: frameworks in the order in which they are shown; others follow.
        versions: a framework's exact version by its name.
        roles: roles in the order in which they are shown.
        planned: episodes of the whole plan.
        facts: what a reader needs to repeat the run.
        models: models in the order in which they are shown; others follow.
    """
    columns = _columns(rows, roles)
    frameworks = _ordered(order, (row.framework for row in rows))
    names = _ordered(models, (row.model for row in rows))
    lines = _lines(rows, frameworks, names)
    result = Comparison(
        run=run,
        facts=dict(facts),
        planned=planned,
        finished=len(rows),
        frameworks=tuple(
            _summary(framework, model, versions.get(framework, ""), found, columns)
            for (framework, model), found in lines.items()
        ),
        roles=tuple(columns),
        domains=tuple(sorted({row.domain for row in rows})),
        models=tuple(names),
        intents=_accuracies(lines),
        pairs=(*framework_pairs(names, lines), *model_pairs(frameworks, lines)),
        invalid={r.episode: r.reason for r in rows if r.verdict is Verdict.INVALID},
        dropped=dropped_cost(rows),
        unaccounted_attempts=sum(row.unaccounted_attempts for row in rows),
        cached_calls=sum(row.cached_calls for row in rows),
        calls=sum(row.calls for row in rows),
    )
    return result.model_copy(update={"finding": finding(result)})


def _columns(rows: Sequence[EpisodeRow], roles: Sequence[str]) -> list[str]:
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


def _summary(
    name: str, model: str, version: str, rows: Sequence[EpisodeRow], roles: Sequence[str]
) -> FrameworkSummary:
    valid = [row for row in rows if row.verdict is not Verdict.INVALID]
    successes = sum(row.verdict is Verdict.SUCCESS for row in valid)
    prices = [row.price_usd for row in valid]
    known = [price for price in prices if price is not None]
    priced = bool(known) and len(known) == len(prices)
    latencies = [row.latency_s for row in valid]
    failed = [row for row in valid if row.verdict is Verdict.FAILURE]
    refusals = [row.refusal for row in failed if row.refusal is not None]
    return FrameworkSummary(
        framework=name,
        model=model,
        version=version,
        episodes=len(rows),
        invalid=len(rows) - len(valid),
        success=task_share((row.task, row.verdict is Verdict.SUCCESS) for row in valid),
        success_of_all=task_share((row.task, row.verdict is Verdict.SUCCESS) for row in rows),
        acted=task_share((row.task, row.acted) for row in valid if row.acted is not None),
        unread=sum(row.reply == Truth.UNREAD and row.verdict is Verdict.SUCCESS for row in valid),
        # Suites whose tasks have no slots have no such score.
        slots_correct=task_share(
            (row.task, row.slots_correct) for row in valid if row.slots_correct is not None
        ),
        facts=_mean(row.facts for row in valid if row.facts is not None),
        side_effects=task_share((row.task, row.side_effects) for row in valid),
        clarifications=sum(row.clarification for row in valid),
        refused=len(refusals),
        refusal=refusals[0] if refusals else None,
        calls=_mean(row.calls for row in valid),
        tokens=_mean(row.prompt_tokens + row.completion_tokens for row in valid),
        tokens_estimated=any(row.tokens_estimated for row in valid),
        price_usd=_mean(known) if priced else None,
        price_per_success_usd=sum(known) / successes if priced and successes else None,
        latency_p50_s=percentile(latencies, 0.5),
        latency_p95_s=percentile(latencies, 0.95),
        cpu_s=_mean(row.cpu_s for row in valid if row.cpu_s is not None),
        forced=tuple(sorted({item for row in rows for item in row.forced})),
        reported_tokens_share=_reported(valid),
        failures_by_role=dict(Counter(role for row in valid for role in row.roles)),
        by_role={
            role: task_share((row.task, role in row.roles) for row in failed) for role in roles
        },
        by_domain=_by_domain([(row, row.verdict is Verdict.SUCCESS) for row in valid]),
        pass_hat=_pass_hat(valid),
    )


def _reported(rows: Sequence[EpisodeRow]) -> float | None:
    """Return which part of the gateway's tokens the framework reported, where it reports any."""
    counted = [row for row in rows if row.reported_tokens is not None]
    tokens = sum(row.prompt_tokens + row.completion_tokens for row in counted)
    return sum(row.reported_tokens or 0 for row in counted) / tokens if tokens else None


def _by_domain(results: Sequence[tuple[EpisodeRow, bool]]) -> dict[str, TaskShare]:
    domains: dict[str, list[tuple[str, bool]]] = {}
    for row, right in results:
        domains.setdefault(row.domain, []).append((row.task, right))
    return {domain: task_share(domains[domain]) for domain in sorted(domains)}


def _accuracies(
    lines: Mapping[tuple[str, str], Sequence[EpisodeRow]],
) -> tuple[IntentAccuracy, ...]:
    found = (_accuracy(framework, model, rows) for (framework, model), rows in lines.items())
    return tuple(accuracy for accuracy in found if accuracy is not None)


def _accuracy(framework: str, model: str, rows: Sequence[EpisodeRow]) -> IntentAccuracy | None:
    exact = [(row, row.frame_exact) for row in rows if row.frame_exact is not None]
    unnamed = [(row, row.frame_unnamed) for row in rows if row.frame_unnamed is not None]
    if not exact:
        return None
    return IntentAccuracy(
        framework=framework,
        model=model,
        exact=task_share((row.task, right) for row, right in exact),
        unnamed=task_share((row.task, right) for row, right in unnamed),
        exact_by_domain=_by_domain(exact),
        unnamed_by_domain=_by_domain(unnamed),
    )


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


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
