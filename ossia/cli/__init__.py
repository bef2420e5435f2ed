"""The command line."""

import sys
from collections.abc import Sequence

from ossia.errors import INTERRUPTED

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, which a Ctrl-C ends without a trace at any moment."""
    try:
        # Inside, since loading the libraries of a command takes a good part of its start.
        from ossia.cli.app import main as run

        run(arguments)
    except KeyboardInterrupt:
        from ossia.cli.interrupt import end_undisturbed

        end_undisturbed()
        sys.exit(INTERRUPTED)
