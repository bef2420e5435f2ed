"""The command line."""

import sys
from collections.abc import Sequence

from ossia.cli.interrupt import STOPPED, end_undisturbed, stopped_as_by_ctrl_c
from ossia.errors import INTERRUPTED

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, which Ctrl-C, SIGTERM and SIGHUP end in one line at any moment."""
    with stopped_as_by_ctrl_c():
        try:
            # Inside, since loading the libraries of a command takes a good part of its start.
            from ossia.cli.app import main as run

            run(arguments)
        except KeyboardInterrupt:
            end_undisturbed()
            sys.stderr.write(STOPPED)
            sys.exit(INTERRUPTED)
