"""A run's failures by role under four columns, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.assistant.rules import FUNCTION_CALL
from ossia_evaluation.attribution.records import Attribution
from ossia_evaluation.attribution.search import Status
from ossia_evaluation.rows import Share, share
from ossia_evaluation.stats import Interval, bootstrap_means

ROLES = ("intent", "time", "location", "url", "manager", FUNCTION_CALL, "response")
"""In the order of Auto-SLURP's Table 3, and what that table leaves out."""

PUBLISHED: Mapping[str, Mapping[str, int | None]] = {
    "camel": dict(zip(ROLES, (54, 18, None, 14, 9, 18), strict=False)),
    "langgraph": dict(zip(ROLES, (34, 12, None, 13, 53, None), strict=False)),
    "autogen": dict(zip(ROLES, (68, 9, None, 43, 13, None), strict=False)),
    "agentlite": dict(zip(ROLES, (69, 19, 7, 19, None, None), strict=False)),
}
"""Share of failures by role in percent, several roles to a failure (arXiv 2504.18373, Table 3)."""


Grouping = Literal["framework", "domain", "intent"]
"""By what failures are laid side by side."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RoleColumns(_Frozen):
    """How often one role failed in a group of failed episodes."""

    role: str
    rules: Share
    """Named by the published criteria; several roles to an episode."""
    but_for: Share
    """With a step whose repair alone turns the failure."""
    causes: Share
    """In some minimal repair family."""
    mass: float
    """The mean share of responsibility; over all roles it sums to the share of attributed ones."""
    mass_low: float | None = None
    """Lower bound of its 95 % bootstrap interval over failures; None with fewer than two."""
    mass_high: float | None = None
    """Upper bound of the same."""
    given_opportunity: Share
    """Causes among the failures in which the role had anything to do."""
    published: int | None = None
    """Auto-SLURP's Table 3, percent."""


class FailureTable(_Frozen):
    """The failures of one group of episodes."""

    by: Literal["all"] | Grouping
    group: str
    failures: int
    """All failed episodes that an attribution was tried for; the columns are out of these."""
    statuses: dict[str, int]
    missed_recoveries: int
    conditional: int = 0
    """Failures whose repair helps only if answers had been right that were never recorded."""
    roles: tuple[RoleColumns, ...]


class AttributionSummary(_Frozen):
    """A run's attribution in numbers."""

    version: Literal[3] = 3
    run: str
    failures: int
    tables: tuple[FailureTable, ...]
    mean_replays: float | None
    most_replays: int
    attribution_cpu_s: float | None
    """CPU time of all processes of the attribution; None where it is not known."""
    run_cpu_s: float | None
    """CPU time of all processes of the run, as far as it concerns these frameworks; None where the
    run did not tell."""
    near_misses: int
    """Successes in which some step left its contract."""

    @property
    def cpu_ratio(self) -> float | None:
        """CPU time of the attribution by that of the run, or None where one is not known."""
        if self.attribution_cpu_s is None or not self.run_cpu_s:
            return None
        return self.attribution_cpu_s / self.run_cpu_s

    @property
    def groups(self) -> tuple[Grouping, ...]:
        """The groupings of tasks that there are tables for."""
        kinds: dict[Grouping, None] = {t.by: None for t in self.tables if t.by != "all"}
        return tuple(by for by in kinds if by != "framework")

    def of(self, by: Grouping) -> tuple[FailureTable, ...]:
        """Return the tables of one grouping, in name order."""
        return tuple(table for table in self.tables if table.by == by)


def summarise(
    run: str,
    found: Sequence[Attribution],
    *,
    attribution_cpu_s: float | None = None,
    run_cpu_s: float | None = None,
    near_misses: int = 0,
) -> AttributionSummary:
    """Count a run's attributions.

    Args:
        run: the run's name.
        found: the attributions of its failed episodes.
        attribution_cpu_s: CPU time of all processes of the attribution, if it is known.
        run_cpu_s: CPU time of all processes of the run, if it is known.
        near_misses: successes in which some step left its contract.
    """
    roles = roles_of(found)
    tables = [failure_table("all", "all", found, roles)] if found else []
    tables += grouped("framework", found, lambda item: item.framework, roles)
    tables += grouped("domain", found, lambda item: item.domain, roles)
    tables += grouped("intent", found, lambda item: item.intent, roles)
    replays = [item.replays for item in found if item.status is not Status.UNSUPPORTED]
    return AttributionSummary(
        run=run,
        failures=len(found),
        tables=tuple(tables),
        mean_replays=sum(replays) / len(replays) if replays else None,
        most_replays=max(replays, default=0),
        attribution_cpu_s=attribution_cpu_s,
        run_cpu_s=run_cpu_s,
        near_misses=near_misses,
    )


