"""How far a run has come, how it goes and how long it will take, in one line."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from ossia.runner.finished import Finished
from ossia_evaluation.grade import Verdict
from ossia_evaluation.words import counted

_PACE_SECONDS: Final = 5.0
"""So long after the first episode a rate says nothing."""

_START_SECONDS: Final = 30.0
"""Where no more than the first have ended, so long after the start it says something all the
same."""


class Tally:
    """Counts the verdicts of finished episodes by framework."""

    def __init__(self, earlier: Mapping[str, Mapping[Verdict, int]]) -> None:
        """Begin to count.

        Args:
            earlier: verdicts that earlier sessions left, by framework.
        """
        self.done = 0
        """Episodes of the run that are finished."""
        self._counts = {name: dict(counts) for name, counts in earlier.items()}
        self._total = 0
        self._here = 0
        self._began_s = time.monotonic()
        self._first_s = 0.0
        self._spent_usd = 0.0

    def add(self, event: Finished) -> None:
        """Count a finished episode."""
        counts = self._counts.setdefault(event.trace.episode.framework, {})
        counts[event.score.verdict] = counts.get(event.score.verdict, 0) + 1
        self.done, self._total = event.done, event.total
        self._first_s = self._first_s if self._here else time.monotonic()
        self._here += 1
        self._spent_usd = event.spent_usd

    def __str__(self) -> str:
        """Return the line."""
        parts = []
        for framework, counts in sorted(self._counts.items()):
            good = counts.get(Verdict.SUCCESS, 0)
            invalid = counts.get(Verdict.INVALID, 0)
            text = f"{framework} {good}/{sum(counts.values()) - invalid}"
            parts.append(text + (f" ({invalid} invalid)" if invalid else ""))
        done = f"{self.done}/{counted(self._total, 'episode')}"
        return f"{done}{self._pace()}; success: {', '.join(parts)}"

    def _pace(self) -> str:
        """The rate of this session, the time left at it, and what the run has spent so far."""
        spent = f", {self._spent_usd:.4f} USD" if self._spent_usd else ""
        rate = self._per_minute()
        if rate is None:
            return spent
        text = f", {_rate_text(rate)}"
        if self.done < self._total:
            text += f", {_left_text((self._total - self.done) / rate)} left"
        return text + spent

    def _per_minute(self) -> float | None:
        """The episodes a minute since the first, as workers start once; None too early to say."""
        now = time.monotonic()
        if self._here > 1 and now - self._first_s >= _PACE_SECONDS:
            return (self._here - 1) * 60 / (now - self._first_s)
        if now - self._began_s >= _START_SECONDS:
            return self._here * 60 / (now - self._began_s)
        return None


def _rate_text(per_minute: float) -> str:
    """A rate that is never shown as none."""
    if per_minute >= 1:
        return f"{per_minute:.0f}/min"
    return f"{per_minute:.2g}/min" if per_minute >= 0.1 else f"{per_minute * 60:.2g}/h"


def _left_text(minutes: float) -> str:
    if minutes < 1:
        return "under 1 min"
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"
