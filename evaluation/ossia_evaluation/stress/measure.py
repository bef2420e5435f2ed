"""From episodes with and without faults to figures. The task is the unit of all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev
from typing import Final

from ossia_evaluation.clustered import difference_interval, sign_flip
from ossia_evaluation.grade import Verdict
from ossia_evaluation.rows import EpisodeRow, TaskShare, task_share
from ossia_evaluation.stats import Z_95, holm
from ossia_evaluation.stress.figures import (
    ALL,
    COSTS,
    Cell,
    Change,
    Difference,
    FaultAbout,
    Stress,
    StressLine,
)
from ossia_evaluation.stress.finding import finding
from ossia_evaluation.stress.played import Outcome, Played, acted_twice, outcome
from ossia_evaluation.stress.ranking import rankings

__all__ = ["measure"]

_READ: Final[Mapping[str, Callable[[EpisodeRow], float]]] = {
    "calls": lambda row: row.calls,
    "tokens": lambda row: row.prompt_tokens + row.completion_tokens,
    "wall_s": lambda row: row.wall_s,
}


@dataclass(frozen=True, slots=True)
class _Pair:
    """An episode that met a fault, and the same without, which succeeded."""

    stressed: Played
    usual: Played
    about: FaultAbout
    outcome: Outcome

    @property
    def key(self) -> tuple[str, int, str]:
        """What it has in common with the same of another framework."""
        row = self.stressed.row
        return (row.task, row.repeat, row.fault)


@dataclass(frozen=True, slots=True)
class _Line:
    """What there is of one framework with one model."""

    framework: str
    model: str
    pairs: Sequence[_Pair]
    left: Mapping[str, Counter[str]]
    """Why episodes are not counted, by fault."""


def measure(
    episodes: Sequence[Played],
    faults: Sequence[FaultAbout],
    *,
    run: str,
    plan: str,
    seed: int,
    labels: Mapping[str, str],
    models: Sequence[str],
    reference: str,
) -> Stress:
    """Return the figures of a run under stress.

    Args:
        episodes: its episodes, those without a fault as well.
        faults: the faults of its plan, in their order.
        run: its name.
        plan: its plan's name.
        seed: its plan's seed.
        labels: what tables call each framework, in the order in which they are shown.
        models: the models, in their order.
        reference: the framework with which the others are compared by fault.
    """
    lines = _lines(episodes, {one.key: one for one in faults}, labels, models)
    groups = tuple(dict.fromkeys(one.group for one in faults))
    told = tuple(_line(line, faults, labels[line.framework]) for line in lines)
    result = Stress(
        run=run,
        plan=plan,
        seed=seed,
        faults=tuple(faults),
        groups=groups,
        models=tuple(models),
        lines=told,
        differences=_by_group(lines, groups),
        to_reference=_by_fault(lines, faults, reference),
        rankings=rankings(told, models),
    )
    return result.model_copy(update={"finding": finding(result)})


def _lines(
    episodes: Sequence[Played],
    faults: Mapping[str, FaultAbout],
    labels: Mapping[str, str],
    models: Sequence[str],
) -> list[_Line]:
    usual = {(*_of(each.row), *_task(each.row)): each for each in episodes if not each.row.fault}
    pairs: dict[tuple[str, str], list[_Pair]] = defaultdict(list)
    left: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for each in episodes:
        row = each.row
        if row.fault not in faults:
            continue
        pair = usual.get((*_of(row), *_task(row)))
        why = _left_out(row, pair)
        if pair is None or why:
            left[_of(row)][row.fault][why] += 1
        else:
            pairs[_of(row)].append(_Pair(each, pair, faults[row.fault], outcome(each, pair)))
    wanted = ((framework, model) for model in models for framework in labels)
    return [_Line(*of, pairs[of], left[of]) for of in wanted if pairs[of] or left[of]]


def _left_out(row: EpisodeRow, pair: Played | None) -> str:
    """Why an episode is not counted; empty where it is."""
    if row.verdict is Verdict.INVALID:
        return "invalid"
    if pair is None or pair.row.verdict is not Verdict.SUCCESS:
        return "unpaired"
    return "" if row.injections else "unmet"


def _of(row: EpisodeRow) -> tuple[str, str]:
    return row.framework, row.model


def _task(row: EpisodeRow) -> tuple[str, int]:
    return row.task, row.repeat


def _line(line: _Line, faults: Sequence[FaultAbout], label: str) -> StressLine:
    groups: dict[str, list[FaultAbout]] = {ALL: list(faults)}
    for one in faults:
        groups.setdefault(one.group, []).append(one)
    return StressLine(
        framework=line.framework,
        label=label,
        model=line.model,
        by_group={name: _cell(line, within) for name, within in groups.items()},
        by_fault={one.key: _cell(line, [one], named=True) for one in faults},
        by_dose=_by(line, faults, lambda one: (one.kind, one.place), lambda one: one.dose),
        by_place=_by(
            line, faults, lambda one: (one.kind, one.dose), lambda one: one.place or "anywhere"
        ),
    )


def _cell(line: _Line, faults: Iterable[FaultAbout], *, named: bool = False) -> Cell:
    keys = {one.key for one in faults}
    pairs = [pair for pair in line.pairs if pair.about.key in keys]
    left: Counter[str] = sum((line.left.get(key, Counter()) for key in keys), Counter())
    ended = Counter(pair.outcome for pair in pairs)
    return Cell(
        recovery=_recovery(pairs),
        outcomes={each: ended[each] for each in Outcome},
        acted_twice=sum(acted_twice(pair.stressed, pair.usual) for pair in pairs),
        sent_again=sum(pair.stressed.again > 0 for pair in pairs),
        price=_price(pairs),
        episodes={pair.stressed.row.episode: pair.outcome for pair in pairs} if named else {},
        unmet=left["unmet"],
        unpaired=left["unpaired"],
        invalid=left["invalid"],
    )


def _recovery(pairs: Iterable[_Pair]) -> TaskShare:
    return task_share((pair.stressed.row.task, pair.outcome is Outcome.RECOVERED) for pair in pairs)


def _price(pairs: Sequence[_Pair]) -> dict[str, Change]:
    survived = [pair for pair in pairs if pair.outcome is Outcome.RECOVERED]
    return {name: _change(survived, _READ[name]) for name in COSTS} if survived else {}


def _change(pairs: Sequence[_Pair], read: Callable[[EpisodeRow], float]) -> Change:
    by_task: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        more = read(pair.stressed.row) - read(pair.usual.row)
        by_task[pair.stressed.row.task].append(more)
    means = [fmean(each) for each in by_task.values()]
    mean, half = fmean(means), None
    if len(means) > 1:
        half = Z_95 * stdev(means) / sqrt(len(means))
    return Change(
        mean=mean,
        low=None if half is None else mean - half,
        high=None if half is None else mean + half,
        tasks=len(means),
    )


def _by(
    line: _Line,
    faults: Sequence[FaultAbout],
    same: Callable[[FaultAbout], object],
    varied: Callable[[FaultAbout], str],
) -> dict[str, dict[str, TaskShare]]:
    """Recovery by what varies among faults that are the same but for it, for each class."""
    alike: dict[object, list[FaultAbout]] = defaultdict(list)
    for one in faults:
        alike[same(one)].append(one)
    told: dict[str, dict[str, list[_Pair]]] = {}
    for family in alike.values():
        for one in family if len(family) > 1 else ():
            found = [pair for pair in line.pairs if pair.about.key == one.key]
            told.setdefault(one.group, {}).setdefault(varied(one), []).extend(found)
    return {
        group: {name: _recovery(pairs) for name, pairs in within.items()}
        for group, within in told.items()
    }


def _by_group(lines: Sequence[_Line], groups: Sequence[str]) -> tuple[Difference, ...]:
    """Every two frameworks with one model, by class and in all: one family of tests."""

    def drafts() -> Iterator[Difference]:
        for one, two in combinations(lines, 2):
            if one.model != two.model:
                continue
            for group in (ALL, *groups):
                yield _difference(one, two, group, lambda about: about.group)

    return _adjusted(list(drafts()))


def _by_fault(
    lines: Sequence[_Line], faults: Sequence[FaultAbout], reference: str
) -> tuple[Difference, ...]:
    """Every framework and the reference with the same model, by fault: one family of tests."""
    there = {line.model: line for line in lines if line.framework == reference}
    drafts = [
        _difference(line, there[line.model], fault.key, lambda about: about.key)
        for line in lines
        if line.framework != reference and line.model in there
        for fault in faults
    ]
    return _adjusted(drafts)


def _difference(
    one: _Line, two: _Line, faults: str, read: Callable[[FaultAbout], str]
) -> Difference:
    first, second = (
        {
            pair.key: pair.outcome is Outcome.RECOVERED
            for pair in line.pairs
            if faults in (ALL, read(pair.about))
        }
        for line in (one, two)
    )
    by_task: dict[str, list[int]] = defaultdict(list)
    for key in sorted(first.keys() & second.keys()):
        by_task[key[0]].append(first[key] - second[key])
    means = [Fraction(sum(each), len(each)) for each in by_task.values()]
    interval = difference_interval(means).interval if means else None
    p_value = sign_flip(means).p_value
    return Difference(
        model=one.model,
        faults=faults,
        first=one.framework,
        second=two.framework,
        tasks=len(means),
        difference=float(sum(means) / len(means)) if means else None,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        p_value=p_value,
        p_holm=p_value,
    )


def _adjusted(drafts: Sequence[Difference]) -> tuple[Difference, ...]:
    adjusted = holm([each.p_value for each in drafts])
    return tuple(
        each.model_copy(update={"p_holm": p_holm})
        for each, p_holm in zip(drafts, adjusted, strict=True)
    )
