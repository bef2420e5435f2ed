"""Labelled behaviours: what somebody might do and say in a task, and what the verdict should be.

A file holds one JSON object a line. The labels are a reader's, so they are a yardstick and not the
truth; behaviours of one task are not independent, and the intervals say so.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, ValidationError

from ossia_dataset.tasks import Request, TaskError, problem_of
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.grade import Verdict
from ossia_evaluation.stats import Interval, wilson
from ossia_evaluation.worlds.gold import GoldError
from ossia_evaluation.worlds.proof import faithful_reply
from ossia_evaluation.worlds.score import Score, WorldScorer

_GOLD: Final = re.compile(r"G(\d*)")
_SAMPLES: Final = 2000
_SEED: Final = 53


class BehaviourError(TaskError):
    """A file of behaviours cannot be read or played; the message names the line and the reason."""


class Should(StrEnum):
    """What a careful reader says of a behaviour."""

    SUCCESS = "success"
    FAILURE = "failure"
    """Wrong or missing requests or effects, whatever is told."""
    TOLD_FALSELY = "told_falsely"
    """The right requests and a false reply: no success either."""
    DEBATABLE = "debatable"
    """In no figure."""


class Behaviour(BaseModel):
    """One way to behave in one task, with its label."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str
    task: str
    kind: str = ""
    """The task's kind or the sweep's name, for reading only."""
    should: Should
    behaviour: str
    """In a few words."""
    requests: tuple[str, ...]
    """`G` for all gold requests in order, `G2` for the second of them, else path and query."""
    reply: str | None = None
    """What the user is told; None for a faithful reply in the servers' words."""


@dataclass(frozen=True)
class Judged:
    """A behaviour with the verdict that it got."""

    behaviour: Behaviour
    score: Score

    @property
    def accepted(self) -> bool:
        """Whether the verdict is success."""
        return self.score.verdict is Verdict.SUCCESS

    @property
    def agrees(self) -> bool:
        """Whether the verdict is the label's; a debatable behaviour is never wrong."""
        if self.behaviour.should is Should.DEBATABLE:
            return True
        return self.accepted is (self.behaviour.should is Should.SUCCESS)

    def __str__(self) -> str:
        """Return in words what was done, and how it was judged."""
        made = self.behaviour
        asked = ", ".join(made.requests) or "none"
        said = "the servers' words" if made.reply is None else repr(made.reply)
        return (
            f"{made.task}, {made.behaviour!r}: should be {made.should}, is {self.score.verdict}"
            f" ({self.score.reason})\n    requests {asked}; reply {said}"
        )


@dataclass(frozen=True)
class Accepted:
    """How many behaviours were accepted as successes.

    Attributes:
        count: how many.
        of: out of how many.
        interval: the 95 % interval of the share, clustered by task.
    """

    count: int
    of: int
    interval: Interval

    @property
    def share(self) -> float | None:
        """The share, or None out of nothing."""
        return self.count / self.of if self.of else None


def read_behaviours(path: Path) -> tuple[Behaviour, ...]:
    """Read a file of behaviours.

    Raises:
        BehaviourError: it cannot be read, or a line is no behaviour.
    """
    try:
        lines = path.read_text("utf-8").split("\n")
    except UnicodeDecodeError:
        raise BehaviourError(f"{path}: the file is not in UTF-8") from None
    except OSError as error:
        raise BehaviourError(f"{path}: {error.strerror}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(Behaviour.model_validate_json(line))
        except ValidationError as error:
            raise BehaviourError(f"{path}:{number}: {problem_of(error)}") from None
    if not found:
        raise BehaviourError(f"{path}: contains no behaviour")
    return tuple(found)


def judge(behaviour: Behaviour, task: WorldTask, scorer: WorldScorer) -> Judged:
    """Play a behaviour on a fresh world of its task, and score it.

    Raises:
        BehaviourError: a request names no gold request or no domain.
    """
    try:
        run = scorer.runner.run(task, tuple(_requests(behaviour, task)))
    except GoldError as error:
        raise BehaviourError(f"{behaviour.task}, {behaviour.behaviour!r}: {error}") from None
    answer = faithful_reply(run) if behaviour.reply is None else behaviour.reply
    return Judged(behaviour, scorer.score(task, run.trace(task, answer)))


def accepted(judged: Iterable[Judged], *labels: Should) -> Accepted:
    """Count the accepted among the behaviours of some labels.

    Args:
        judged: behaviours with their verdicts.
        labels: which labels to count.

    Returns:
        The count, with a bootstrap interval over tasks (2,000 draws, fixed seed), or Wilson's where
        all verdicts are the same, since drawing again shows nothing then.
    """
    by_task: dict[str, list[bool]] = {}
    for one in judged:
        if one.behaviour.should in labels:
            by_task.setdefault(one.behaviour.task, []).append(one.accepted)
    every = [value for values in by_task.values() for value in values]
    count = sum(every)
    if count in (0, len(every)):
        # Tasks are what is independent, so they are what is counted.
        return Accepted(count, len(every), wilson(len(by_task) if count else 0, len(by_task)))
    return Accepted(count, len(every), _clustered(list(by_task.values())))


def agreement_lines(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the shares of right behaviours accepted and of wrong ones refused, in words."""
    wrong = (Should.FAILURE, Should.TOLD_FALSELY)
    yield f"right behaviours accepted: {_share(accepted(judged, Should.SUCCESS))}"
    yield f"wrong or falsely told ones refused: {_share(accepted(judged, *wrong), refused=True)}"
    for should in wrong:
        yield f"  {should}: {_share(accepted(judged, should), refused=True)}"
    unread = sum(one.score.reply == "unread" for one in judged)
    yield f"replies with unparsed wording: {unread} of {len(judged)}"
    yield "Intervals are 95 %, clustered by task. The labels are a reader's, not the truth."


def _share(found: Accepted, *, refused: bool = False) -> str:
    if found.share is None:
        return "none"
    low, high = found.interval
    if refused:
        count, share, low, high = found.of - found.count, 1 - found.share, 1 - high, 1 - low
    else:
        count, share = found.count, found.share
    interval = f"95 % [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{count} of {found.of} ({100 * share:.1f} %, {interval})"


def _requests(behaviour: Behaviour, task: WorldTask) -> Iterator[Request]:
    gold = task.gold.gold_requests()
    for text in behaviour.requests:
        named = _GOLD.fullmatch(text)
        if named is None:
            yield _request(text)
        elif not named[1]:
            yield from gold
        elif 1 <= int(named[1]) <= len(gold):
            yield gold[int(named[1]) - 1]
        else:
            raise BehaviourError(f"{behaviour.task}: there is no gold request {text}")


def _request(text: str) -> Request:
    # Not `urlsplit`: what stands before the question mark is a domain and no address.
    path, _, query = text.partition("?")
    params = dict(parse_qsl(query, keep_blank_values=True))
    return Request(domain=path.strip("/"), params=params)


def _clustered(groups: Sequence[Sequence[bool]]) -> Interval:
    """A percentile bootstrap over clusters, of the share over all their members."""
    draw = random.Random(_SEED)
    shares = []
    for _ in range(_SAMPLES):
        chosen = draw.choices(groups, k=len(groups))
        shares.append(sum(map(sum, chosen)) / sum(map(len, chosen)))
    shares.sort()
    return Interval(shares[int(0.025 * _SAMPLES)], shares[int(0.975 * _SAMPLES) - 1])
