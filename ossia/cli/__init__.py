"""The command line."""

from ossia.cli.app import main

__all__ = ["main"]
