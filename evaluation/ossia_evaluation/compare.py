"""Comparison of frameworks: what succeeded, what it cost and which role failed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from pydantic import BaseModel, ConfigDict

from ossia_dataset.tasks import Task
from ossia_evaluation.score import Score, Verdict
from ossia_evaluation.stats import Interval, holm, mcnemar_exact, pass_hat_k, percentile, wilson
from ossia_servers.trace import Trace

COMPARISON_VERSION = 1
"""Version of the stored comparison format."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EpisodeRow(_Frozen):
    """One episode in numbers: a line of the CSV file."""

    episode: str
    task: str
    domain: str
    intent: str
    framework: str
    model: str
    repeat: int
    verdict: Verdict
    reason: str
    clarification: bool
    side_effects: bool
    slots_correct: bool | None
    intent_correct: bool | None
    roles: tuple[str, ...]
    """Roles that the rules name for the failure."""
    ending: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    tokens_estimated: bool
    price_usd: float | None
    latency_s: float
    cpu_s: float
    model_s: float
    forced: tuple[str, ...] = ()
    """Parameters that the framework set on its model calls, as `name=value`."""
    reported_tokens: int | None
    """Tokens as the framework itself counts them, or None."""


def episode_row(task: Task, trace: Trace, score: Score) -> EpisodeRow:
    """Return one episode in numbers."""
    gateway, reported = trace.gateway, trace.reported
    tokens = None
    if reported is not None and reported.prompt_tokens is not None:
        tokens = reported.prompt_tokens + (reported.completion_tokens or 0)
    return EpisodeRow(
        episode=trace.episode.id,
        task=task.id,
        domain=task.gold.domain,
        intent=task.gold.intent,
        framework=trace.episode.framework,
        model=trace.episode.model,
        repeat=trace.episode.repeat,
        verdict=score.verdict,
        reason=score.reason,
        clarification=score.clarification,
        side_effects=score.side_effects,
        slots_correct=None if score.slots is None else score.slots.correct,
        intent_correct=None if score.slots is None else score.slots.intent_correct,
        roles=tuple(dict.fromkeys(fault.role for fault in score.faults)),
        ending=trace.ending.kind,
        calls=gateway.calls,
        prompt_tokens=gateway.prompt_tokens,
        completion_tokens=gateway.completion_tokens,
        tokens_estimated=gateway.estimated,
        price_usd=gateway.price_usd,
        latency_s=trace.timing.wall_s,
        cpu_s=trace.timing.cpu_s,
        model_s=gateway.model_seconds,
        forced=_forced(trace),
        reported_tokens=tokens,
    )


def _forced(trace: Trace) -> tuple[str, ...]:
    set_values = {
        f"{name}={json.dumps(value, sort_keys=True)}"
        for exchange in trace.gateway.exchanges
        for name, value in exchange.forced.items()
    }
    return tuple(sorted(set_values))


class Share(_Frozen):
    """A count out of a stated number, with its 95 % Wilson interval."""

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share, or None out of nothing."""
        return self.count / self.of if self.of else None


def share(count: int, of: int) -> Share:
    """Return a share with its interval."""
    interval: Interval = wilson(count, of)
    return Share(count=count, of=of, low=interval.low, high=interval.high)


class FrameworkSummary(_Frozen):
    """One framework's line of the comparison. Means are over valid episodes."""

    framework: str
    version: str
    episodes: int
    """Finished episodes, invalid ones included."""
    invalid: int
    success: Share
    slots_correct: Share
    side_effects: Share
    clarifications: int
    calls: float | None
    tokens: float | None
    tokens_estimated: bool
    price_usd: float | None
    """Mean price of an episode; None when any is unknown."""
    price_per_success_usd: float | None
    latency_p50_s: float | None
    latency_p95_s: float | None
    cpu_s: float | None
    forced: tuple[str, ...] = ()
    """Parameters that the framework set on any of its model calls, as `name=value`."""
    reported_tokens_share: float | None
    """Tokens that the framework reports, out of those the gateway counted."""
    failures_by_role: dict[str, int]
    """Failed episodes in which the rules name the role; one episode may name several."""
    by_domain: dict[str, Share]
    pass_hat: dict[int, float]
    """pass^k over tasks for every k up to the number of repeats; empty without repeats."""


class Pair(_Frozen):
    """Two frameworks on the same tasks and repeats; pairs with an invalid episode left out."""

    first: str
    second: str
    both: int
    neither: int
    only_first: tuple[str, ...]
    """Episodes' tasks (with `#repeat` after the first) that only the first carries out."""
    only_second: tuple[str, ...]
    p_value: float
    """Exact McNemar, two-sided."""
    p_holm: float
    """The same, adjusted for the number of pairs compared (Holm)."""


class Comparison(_Frozen):
    """The result of a run, ready to be shown."""

    version: int = COMPARISON_VERSION
    run: str
    facts: dict[str, str]
    """What a reader needs to repeat it: model, dataset hash, versions, seed."""
    planned: int
    finished: int
    frameworks: tuple[FrameworkSummary, ...]
    roles: tuple[str, ...]
    """Roles in the order of the failure table."""
    domains: tuple[str, ...]
    pairs: tuple[Pair, ...]
    invalid: dict[str, str]
    """Invalid episodes and why; in no denominator."""


