"""Episodes in numbers, and shares of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, field_validator

from ossia_dataset.tasks import Task
from ossia_evaluation.clustered import TaskCount, share_interval
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric, MetricInfo, Value
from ossia_evaluation.stats import Interval, wilson
from ossia_evaluation.words import counted
from ossia_servers.trace import Trace

_KIND: Final = re.compile(r"[a-z][a-z0-9_]*")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EpisodeRow(_Frozen):
    """One episode in numbers: a line of the CSV file."""

    episode: str
    task: str
    groups: dict[str, str] = {}
    """What results may be grouped by, such as a domain: the group by its kind."""
    framework: str
    model: str
    repeat: int
    fault: str = ""
    """The key of the fault that the episode was to meet; empty for none."""
    injections: int = 0
    """How often it met it: 0 also where no call was in the fault's place."""
    verdict: Verdict
    reason: str
    metrics: dict[str, Value | None] = {}
    """What the suite tells beside the verdict, by the names of its metrics; None where a metric has
    no value, as in every invalid episode."""
    roles: tuple[str, ...]
    """Roles that the rules name for the failure."""
    refusal: str | None = None
    """For a failure: the endpoint's words on the first request that it refused for its content."""
    ending: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    tokens_estimated: bool
    price_usd: float | None
    wall_s: float
    cpu_s: float | None
    """None where the worker could not tell it."""
    model_s: float
    forced: tuple[str, ...] = ()
    """Parameters that the framework set on its model calls, as `name=value`."""
    reported_tokens: int | None
    """Tokens as the framework itself counts them, or None."""
    dropped_calls: int = 0
    """Calls of an attempt that the death of a shared worker ended, in no other number."""
    dropped_tokens: int = 0
    dropped_price_usd: float | None = None
    """None where it is unknown, and where nothing was dropped."""
    unaccounted_attempts: int = 0
    """Attempts at the model whose tokens and price are in no number, since no usage came."""
    cached_calls: int = 0
    """Calls that were answered from the run's cache, at the price of 0."""
    user_calls: int = 0
    """Calls of the model that speaks for the simulated user, in no other number."""
    user_tokens: int = 0
    user_price_usd: float | None = None
    """None where it is unknown, and where there is no such model."""
    user_unaccounted_attempts: int = 0
    turn_tokens: tuple[int, ...] = ()
    """Known tokens of each turn of the user's, where a user went on talking."""
    turn_wall_s: tuple[float, ...] = ()
    jobs: int | None = None
    """How many episodes were played at once; None in what was stored before it was kept."""

    @field_validator("groups")
    @classmethod
    def _can_be_columns(cls, groups: dict[str, str]) -> dict[str, str]:
        """Refuse kinds of groups that can be no column and no file's name of their own."""
        for kind in groups:
            if not _KIND.fullmatch(kind) or kind in {*cls.model_fields, "role"}:
                raise ValueError(f"tasks cannot be grouped by '{kind}'")
        return groups


