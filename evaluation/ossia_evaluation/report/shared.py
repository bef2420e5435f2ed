"""The failed episodes of the report, with those that fail alike under one heading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossia_evaluation.attribution import Attribution
from ossia_evaluation.attribution.shared import shared_key
from ossia_evaluation.report.detail import EpisodeDetail


@dataclass(frozen=True)
class DetailGroup:
    """Episodes of one task that failed alike.

    Attributes:
        items: the episodes, in the order in which they ran; one at least.
        found: the attribution of the first, if it has one.
    """

    items: tuple[EpisodeDetail, ...]
    found: Attribution | None

    @property
    def first(self) -> EpisodeDetail:
        """The episode that speaks for all."""
        return self.items[0]

    @property
    def frameworks(self) -> str:
        """The frameworks that share the failure: `camel, control x2`."""
        counts = Counter(item.framework for item in self.items)
        return ", ".join(f"{name} x{n}" if n > 1 else name for name, n in counts.items())


def detail_groups(
    details: Sequence[EpisodeDetail], attributions: Mapping[str, Attribution]
) -> tuple[DetailGroup, ...]:
    """Return the episodes with those that failed alike together, in the order of their first ones.

    Alike is what the attribution tells in the same way; without one, what has the same verdict,
    the same reason and the same faults by the rules.

    Args:
        details: the failed and the invalid episodes.
        attributions: by episode.
    """
    groups: dict[tuple[object, ...], list[EpisodeDetail]] = {}
    for item in details:
        found = attributions.get(item.episode)
        alike = (item.task, item.verdict, item.reason, item.faults)
        groups.setdefault(alike if found is None else shared_key(found), []).append(item)
    return tuple(
        DetailGroup(tuple(items), attributions.get(items[0].episode)) for items in groups.values()
    )
