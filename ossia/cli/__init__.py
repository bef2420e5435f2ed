"""The command line."""

import atexit
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ossia.cli.stopped import end_stopped
from ossia.stopping import end_undisturbed, stopped_as_by_ctrl_c

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, which Ctrl-C, SIGTERM and SIGHUP end in one line at any moment."""
    _open_standard_streams()
    # The interpreter prints a trace of what a Ctrl-C meets while it is put away.
    atexit.register(end_undisturbed)
    with stopped_as_by_ctrl_c():
        try:
            # Inside, since loading the libraries of a command takes a good part of its start.
            from ossia.cli.app import main as run

            run(arguments)
        except KeyboardInterrupt:
            end_stopped()


def _open_standard_streams() -> None:
    """Put `/dev/null` where a shell has closed a standard stream, as `>&-` does.

    Otherwise there is nothing to print to, and the next file opened is the standard output.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
