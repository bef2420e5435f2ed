"""Progress of a run: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ossia.cli.stopped import STOPPING
from ossia.cli.told import say
from ossia.runner.activity import Activity
from ossia.runner.finished import Finished
from ossia.runner.tally import Tally
from ossia_evaluation.words import counted

REDRAWS_PER_SECOND: Final = 4
"""A live display that is redrawn at every event can cost more than the run."""

PLAIN_SECONDS: Final = 5.0
"""Without a terminal one line is printed at most this often."""

SILENT_SECONDS: Final = 10.0
"""Without a terminal a run of which no episode has ended for so long says what it is doing."""


class Progress:
    """How far a run has come, shown while it goes on."""

    def __init__(self, console: Console, tally: Tally, activity: Activity) -> None:
        """Show nothing yet.

        Args:
            console: where it is shown.
            tally: what is finished.
            activity: what is being done.
        """
        self._console = console
        self._tally = tally
        self._activity = activity
        self._printed_s = float("-inf")
        self._printed = 0
        self._live = Live(
            console=console,
            refresh_per_second=REDRAWS_PER_SECOND,
            transient=True,
            get_renderable=lambda: Text(self._line()),
        )

    @contextmanager
    def shown(self, run: str) -> Iterator[Progress]:
        """Show it while the block runs.

        Args:
            run: the run's name.
        """
        self._console.print(f"run {run}")
        try:
            with self._live if self._console.is_terminal else self._spoken():
                yield self
        finally:
            if self._tally.done != self._printed:
                self._tell(str(self._tally))

    def finished(self, event: Finished) -> None:
        """Take note of a finished episode."""
        self._tally.add(event)
        now = time.monotonic()
        if not self._console.is_terminal and now - self._printed_s >= PLAIN_SECONDS:
            self._printed_s, self._printed = now, self._tally.done
            self._tell(str(self._tally))

    def stopping(self) -> None:
        """Say that the run is being stopped, and for what it waits."""
        workers = self._activity.workers
        waits = f": waiting for {counted(workers, 'worker')} to end" if workers else ""
        self._console.print(STOPPING.replace(";", f"{waits};"))

    def _tell(self, line: str) -> None:
        """Print a line, which stays one in a file."""
        self._console.print(line, soft_wrap=not self._console.is_terminal)

    def _line(self) -> str:
        told = (str(self._tally) if self._tally.done else "", self._starting())
        return "; ".join(filter(None, told))

    def _starting(self) -> str:
        names = self._activity.starting
        return f"starting workers: {', '.join(names)}" if names else ""

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        """Say now and then what a run without a terminal is waiting for."""
        ended = Event()
        speaker = Thread(target=self._speak, args=(ended,), daemon=True)
        speaker.start()
        try:
            yield
        finally:
            ended.set()
            speaker.join()

    def _speak(self, ended: Event) -> None:
        while not ended.wait(SILENT_SECONDS):
            if time.monotonic() - self._printed_s >= SILENT_SECONDS and (said := self._starting()):
                self._console.print(said)


class ProgressLines:
    """Prints each line on a terminal, and without one a line now and then."""

    def __init__(self) -> None:
        """Print nothing yet."""
        self._printed_s = time.monotonic()

    def __call__(self, line: object) -> None:
        """Print what is done by now, or nothing."""
        now = time.monotonic()
        if sys.stderr.isatty() or now - self._printed_s >= PLAIN_SECONDS:
            self._printed_s = now
            say(line, err=True)
