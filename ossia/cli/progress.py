"""Progress of a run: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ossia.runner.finished import Finished, Observer
from ossia.runner.tally import Tally

REDRAWS_PER_SECOND: Final = 4
"""A live display that is redrawn at every event can cost more than the run."""

PLAIN_SECONDS: Final = 5.0
"""Without a terminal one line is printed at most this often."""


@contextmanager
def shown_progress(console: Console, run: str, tally: Tally) -> Iterator[Observer]:
    """Show how far a run has come while the block runs.

    Args:
        console: where it is shown.
        run: the run's name.
        tally: what is shown.

    Yields:
        What is to be told of each finished episode.
    """
    live = Live(console=console, refresh_per_second=REDRAWS_PER_SECOND, transient=True)
    every = 1 / REDRAWS_PER_SECOND if console.is_terminal else PLAIN_SECONDS
    shown_s, printed = float("-inf"), 0

    def finished(event: Finished) -> None:
        nonlocal shown_s, printed
        tally.add(event)
        now = time.monotonic()
        if now - shown_s < every:
            return
        shown_s = now
        if console.is_terminal:
            live.update(Text(str(tally)))
        else:
            console.print(str(tally))
            printed = tally.done

    console.print(f"run {run}")
    try:
        with live if console.is_terminal else nullcontext():
            yield finished
    finally:
        if tally.done != printed:
            console.print(str(tally))
