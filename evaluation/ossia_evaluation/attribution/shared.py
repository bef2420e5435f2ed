"""Failures that are the same in several episodes, told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ossia_evaluation.attribution.received import role_in
from ossia_evaluation.attribution.records import Attribution, Cause


@dataclass(frozen=True)
class SharedFailure:
    """A failure of one task that its episodes have in common.

    Attributes:
        items: the attributions, in the order of their episodes; one at least.
    """

    items: tuple[Attribution, ...]

    @property
    def task(self) -> str:
        """The task that failed."""
        return self.items[0].task

    @property
    def first(self) -> Attribution:
        """The one that speaks for all."""
        return self.items[0]

    @property
    def frameworks(self) -> Mapping[str, int]:
        """The frameworks with the number of their episodes, in name order."""
        return dict(sorted(Counter(item.framework for item in self.items).items()))

    @property
    def kind(self) -> tuple[str, tuple[str, ...]]:
        """What failures of several tasks have in common: the status and the roles to blame."""
        return self.first.status.value, self.first.roles


def shared_key(item: Attribution) -> tuple[object, ...]:
    """Return what is the same in two attributions of one failure.

    Steps are known by their roles here: a plan's moments have other names than a single choice.
    """
    families = sorted(tuple(map(role_in, family)) for family in item.families)
    return item.task, item.status, told(item), tuple(families), item.missed_recovery


def shared_failures(found: Iterable[Attribution]) -> tuple[SharedFailure, ...]:
    """Return the failures with the episodes that share them, in the order of their tasks.

    Args:
        found: the attributions.
    """
    groups: dict[tuple[object, ...], list[Attribution]] = {}
    for item in found:
        groups.setdefault(shared_key(item), []).append(item)
    shared = (SharedFailure(tuple(items)) for items in groups.values())
    return tuple(sorted(shared, key=lambda one: (one.task, -len(one.items), one.first.episode)))


def telling(shared: Sequence[SharedFailure]) -> tuple[SharedFailure, ...]:
    """Return the same failures with the most telling first.

    Each kind (a status and the roles to blame) comes once, the most frequent kind first, before
    any kind comes again; within a kind the failure with most episodes is first. So the beginning
    of the list shows every kind of failure that there is.

    Args:
        shared: the failures.
    """
    kinds: dict[tuple[str, tuple[str, ...]], list[SharedFailure]] = {}
    for one in sorted(shared, key=lambda one: (-len(one.items), one.task, one.first.episode)):
        kinds.setdefault(one.kind, []).append(one)
    weights = {kind: sum(len(one.items) for one in ones) for kind, ones in kinds.items()}
    order = sorted(kinds, key=lambda kind: (-weights[kind], kind))
    longest = max(map(len, kinds.values()), default=0)
    return tuple(
        kinds[kind][rank] for rank in range(longest) for kind in order if rank < len(kinds[kind])
    )


def told(item: Attribution) -> str:
    """Return the sentence that tells an attribution: its evidence, or else the verdict's reason."""
    return item.evidence or item.reason


def culprits(item: Attribution) -> tuple[Cause, ...]:
    """Return the causes in the first family, in the order of the episode."""
    first = item.families[0] if item.families else ()
    return tuple(cause for cause in item.causes if cause.situation in first)
