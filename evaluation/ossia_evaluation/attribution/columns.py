"""A run's failures by role under four columns, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.attribution.records import Attribution
from ossia_evaluation.attribution.search import Status
from ossia_evaluation.attribution.signed import ENDPOINT
from ossia_evaluation.rows import Share, share
from ossia_evaluation.stats import Interval, bootstrap_means

Grouping = Literal["framework", "domain", "intent"]
"""By what failures are laid side by side."""


@dataclass(frozen=True)
class Published:
    """What a publication tells of failures by role.

    Attributes:
        source: the publication, for readers.
        shares: percent of failures, several roles to a failure, by framework and row.
    """

    source: str
    shares: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class RoleRows:
    """The rows that a suite's tables of failures by role have.

    Attributes:
        roles: the rows in order; where empty, or where others are met, those of the team.
        titles: what rows are called, by role, where it is not the role's own name.
        published: figures to stand beside; None where there are none.
    """

    roles: Sequence[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    published: Published | None = None

    def of(self, role: str) -> str:
        """Return the row of a role."""
        return self.titles.get(role, role)


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
    """What is published of it, percent."""


class FailureTable(_Frozen):
    """The failures of one group of episodes."""

    by: Literal["all"] | Grouping
    group: str
    label: str = ""
    """What tables call the group where that is not its name."""
    failures: int
    """All failed episodes that an attribution was tried for; the columns are out of these."""
    statuses: dict[str, int]
    missed_recoveries: int
    conditional: int = 0
    """Failures whose repair helps only if answers had been right that were never recorded."""
    roles: tuple[RoleColumns, ...]

    @property
    def name(self) -> str:
        """What tables call the group."""
        return self.label or self.group


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
    rows: RoleRows,
    *,
    attribution_cpu_s: float | None = None,
    run_cpu_s: float | None = None,
    near_misses: int = 0,
    titles: Mapping[str, str] = MappingProxyType({}),
) -> AttributionSummary:
    """Count a run's attributions.

    Args:
        run: the run's name.
        found: the attributions of its failed episodes.
        rows: the rows of its tables.
        attribution_cpu_s: CPU time of all processes of the attribution, if it is known.
        run_cpu_s: CPU time of all processes of the run, if it is known.
        near_misses: successes in which some step left its contract.
        titles: what tables call frameworks, by name.
    """
    rows = replace(rows, roles=roles_of(found, rows))
    tables = [failure_table("all", "all", found, rows)] if found else []
    tables += (
        table.model_copy(update={"label": titles.get(table.group, "")})
        for table in grouped("framework", found, lambda item: item.framework, rows)
    )
    tables += grouped("domain", found, lambda item: item.domain, rows)
    tables += grouped("intent", found, lambda item: item.intent, rows)
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
    rows: RoleRows,
) -> list[FailureTable]:
    """Return a table for each group, in name order."""
    groups: dict[str, list[Attribution]] = {}
    for item in found:
        groups.setdefault(key(item), []).append(item)
    return [failure_table(by, name, groups[name], rows) for name in sorted(groups)]


def roles_of(found: Sequence[Attribution], rows: RoleRows) -> tuple[str, ...]:
    """Return what tables have rows for: what the suite says, or the roles of another team.

    Of another team the suite's roles come first, in its order; the others by name.
    """
    met = {rows.of(role) for item in found for role in (*item.opportunities, *item.rules)}
    if not any(cause.role == "framework" for item in found for cause in item.causes):
        met.discard("framework")
    if any(cause.role == ENDPOINT for item in found for cause in item.causes):
        met.add(ENDPOINT)
    beside = met - {*rows.roles}
    if rows.roles and beside <= {"framework", ENDPOINT}:
        return (*rows.roles, *sorted(beside))
    places = {role: place for place, role in enumerate(rows.roles)}
    return tuple(sorted(met, key=lambda role: (places.get(role, len(places)), role)))


def failure_table(
    by: Literal["all"] | Grouping,
    group: str,
    found: Sequence[Attribution],
    rows: RoleRows,
) -> FailureTable:
    """Return the table of one group of failed episodes."""
    told = rows.published.shares if rows.published is not None and by == "framework" else {}
    published = told.get(group, {})
    statuses = {status.value: 0 for status in Status}
    for item in found:
        statuses[item.status.value] += 1
    masses = _masses(rows, found)
    return FailureTable(
        by=by,
        group=group,
        failures=len(found),
        statuses={name: count for name, count in statuses.items() if count},
        missed_recoveries=sum(item.missed_recovery for item in found),
        conditional=sum(bool(item.assumed) for item in found),
        roles=tuple(
            _columns(role, rows, found, masses[role], published.get(role)) for role in rows.roles
        ),
    )


def role_masses(item: Attribution, rows: RoleRows) -> dict[str, float]:
    """Return each row's part of an episode's responsibility; the parts sum to one."""
    total = sum(cause.responsibility for cause in item.causes)
    parts: dict[str, float] = {}
    for cause in item.causes:
        role = rows.of(cause.role)
        parts[role] = parts.get(role, 0.0) + cause.responsibility / total
    return parts


@dataclass(frozen=True)
class _Mass:
    """A role's mean share of responsibility with its interval."""

    mean: float
    interval: Interval | None


def _masses(rows: RoleRows, found: Sequence[Attribution]) -> dict[str, _Mass]:
    """Each role's mass; the failures are drawn with all their roles, as these depend on another."""
    parts = [role_masses(item, rows) for item in found]
    lines = [tuple(part.get(role, 0.0) for role in rows.roles) for part in parts]
    intervals = bootstrap_means(lines)
    means = [sum(column) / len(lines) for column in zip(*lines, strict=True)]
    return {
        role: _Mass(
            mean=means[place] if means else 0.0,
            interval=None if intervals is None else intervals[place],
        )
        for place, role in enumerate(rows.roles)
    }


def _columns(
    role: str,
    rows: RoleRows,
    found: Sequence[Attribution],
    mass: _Mass,
    published: int | None,
) -> RoleColumns:
    total = len(found)
    possible = [item for item in found if role in map(rows.of, item.opportunities)]
    return RoleColumns(
        role=role,
        rules=share(sum(role in item.rules for item in found), total),
        but_for=share(_count(role, rows, (item.but_for for item in found)), total),
        causes=share(_count(role, rows, (item.roles for item in found)), total),
        mass=mass.mean,
        mass_low=None if mass.interval is None else mass.interval.low,
        mass_high=None if mass.interval is None else mass.interval.high,
        given_opportunity=share(
            _count(role, rows, (item.roles for item in possible)), len(possible)
        ),
        published=published,
    )


def _count(role: str, rows: RoleRows, named: Iterable[Collection[str]]) -> int:
    return sum(role in map(rows.of, roles) for roles in named)
