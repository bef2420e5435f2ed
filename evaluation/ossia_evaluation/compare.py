"""Comparison of frameworks and models: what succeeded, what it cost and which role failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.reply.judgement import Truth
from ossia_evaluation.rows import DroppedCost, EpisodeRow, Share, dropped_cost, episode_row, share
from ossia_evaluation.score import Verdict
from ossia_evaluation.stats import holm, mcnemar_exact, pass_hat_k, percentile

COMPARISON_VERSION = 4
"""Version of the stored comparison format."""

__all__ = [
    "COMPARISON_VERSION",
    "Comparison",
    "DroppedCost",
    "EpisodeRow",
    "FrameworkSummary",
    "IntentAccuracy",
    "Pair",
    "Share",
    "compare",
    "episode_row",
    "share",
]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FrameworkSummary(_Frozen):
    """One framework's line of the comparison, with one model. Means are over valid episodes."""

    framework: str
    model: str
    version: str
    episodes: int
    """Finished episodes, invalid ones included."""
    invalid: int
    success: Share
    acted: Share
    """Episodes whose state alone is right, whatever the user was told."""
    unread: int
    """Successes of which some words are known to no rule, and nothing speaks against them."""
    slots_correct: Share
    facts: float | None = None
    """Mean share of facts told, over the episodes that had any to tell."""
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
    """Mean over the valid episodes of which it is known."""
    forced: tuple[str, ...] = ()
    """Parameters that the framework set on any of its model calls, as `name=value`."""
    reported_tokens_share: float | None
    """Tokens that the framework reports, out of those the gateway counted."""
    failures_by_role: dict[str, int]
    """Failed episodes in which the rules name the role; one episode may name several."""
    by_domain: dict[str, Share]
    pass_hat: dict[int, float]
    """pass^k over tasks for every k up to the number of repeats; empty without repeats."""


class IntentAccuracy(_Frozen):
    """How often the intent role named the gold frame, in one framework with one model."""

    framework: str
    model: str
    exact: Share
    """Domain, intent and slots."""
    unnamed: Share
    """Domain, intent and the slots' words, whatever the slots are called."""
    exact_by_domain: dict[str, Share]
    unnamed_by_domain: dict[str, Share]


class Pair(_Frozen):
    """Two frameworks, or two models in one framework, on the same tasks and repeats.

    Pairs with an invalid episode are left out.
    """

    of: Literal["frameworks", "models"] = "frameworks"
    within: str
    """What both have in common: the model of two frameworks, the framework of two models."""
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
    """The same, adjusted for the number of pairs compared: of frameworks, or of models (Holm)."""


class Comparison(_Frozen):
    """The result of a run, ready to be shown."""

    version: int = COMPARISON_VERSION
    run: str
    facts: dict[str, str]
    """What a reader needs to repeat it: model, dataset hash, versions, seed, budget."""
    planned: int
    finished: int
    frameworks: tuple[FrameworkSummary, ...]
    roles: tuple[str, ...]
    """Roles in the order of the failure table."""
    domains: tuple[str, ...]
    models: tuple[str, ...] = ()
    """In the order in which they are shown."""
    intents: tuple[IntentAccuracy, ...] = ()
    """Of every framework and model whose team has an intent role."""
    pairs: tuple[Pair, ...]
    invalid: dict[str, str]
    """Invalid episodes and why; in no denominator."""
    dropped: DroppedCost | None = None
    """None where nothing was dropped."""

    def mark(self, model: str) -> str:
        """Return a model's short name in tables, `m1` and so on, as in the ids of episodes.

        Raises:
            ValueError: the comparison has no such model.
        """
        return f"m{self.models.index(model) + 1}"

    def label(self, line: FrameworkSummary) -> str:
        """Return what a line is called: the framework, with the model where there are several."""
        if len(self.models) < 2:
            return line.framework
        return f"{line.framework} {self.mark(line.model)}"

    def pair_name(self, pair: Pair) -> str:
        """Return what a pair is called, with what both have in common where models differ."""
        if pair.of == "models":
            return f"{pair.within}: {self.mark(pair.first)} / {self.mark(pair.second)}"
        name = f"{pair.first} / {pair.second}"
        return f"{self.mark(pair.within)}: {name}" if len(self.models) > 1 else name


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
    seen = {role for row in rows for role in row.roles}
    columns = [*(r for r in roles if r in seen), *sorted(seen - set(roles))]
    domains = sorted({row.domain for row in rows})
    frameworks = _ordered(order, (row.framework for row in rows))
    names = _ordered(models, (row.model for row in rows))
    lines = _lines(rows, frameworks, names)
    return Comparison(
        run=run,
        facts=dict(facts),
        planned=planned,
        finished=len(rows),
        frameworks=tuple(
            _summary(framework, model, versions.get(framework, ""), found)
            for (framework, model), found in lines.items()
        ),
        roles=tuple(columns),
        domains=tuple(domains),
        models=tuple(names),
        intents=tuple(
            accuracy
            for (framework, model), found in lines.items()
            if (accuracy := _accuracy(framework, model, found)) is not None
        ),
        pairs=(*_framework_pairs(names, lines), *_model_pairs(frameworks, lines)),
        invalid={r.episode: r.reason for r in rows if r.verdict is Verdict.INVALID},
        dropped=dropped_cost(rows),
    )


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


