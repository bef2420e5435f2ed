"""What a task set holds, counted: for the datasheet, and for whoever wants to weigh a result."""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from pydantic import BaseModel, ConfigDict

from ossia_dataset.normalise import parse_date_value, parse_time_value
from ossia_dataset.similarity import plain_text
from ossia_dataset.tasks import dataset_hash
from ossia_dataset.world_tasks import Gold, Part, WorldTask

STATISTICS_VERSION: Final = 1
"""Version of the stored format."""

_LONGEST: Final = 21
"""From so many words on utterances are counted together."""


class SetStatistics(BaseModel):
    """One task set in counts. A compound task counts once, each of its parts as a frame."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = STATISTICS_VERSION
    hash: str
    tasks: int
    kinds: dict[str, int]
    domains: dict[str, dict[str, int]]
    """By domain and intent: frames."""
    slots: dict[str, int]
    """By slot name: frames that have the slot."""
    times: dict[str, int]
    """By form: normal forms of time slots."""
    places: int
    """Different places in normal form."""
    words: dict[str, int]
    """By number of words of the utterance, of which the last stands for all longer ones."""
    median_words: float
    vocabulary: int
    """Different words of all utterances."""
    days: int
    """Different days of the clocks."""
    weekdays: dict[str, int]
    months: dict[str, int]
    hours: dict[str, int]
    homes: dict[str, int]
    setups: int
    """Tasks with a setup of their own."""
    facts: int
    """Facts of all gold replies."""


def statistics_of(tasks: Sequence[WorldTask]) -> SetStatistics:
    """Count a task set.

    Args:
        tasks: the set, which is not empty.
    """
    frames = [frame for task in tasks for frame in _frames(task)]
    texts = [plain_text(task.utterance).split() for task in tasks]
    lengths = [len(words) for words in texts]
    domains: dict[str, Counter[str]] = {}
    for frame in frames:
        domains.setdefault(frame.domain, Counter())[frame.intent] += 1
    return SetStatistics(
        hash=dataset_hash(tasks),
        tasks=len(tasks),
        kinds=_most_first(str(task.gold.kind) for task in tasks),
        domains={name: dict(sorted(domains[name].items())) for name in sorted(domains)},
        slots=_most_first(slot for frame in frames for slot in frame.slots),
        times=_most_first(
            _form(name, value) for frame in frames for name, value in frame.time.items()
        ),
        places=len({place for frame in frames for place in frame.place.values()}),
        words=_in_order(
            (_length(length) for length in lengths), map(_length, range(1, _LONGEST + 1))
        ),
        median_words=float(median(lengths)),
        vocabulary=len({word for words in texts for word in words}),
        days=len({task.now.date() for task in tasks}),
        weekdays=_in_order((f"{task.now:%A}" for task in tasks), calendar.day_name),
        months=_in_order((f"{task.now:%B}" for task in tasks), calendar.month_name[1:]),
        hours=_in_order(
            (f"{task.now:%H}" for task in tasks), (f"{hour:02d}" for hour in range(24))
        ),
        homes=_most_first(task.home for task in tasks),
        setups=sum(bool(task.setup) for task in tasks),
        facts=sum(len(task.gold.facts) for task in tasks),
    )


def _frames(task: WorldTask) -> Sequence[Gold | Part]:
    return task.gold.parts or (task.gold,)


def _length(words: int) -> str:
    return str(words) if words < _LONGEST else f"{_LONGEST}+"


def _form(name: str, value: str) -> str:
    """The form of a normal form, such as `range of days`."""
    if name == "date":
        day = parse_date_value(value)
        if day.recurrence is not None:
            return "recurrence"
        return "day" if day.single is not None else "range of days"
    moment = parse_time_value(value)
    return "clock time" if moment.start == moment.end else "range of time"


def _most_first(items: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(items).items(), key=lambda pair: (-pair[1], pair[0])))


def _in_order(items: Iterable[str], names: Iterable[str]) -> dict[str, int]:
    counts: Mapping[str, int] = Counter(items)
    return {name: counts[name] for name in names if name in counts}