def episode_row(
    task: Task, trace: Trace, grade: Grade, metrics: Sequence[Metric] = ()
) -> EpisodeRow:
    """Return one episode in numbers.

    Args:
        task: its task.
        trace: what it did.
        grade: its verdict.
        metrics: what the suite tells beside the verdict.

    Raises:
        ValueError: a metric's value cannot be counted as the suite declares it.
    """
    gateway, user, reported = trace.gateway, trace.user_account, trace.reported
    tokens = None
    if reported is not None and reported.prompt_tokens is not None:
        tokens = reported.prompt_tokens + (reported.completion_tokens or 0)
    valid = grade.verdict is not Verdict.INVALID
    return EpisodeRow(
        episode=trace.episode.id,
        task=task.id,
        groups=dict(task.groups),
        framework=trace.episode.framework,
        model=trace.episode.model,
        repeat=trace.episode.repeat,
        fault=trace.episode.fault,
        injections=len(trace.injected),
        verdict=grade.verdict,
        reason=grade.reason,
        metrics={m.name: m.value(task, trace, grade) if valid else None for m in metrics},
        roles=tuple(dict.fromkeys(fault.role for fault in grade.faults)),
        refusal=gateway.first_refusal if grade.verdict is Verdict.FAILURE else None,
        ending=trace.ending.kind,
        calls=gateway.calls,
        prompt_tokens=gateway.prompt_tokens,
        completion_tokens=gateway.completion_tokens,
        tokens_estimated=gateway.estimated,
        price_usd=gateway.price_usd,
        wall_s=trace.timing.wall_s,
        cpu_s=trace.timing.cpu_s,
        model_s=gateway.model_seconds,
        forced=_forced(trace),
        reported_tokens=tokens,
        dropped_calls=0 if trace.dropped is None else trace.dropped.calls,
        dropped_tokens=0 if trace.dropped is None else trace.dropped.tokens,
        dropped_price_usd=None if trace.dropped is None else trace.dropped.price_usd,
        unaccounted_attempts=gateway.unaccounted_attempts,
        cached_calls=gateway.cached_calls,
        user_calls=0 if user is None else user.calls,
        user_tokens=0 if user is None else user.total_tokens,
        user_price_usd=None if user is None else user.price_usd,
        user_unaccounted_attempts=0 if user is None else user.unaccounted_attempts,
        turn_tokens=tuple(_turn_tokens(trace)),
        turn_wall_s=trace.timing.turns_s,
        jobs=trace.timing.jobs,
    )


def _turn_tokens(trace: Trace) -> Iterator[int]:
    """Yield the tokens of each turn, of the calls that began in it."""
    begin = 0
    for turn in trace.turns:
        end = begin + turn.calls
        within = (one for one in trace.gateway.exchanges if begin <= one.seq < end)
        yield sum(one.usage.total_tokens for one in within if one.usage is not None)
        begin = end