def _summary(name: str, model: str, version: str, rows: Sequence[EpisodeRow]) -> FrameworkSummary:
    valid = [row for row in rows if row.verdict is not Verdict.INVALID]
    successes = sum(row.verdict is Verdict.SUCCESS for row in valid)
    prices = [row.price_usd for row in valid]
    known = [price for price in prices if price is not None]
    priced = bool(known) and len(known) == len(prices)
    latencies = [row.latency_s for row in valid]
    counted = [row for row in valid if row.reported_tokens is not None]
    gateway_tokens = sum(row.prompt_tokens + row.completion_tokens for row in counted)
    # Suites whose tasks have no slots have no such score.
    slots = [row.slots_correct for row in valid if row.slots_correct is not None]
    acted = [row.acted for row in valid if row.acted is not None]
    return FrameworkSummary(
        framework=name,
        model=model,
        version=version,
        episodes=len(rows),
        invalid=len(rows) - len(valid),
        success=share(successes, len(valid)),
        acted=share(sum(map(bool, acted)), len(acted)),
        unread=sum(row.reply == Truth.UNREAD and row.verdict is Verdict.SUCCESS for row in valid),
        slots_correct=share(sum(map(bool, slots)), len(slots)),
        facts=_mean(row.facts for row in valid if row.facts is not None),
        side_effects=share(sum(row.side_effects for row in valid), len(valid)),
        clarifications=sum(row.clarification for row in valid),
        calls=_mean(row.calls for row in valid),
        tokens=_mean(row.prompt_tokens + row.completion_tokens for row in valid),
        tokens_estimated=any(row.tokens_estimated for row in valid),
        price_usd=_mean(known) if priced else None,
        price_per_success_usd=sum(known) / successes if priced and successes else None,
        latency_p50_s=percentile(latencies, 0.5),
        latency_p95_s=percentile(latencies, 0.95),
        cpu_s=_mean(row.cpu_s for row in valid if row.cpu_s is not None),
        forced=tuple(sorted({item for row in rows for item in row.forced})),
        reported_tokens_share=(
            sum(row.reported_tokens or 0 for row in counted) / gateway_tokens
            if gateway_tokens
            else None
        ),
        failures_by_role=dict(Counter(role for row in valid for role in row.roles)),
        by_domain=_by_domain([(row.domain, row.verdict is Verdict.SUCCESS) for row in valid]),
        pass_hat=_pass_hat(valid),
    )


def _by_domain(results: Sequence[tuple[str, bool]]) -> dict[str, Share]:
    totals = Counter(domain for domain, _ in results)
    good = Counter(domain for domain, right in results if right)
    return {domain: share(good[domain], totals[domain]) for domain in sorted(totals)}


def _accuracy(framework: str, model: str, rows: Sequence[EpisodeRow]) -> IntentAccuracy | None:
    exact = [(row.domain, row.frame_exact) for row in rows if row.frame_exact is not None]
    unnamed = [(row.domain, row.frame_unnamed) for row in rows if row.frame_unnamed is not None]
    if not exact:
        return None
    return IntentAccuracy(
        framework=framework,
        model=model,
        exact=share(sum(right for _, right in exact), len(exact)),
        unnamed=share(sum(right for _, right in unnamed), len(unnamed)),
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


_Lines = Mapping[tuple[str, str], Sequence[EpisodeRow]]
_Results = Mapping[tuple[str, int], bool]


def _framework_pairs(models: Sequence[str], lines: _Lines) -> tuple[Pair, ...]:
    """Every two frameworks with the same model."""
    drafts = [
        (model, one, two, lines[one, model], lines[two, model])
        for model in models
        for one, two in combinations([f for f, m in lines if m == model], 2)
    ]
    return _pairs("frameworks", drafts)


def _model_pairs(frameworks: Sequence[str], lines: _Lines) -> tuple[Pair, ...]:
    """Every two models in the same framework."""
    drafts = [
        (framework, one, two, lines[framework, one], lines[framework, two])
        for framework in frameworks
        for one, two in combinations([m for f, m in lines if f == framework], 2)
    ]
    return _pairs("models", drafts)


def _pairs(
    of: Literal["frameworks", "models"],
    drafts: Sequence[tuple[str, str, str, Sequence[EpisodeRow], Sequence[EpisodeRow]]],
) -> tuple[Pair, ...]:
    """Test pairs, given what they share, their names and their episodes, as one family."""
    compared = []
    for _, _, _, ones, twos in drafts:
        first, second = _results(ones), _results(twos)
        compared.append({key: (first[key], second[key]) for key in first if key in second})
    raw = []
    for outcomes in compared:
        kinds = Counter(outcomes.values())
        raw.append(mcnemar_exact(kinds[True, False], kinds[False, True]))
    return tuple(
        Pair(
            of=of,
            within=within,
            first=first_name,
            second=second_name,
            both=sum(pair == (True, True) for pair in outcomes.values()),
            neither=sum(pair == (False, False) for pair in outcomes.values()),
            only_first=_named(key for key, pair in outcomes.items() if pair == (True, False)),
            only_second=_named(key for key, pair in outcomes.items() if pair == (False, True)),
            p_value=p_value,
            p_holm=p_holm,
        )
        for (within, first_name, second_name, _, _), outcomes, p_value, p_holm in zip(
            drafts, compared, raw, holm(raw), strict=True
        )
    )


def _results(rows: Sequence[EpisodeRow]) -> _Results:
    """Whether each task and repeat succeeded; invalid ones left out."""
    return {
        (row.task, row.repeat): row.verdict is Verdict.SUCCESS
        for row in rows
        if row.verdict is not Verdict.INVALID
    }


def _named(keys: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(task if repeat == 1 else f"{task}#{repeat}" for task, repeat in sorted(keys))


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
