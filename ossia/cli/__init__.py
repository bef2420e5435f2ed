"""The command line."""

import atexit
from collections.abc import Sequence

from ossia.cli.stopped import end_stopped
from ossia.stopping import end_undisturbed, stopped_as_by_ctrl_c

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, which Ctrl-C, SIGTERM and SIGHUP end in one line at any moment."""
    # The interpreter prints a trace of what a Ctrl-C meets while it is put away.
    atexit.register(end_undisturbed)
    with stopped_as_by_ctrl_c():
        try:
            # Inside, since loading the libraries of a command takes a good part of its start.
            from ossia.cli.app import main as run

            run(arguments)
        except KeyboardInterrupt:
            end_stopped()