def grouped(
    by: Grouping,
    found: Iterable[Attribution],
    key: Callable[[Attribution], str],
    roles: Sequence[str] = ROLES,
) -> list[FailureTable]:
    """Return a table for each group, in name order."""
    groups: dict[str, list[Attribution]] = {}
    for item in found:
        groups.setdefault(key(item), []).append(item)
    return [failure_table(by, name, groups[name], roles) for name in sorted(groups)]


def roles_of(found: Sequence[Attribution]) -> tuple[str, ...]:
    """Return the roles that tables have rows for: the assistant's, or those of another team."""
    met = {column_of(role) for item in found for role in (*item.opportunities, *item.rules)}
    if not any(cause.role == "framework" for item in found for cause in item.causes):
        met.discard("framework")
    if met <= {*ROLES}:
        return ROLES
    # A manager comes first and a response last, in a team that has them.
    places = {"manager": 0, "response": 2}
    return tuple(sorted(met, key=lambda role: (places.get(role, 1), role)))


def failure_table(
    by: Literal["all"] | Grouping,
    group: str,
    found: Sequence[Attribution],
    roles: Sequence[str] = ROLES,
) -> FailureTable:
    """Return the table of one group of failed episodes, with a row for each of these roles."""
    published = PUBLISHED.get(group, {}) if by == "framework" else {}
    statuses = {status.value: 0 for status in Status}
    for item in found:
        statuses[item.status.value] += 1
    masses = _masses(roles, found)
    return FailureTable(
        by=by,
        group=group,
        failures=len(found),
        statuses={name: count for name, count in statuses.items() if count},
        missed_recoveries=sum(item.missed_recovery for item in found),
        conditional=sum(bool(item.assumed) for item in found),
        roles=tuple(_columns(role, found, masses[role], published.get(role)) for role in roles),
    )


def role_masses(item: Attribution) -> dict[str, float]:
    """Return each role's part of an episode's responsibility; the parts sum to one."""
    total = sum(cause.responsibility for cause in item.causes)
    parts: dict[str, float] = {}
    for cause in item.causes:
        role = column_of(cause.role)
        parts[role] = parts.get(role, 0.0) + cause.responsibility / total
    return parts


def column_of(role: str) -> str:
    """Return the column of a role: the request role's failures are those of the function call."""
    return FUNCTION_CALL if role == "request" else role


@dataclass(frozen=True)
class _Mass:
    """A role's mean share of responsibility with its interval."""

    mean: float
    interval: Interval | None


def _masses(roles: Sequence[str], found: Sequence[Attribution]) -> dict[str, _Mass]:
    """Each role's mass; the failures are drawn with all their roles, as these depend on another."""
    parts = [role_masses(item) for item in found]
    rows = [tuple(part.get(role, 0.0) for role in roles) for part in parts]
    intervals = bootstrap_means(rows)
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return {
        role: _Mass(
            mean=means[place] if means else 0.0,
            interval=None if intervals is None else intervals[place],
        )
        for place, role in enumerate(roles)
    }


def _columns(
    role: str, found: Sequence[Attribution], mass: _Mass, published: int | None
) -> RoleColumns:
    total = len(found)
    possible = [item for item in found if role in map(column_of, item.opportunities)]
    return RoleColumns(
        role=role,
        rules=share(sum(role in item.rules for item in found), total),
        but_for=share(_count(role, (item.but_for for item in found)), total),
        causes=share(_count(role, (item.roles for item in found)), total),
        mass=mass.mean,
        mass_low=None if mass.interval is None else mass.interval.low,
        mass_high=None if mass.interval is None else mass.interval.high,
        given_opportunity=share(_count(role, (item.roles for item in possible)), len(possible)),
        published=published,
    )


def _count(role: str, named: Iterable[Collection[str]]) -> int:
    return sum(role in map(column_of, roles) for roles in named)
