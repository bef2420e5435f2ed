"""Where words leave the program: a console and plain lines that no model's output can steer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console

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
    stream.write(visible(str(text)) + ("\n" if nl else ""))
    stream.flush()


def say_lines(lines: Iterable[object], *, err: bool = False) -> None:
    """Print lines as they come, each as `say` does."""
    for line in lines:
        say(line, err=err)


def make_console(stderr: bool = False) -> Console:
    """Return a console that never cuts a table when the output is a file or a pipe.

    The variable `COLUMNS` sets its width, with a terminal and without.
    """
    made: dict[str, Any] = {"stderr": stderr, "highlight": False}
    terminal = SafeConsole(**made)
    # rich reads the variable too, and would take 0 for a width.
    if terminal.is_terminal or os.environ.get("COLUMNS", "").strip("0").isdecimal():
        return terminal
    return SafeConsole(**made, width=PIPE_WIDTH)
