"""What a reply is held against, and what it is found to be worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from ossia_dataset.world_tasks import AskedFact
from ossia_evaluation.reply.support import Support


class Truth(StrEnum):
    """What a reply is worth to the user."""

    TRUE = "true"
    UNTOLD = "untold"
    """What was asked is not told, or nothing is said at all."""
    FALSE = "false"
    """Something is told that is not so."""
    UNREAD = "unread"
    """No rule reads it; reported, without effect on the verdict."""


@dataclass(frozen=True)
class Judgement:
    """What a reply is worth, and why, as a clause."""

    truth: Truth
    reason: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the reply does not stand against a success."""
        return self.truth in (Truth.TRUE, Truth.UNREAD)


@dataclass(frozen=True)
class Done:
    """What a reply is held against.

    Attributes:
        now: the task's frozen clock.
        said: what the domain servers answered in the episode; whoever repeats it tells the truth.
        support: values and words that stand behind a reply.
        asked: what the user asked to be told.
        rivals: values of rows that were seen and are no part of the answer.
        domains: the domains in which something was to be changed.
        names: names of things that there are in these domains.
        negative: whether a right reply may deny something: a look found nothing, or the wish is
            itself a negation.
        left: words of what was rightly not done, in a task with conditions.
        found: whether a look found rows.
        empty: whether there were looks, and none of them found anything.
        removed: whether something was taken away.
        kept: whether no row was removed, so that what was taken away is so for once only.
        deed: values and words of the wish and of what was changed alone, without what was only
            seen; None where it is not told apart.
        picked: texts of what was changed, in lower case: of several rows seen, the one meant.
        quantified: whether the user spoke of all or of every one.
        chatting: whether the user wished for some chat besides, of which anything may be said.
        later: whether what was done is to happen later.
        rows: the rows of the answer.
        wished: stems of what the user wished and the servers said of it.
    """

    now: datetime
    said: tuple[str, ...]
    support: Support
    asked: tuple[AskedFact, ...] = ()
    rivals: tuple[str, ...] = ()
    domains: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    negative: bool = False
    found: bool = False
    empty: bool = False
    removed: bool = False
    kept: bool = False
    picked: frozenset[str] = frozenset()
    deed: Support | None = None
    quantified: bool = False
    chatting: bool = False
    later: bool = False
    rows: tuple[Mapping[str, Any], ...] = ()
    wished: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()


MAX_REPLY: Final = 20_000
"""Longest reply that is read, in characters; nobody can be told more at once."""

TOLD_NOTHING: Final = "the user was told nothing"
