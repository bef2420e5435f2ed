"""Progress of a run: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ossia.runner.stopping import Finished
from ossia_evaluation.grade import Verdict
from ossia_evaluation.words import counted

REDRAWS_PER_SECOND: Final = 4
"""A live display that is redrawn at every event can cost more than the run."""

PLAIN_SECONDS: Final = 5.0
"""Without a terminal one line is printed at most this often."""


_PACE_SECONDS: Final = 5.0
"""Before that a rate says nothing."""


class Progress:
    """Counts verdicts by framework and shows them while a run goes on."""

    def __init__(
        self,
        console: Console,
        run: str,
        earlier: Mapping[str, Mapping[Verdict, int]] | None = None,
    ) -> None:
        """Set up.

        Args:
            console: where it is shown.
            run: the run's name.
            earlier: verdicts that earlier sessions left, by framework.
        """
        self._console = console
        self._run = run
        self._counts = {name: dict(counts) for name, counts in (earlier or {}).items()}
        self._done = 0
        self._total = 0
        self._here = 0
        self._began_s = time.monotonic()
        self._spent_usd = 0.0
        self._printed = 0
        self._shown_s = float("-inf")
        self._live = (
            Live(console=console, refresh_per_second=REDRAWS_PER_SECOND, transient=True)
            if console.is_terminal
            else None
        )

    def __enter__(self) -> Self:
        self._console.print(f"run {self._run}")
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, trace)
        if self._done != self._printed:
            self._console.print(self._line())
        if isinstance(error, KeyboardInterrupt):
            self._console.print("stopped; run the same command again to resume")

    def finished(self, event: Finished) -> None:
        """Take note of a finished episode."""
        counts = self._counts.setdefault(event.trace.episode.framework, {})
        counts[event.score.verdict] = counts.get(event.score.verdict, 0) + 1
        self._done, self._total = event.done, event.total
        self._here += 1
        self._spent_usd = event.spent_usd
        now = time.monotonic()
        if self._live is not None:
            if now - self._shown_s >= 1 / REDRAWS_PER_SECOND:
                self._live.update(Text(self._line()))
                self._shown_s = now
        elif now - self._shown_s >= PLAIN_SECONDS:
            self._console.print(self._line())
            self._shown_s, self._printed = now, self._done

    def _line(self) -> str:
        parts = []
        for framework, counts in sorted(self._counts.items()):
            good = counts.get(Verdict.SUCCESS, 0)
            invalid = counts.get(Verdict.INVALID, 0)
            text = f"{framework} {good}/{sum(counts.values()) - invalid}"
            parts.append(text + (f" ({invalid} invalid)" if invalid else ""))
        done = f"{self._done}/{counted(self._total, 'episode')}"
        return f"{done}{self._pace()}; success: {', '.join(parts)}"

    def _pace(self) -> str:
        """The rate of this session, the time left at it, and what the run has spent so far."""
        spent = f", {self._spent_usd:.4f} USD" if self._spent_usd else ""
        minutes = (time.monotonic() - self._began_s) / 60
        if minutes * 60 < _PACE_SECONDS:
            return spent
        rate = self._here / minutes
        left = (self._total - self._done) / rate
        text = f", {rate:.0f}/min"
        if self._done < self._total:
            text += f", {left:.0f} min left" if left >= 1 else ", under 1 min left"
        return text + spent
