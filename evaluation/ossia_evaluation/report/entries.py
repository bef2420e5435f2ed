"""The failed episodes of the report: what several of them share is told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ossia_evaluation.attribution.shared import shared_key
from ossia_evaluation.report.blame import Blame
from ossia_evaluation.report.detail import EpisodeDetail


@dataclass(frozen=True)
class Variant:
    """One reading of a part.

    Attributes:
        episodes: whose it is: frameworks, or episodes where a framework has several readings.
        html: what the page shows.
    """

    episodes: str
    html: Markup


@dataclass(frozen=True)
class Part:
    """A part of an entry, such as the steps.

    Attributes:
        title: what it tells.
        shared: whether all episodes read alike.
        variants: its readings, in the order of the episodes; an empty one is left out.
    """

    title: str
    shared: bool
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Entry:
    """Episodes of one task that failed alike.

    Attributes:
        items: the episodes, in the order in which they ran; one at least.
        parts: what is told of them.
    """

    items: tuple[EpisodeDetail, ...]
    parts: tuple[Part, ...]

    @property
    def first(self) -> EpisodeDetail:
        """The episode that speaks for all."""
        return self.items[0]

    @property
    def frameworks(self) -> str:
        """The frameworks that share the failure: `camel, control x2`."""
        return _frameworks(self.items)

    @property
    def stressed_by(self) -> tuple[str, ...]:
        """The faults that the episodes were to meet, each once."""
        return tuple(dict.fromkeys(item.fault for item in self.items if item.fault))


def entries(
    details: Sequence[EpisodeDetail], blame: Blame | None, macros: Any
) -> tuple[Entry, ...]:
    """Return the episodes with those that failed alike together, in the order of their first ones.

    Alike is what the attribution tells in the same way; without one, what has the same verdict,
    the same reason and the same faults by the rules.

    Args:
        details: the failed and the invalid episodes.
        blame: the run's attributions, if it has any.
        macros: the module of `parts.html.j2`.
    """
    found = blame.attributions if blame else {}
    groups: dict[tuple[object, ...], list[EpisodeDetail]] = {}
    for item in details:
        one = found.get(item.episode)
        alike = (item.task, item.verdict, item.reason, item.faults)
        groups.setdefault(alike if one is None else shared_key(one), []).append(item)
    return tuple(
        Entry(tuple(items), tuple(_parts(items, blame, macros))) for items in groups.values()
    )


def anchor(episode: str) -> str:
    """Return the fragment that opens an episode in the page."""
    return f"episode-{episode}"


def _parts(items: Sequence[EpisodeDetail], blame: Blame | None, macros: Any) -> Iterator[Part]:
    found: Mapping[str, Any] = blame.attributions if blame else {}
    tried: Mapping[str, Any] = blame.verifications if blame else {}
    signs: Mapping[str, Any] = blame.detections if blame else {}

    def steps(item: EpisodeDetail) -> str:
        one = found.get(item.episode)
        return str(macros.replayed(one) if one and one.steps else macros.steps(item))

    shown: Mapping[str, Callable[[EpisodeDetail], str]] = {
        "Attribution": lambda item: _told(found, item, macros.attribution),
        "Failed roles": macros.failed_roles,
        "Outcome": macros.outcome,
        "Verification": lambda item: _told(tried, item, macros.verified),
        "Failure modes": lambda item: _told(signs, item, macros.modes),
        "Steps": steps,
        "Requests": macros.requests,
        "Answer": macros.answer,
    }
    for title, show in shown.items():
        readings: dict[str, list[EpisodeDetail]] = {}
        for item in items:
            readings.setdefault(show(item).strip(), []).append(item)
        named = _names(list(readings.values()))
        # Text is escaped by the macros already.
        variants = zip(named, map(Markup, readings), strict=True)
        told = tuple(Variant(name, html) for name, html in variants if html)
        yield Part(title, len(readings) == 1, told)


def _told(found: Mapping[str, Any], item: EpisodeDetail, show: Callable[[Any], str]) -> str:
    value = found.get(item.episode)
    return show(value) if value else ""


def _names(readings: Sequence[Sequence[EpisodeDetail]]) -> list[str]:
    """What each reading is called: by framework, unless a framework has several of them."""
    seen = Counter(name for items in readings for name in {item.framework for item in items})
    if seen and max(seen.values()) > 1:
        return [", ".join(item.episode for item in items) for items in readings]
    return [_frameworks(items) for items in readings]


def _frameworks(items: Sequence[EpisodeDetail]) -> str:
    counts = Counter(item.framework for item in items)
    return ", ".join(f"{name} x{n}" if n > 1 else name for name, n in counts.items())