def compare(
    rows: Sequence[EpisodeRow],
    *,
    run: str,
    order: Sequence[str],
    versions: Mapping[str, str],
    roles: Sequence[str],
    planned: int,
    facts: Mapping[str, str],
) -> Comparison:
    """Compare frameworks.

    Args:
        rows: every finished episode.
        run: the run's name.
        order: frameworks in the order in which they are shown; others follow.
        versions: a framework's exact version by its name.
        roles: roles in the order in which they are shown.
        planned: episodes of the whole plan.
        facts: what a reader needs to repeat the run.
    """
    seen = {role for row in rows for role in row.roles}
    columns = [*(r for r in roles if r in seen), *sorted(seen - set(roles))]
    domains = sorted({row.domain for row in rows})
    present = dict.fromkeys(row.framework for row in rows)
    frameworks = [*(n for n in order if n in present), *(n for n in present if n not in order)]
    summaries = tuple(
        _summary(name, versions.get(name, ""), [r for r in rows if r.framework == name])
        for name in frameworks
    )
    return Comparison(
        run=run,
        facts=dict(facts),
        planned=planned,
        finished=len(rows),
        frameworks=summaries,
        roles=tuple(columns),
        domains=tuple(domains),
        pairs=_pairs(frameworks, rows),
        invalid={r.episode: r.reason for r in rows if r.verdict is Verdict.INVALID},
    )


def _summary(name: str, version: str, rows: Sequence[EpisodeRow]) -> FrameworkSummary:
    valid = [row for row in rows if row.verdict is not Verdict.INVALID]
    successes = sum(row.verdict is Verdict.SUCCESS for row in valid)
    prices = [row.price_usd for row in valid]
    known = [price for price in prices if price is not None]
    priced = bool(known) and len(known) == len(prices)
    latencies = [row.latency_s for row in valid]
    counted = [row for row in valid if row.reported_tokens is not None]
    gateway_tokens = sum(row.prompt_tokens + row.completion_tokens for row in counted)
    return FrameworkSummary(
        framework=name,
        version=version,
        episodes=len(rows),
        invalid=len(rows) - len(valid),
        success=share(successes, len(valid)),
        slots_correct=share(sum(bool(row.slots_correct) for row in valid), len(valid)),
        side_effects=share(sum(row.side_effects for row in valid), len(valid)),
        clarifications=sum(row.clarification for row in valid),
        calls=_mean(row.calls for row in valid),
        tokens=_mean(row.prompt_tokens + row.completion_tokens for row in valid),
        tokens_estimated=any(row.tokens_estimated for row in valid),
        price_usd=_mean(known) if priced else None,
        price_per_success_usd=sum(known) / successes if priced and successes else None,
        latency_p50_s=percentile(latencies, 0.5),
        latency_p95_s=percentile(latencies, 0.95),
        cpu_s=_mean(row.cpu_s for row in valid),
        forced=tuple(sorted({item for row in rows for item in row.forced})),
        reported_tokens_share=(
            sum(row.reported_tokens or 0 for row in counted) / gateway_tokens
            if gateway_tokens
            else None
        ),
        failures_by_role=dict(Counter(role for row in valid for role in row.roles)),
        by_domain=_by_domain(valid),
        pass_hat=_pass_hat(valid),
    )


def _by_domain(rows: Sequence[EpisodeRow]) -> dict[str, Share]:
    totals = Counter(row.domain for row in rows)
    good = Counter(row.domain for row in rows if row.verdict is Verdict.SUCCESS)
    return {domain: share(good[domain], totals[domain]) for domain in sorted(totals)}


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


def _pairs(frameworks: Sequence[str], rows: Sequence[EpisodeRow]) -> tuple[Pair, ...]:
    results: dict[str, dict[tuple[str, int], bool]] = {name: {} for name in frameworks}
    for row in rows:
        if row.verdict is not Verdict.INVALID:
            good = row.verdict is Verdict.SUCCESS
            results[row.framework][row.task, row.repeat] = good
    drafts = []
    for first, second in combinations(frameworks, 2):
        common = [key for key in results[first] if key in results[second]]
        outcomes = {key: (results[first][key], results[second][key]) for key in common}
        drafts.append((first, second, outcomes))
    raw = []
    for _, _, outcomes in drafts:
        kinds = Counter(outcomes.values())
        raw.append(mcnemar_exact(kinds[True, False], kinds[False, True]))
    adjusted = holm(raw)
    return tuple(
        Pair(
            first=first,
            second=second,
            both=sum(pair == (True, True) for pair in outcomes.values()),
            neither=sum(pair == (False, False) for pair in outcomes.values()),
            only_first=_named(key for key, pair in outcomes.items() if pair == (True, False)),
            only_second=_named(key for key, pair in outcomes.items() if pair == (False, True)),
            p_value=p_value,
            p_holm=p_holm,
        )
        for (first, second, outcomes), p_value, p_holm in zip(drafts, raw, adjusted, strict=True)
    )


def _named(keys: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(task if repeat == 1 else f"{task}#{repeat}" for task, repeat in sorted(keys))


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
