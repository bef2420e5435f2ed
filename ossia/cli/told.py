"""Where words leave the program: a console and plain lines that no model's output can steer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from shutil import get_terminal_size
from typing import Any

from rich.console import Console

from ossia.cli.folded import folded
from ossia_evaluation.console import SafeConsole
from ossia_evaluation.visible import visible

PIPE_WIDTH = 160
"""The width of what is written to a file or a pipe."""


def say(text: object, *, err: bool = False, nl: bool = True) -> None:
    """Print a line as it is, but for control and bidirectional characters, which are written out.

    Args:
        text: the line, or several.
        err: to standard error instead of standard output.
        nl: end the line.
    """
    stream = sys.stderr if err else sys.stdout
    shown = visible(str(text))
    if err and stream.isatty():
        # Sentences, while standard output may be data.
        shown = folded(shown, get_terminal_size().columns)
    stream.write(shown + ("\n" if nl else ""))
    stream.flush()


def say_lines(lines: Iterable[object], *, err: bool = False) -> None:
    """Print lines as they come, each as `say` does."""
    for line in lines:
        say(line, err=err)


def line_width() -> int | None:
    """Return how long a line of standard output may be; None for any length: no terminal reads it.

    The variable `COLUMNS` sets it, with a terminal and without.
    """
    if sys.stdout.isatty() or _columns_set():
        return make_console().width
    return None


def make_console(stderr: bool = False) -> Console:
    """Return a console that never cuts a table when the output is a file or a pipe.

    The variable `COLUMNS` sets its width, with a terminal and without.
    """
    made: dict[str, Any] = {"stderr": stderr, "highlight": False}
    terminal = SafeConsole(**made)
    # rich reads the variable too, and would take 0 for a width.
    if terminal.is_terminal or _columns_set():
        return terminal
    return SafeConsole(**made, width=PIPE_WIDTH)


def _columns_set() -> bool:
    return os.environ.get("COLUMNS", "").strip("0").isdecimal()