def _forced(trace: Trace) -> tuple[str, ...]:
    # Most frameworks force the same on every call, so each is written once.
    distinct = list[dict[str, Any]]()
    for exchange in trace.gateway.exchanges:
        if exchange.forced not in distinct:
            distinct.append(exchange.forced)
    set_values = {
        f"{name}={json.dumps(value, sort_keys=True)}"
        for forced in distinct
        for name, value in forced.items()
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


class TaskShare(Share):
    """A count of episodes out of a stated number, with a 95 % interval clustered by task."""

    tasks: int
    """How many tasks the episodes are of."""
    method: Literal["wilson", "bootstrap"] = "wilson"
    """Wilson's interval with the number of tasks, or the bootstrap over tasks where repeats of a
    task differ."""


def task_share(outcomes: Iterable[tuple[str, bool]]) -> TaskShare:
    """Return a share of episodes.

    Args:
        outcomes: the task of each episode, and whether it counts.
    """
    of: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for task, counts in outcomes:
        of[task] += 1
        count[task] += counts
    (low, high), method = share_interval([TaskCount(count[task], of[task]) for task in of])
    return TaskShare(
        count=count.total(),
        of=of.total(),
        low=low,
        high=high,
        tasks=len(of),
        method="wilson" if method == "closed" else method,
    )


class Mean(_Frozen):
    """The mean of a metric over the episodes that have a value of it."""

    mean: float | None
    """None out of nothing."""
    of: int | None
    """None in what was stored before it was counted."""

    @property
    def value(self) -> float | None:
        """The mean."""
        return self.mean


class Total(_Frozen):
    """The sum of a metric over the episodes that have a value of it."""

    total: float
    of: int

    @property
    def value(self) -> float | None:
        """The sum, or None out of nothing."""
        return self.total if self.of else None


MetricSummary: TypeAlias = TaskShare | Mean | Total
"""What is told of a metric in several episodes, by its aggregate."""


def metric_summary(metric: MetricInfo, rows: Iterable[EpisodeRow]) -> MetricSummary:
    """Return what a metric is in several episodes; those without a value are left out.

    Args:
        metric: the metric, which has an aggregate.
        rows: the episodes.
    """
    told = ((row.task, row.metrics.get(metric.name)) for row in rows)
    found = [(task, value) for task, value in told if isinstance(value, bool | float)]
    if metric.aggregate == "share":
        return task_share((task, bool(value)) for task, value in found)
    numbers = [float(value) for _, value in found]
    if metric.aggregate == "count":
        return Total(total=sum(numbers), of=len(numbers))
    return Mean(mean=sum(numbers) / len(numbers) if numbers else None, of=len(numbers))


class TurnCost(_Frozen):
    """What one turn of the user's cost, as means over the valid episodes that came to it."""

    episodes: int
    tokens: float
    wall_s: float

    @property
    def text(self) -> str:
        """The same for a cell of a table."""
        return f"{self.tokens:,.0f}, {self.wall_s:.2f} s, {self.episodes}"


def turn_costs(rows: Sequence[EpisodeRow]) -> tuple[TurnCost, ...]:
    """Return what each turn cost, the first one first; nothing where nobody went on talking."""
    found = []
    for turn in range(max((len(row.turn_tokens) for row in rows), default=0)):
        there = [row for row in rows if len(row.turn_tokens) > turn]
        found.append(
            TurnCost(
                episodes=len(there),
                tokens=sum(row.turn_tokens[turn] for row in there) / len(there),
                wall_s=sum(row.turn_wall_s[turn] for row in there) / len(there),
            )
        )
    return tuple(found)


class DroppedCost(_Frozen):
    """What attempts spent that the death of a shared worker ended; in no other cost."""

    episodes: int
    calls: int
    tokens: int
    """Known tokens; those of calls that were cut are not."""
    price_usd: float | None
    """None as soon as one attempt's is unknown."""

    @property
    def text(self) -> str:
        """The same in one sentence."""
        price = "an unknown price" if self.price_usd is None else f"{self.price_usd:.4f} USD"
        return (
            "Not in these means: attempts that ended when a shared worker died, and were made"
            f" again: {self.calls} model calls, {self.tokens:,} known tokens, {price},"
            f" in {counted(self.episodes, 'episode')}."
        )


def dropped_cost(rows: Sequence[EpisodeRow]) -> DroppedCost | None:
    """Return what all episodes dropped, invalid ones included: it was paid all the same."""
    found = [row for row in rows if row.dropped_calls]
    if not found:
        return None
    known = [row.dropped_price_usd for row in found if row.dropped_price_usd is not None]
    return DroppedCost(
        episodes=len(found),
        calls=sum(row.dropped_calls for row in found),
        tokens=sum(row.dropped_tokens for row in found),
        price_usd=sum(known) if len(known) == len(found) else None,
    )


class UserCost(_Frozen):
    """What the model that speaks for the simulated user took; in no other cost."""

    episodes: int
    calls: int
    tokens: int
    """Known tokens."""
    price_usd: float | None
    """None as soon as one episode's is unknown."""
    unaccounted_attempts: int

    @property
    def text(self) -> str:
        """The same in one sentence."""
        price = "an unknown price" if self.price_usd is None else f"{self.price_usd:.4f} USD"
        lost = f", {counted(self.unaccounted_attempts, 'unaccounted attempt')}"
        return (
            "Not in these means: the model that speaks for the simulated user:"
            f" {counted(self.calls, 'call')}, {self.tokens:,} known tokens, {price}"
            f"{lost if self.unaccounted_attempts else ''}, in {counted(self.episodes, 'episode')}."
        )


def user_cost(rows: Sequence[EpisodeRow]) -> UserCost | None:
    """Return what the model of the simulated user took in all episodes, invalid ones included."""
    found = [row for row in rows if row.user_calls]
    if not found:
        return None
    known = [row.user_price_usd for row in found if row.user_price_usd is not None]
    return UserCost(
        episodes=len(found),
        calls=sum(row.user_calls for row in found),
        tokens=sum(row.user_tokens for row in found),
        price_usd=sum(known) if len(known) == len(found) else None,
        unaccounted_attempts=sum(row.user_unaccounted_attempts for row in found),
    )
