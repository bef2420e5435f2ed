"""Running uv, which comes with Ossia."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import uv

from ossia.adapters.errors import InstallError

__all__ = ["excerpt", "run_uv", "summary"]

_INTERRUPTED = (-signal.SIGINT, 128 + signal.SIGINT)
_SUMMARY_CHARACTERS = 400
_EXCERPT_CHARACTERS = 4_000


def run_uv(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run uv to its end. Indexes and caches are the user's own configuration of uv.

    Args:
        *arguments: The arguments.
        folder: Where it runs; the current folder by default.

    Returns:
        How it ended; standard error is part of its output.

    Raises:
        InstallError: It is not there.
        KeyboardInterrupt: A Ctrl-C, which goes to all processes of a terminal, has ended it.
    """
    # The environment that is active is not the one that is meant.
    environ = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    try:
        done = subprocess.run(
            [uv.find_uv_bin(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environ,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise InstallError(f"uv cannot be run: {error.strerror}", "") from error
    if done.returncode in _INTERRUPTED:
        raise KeyboardInterrupt
    return done


def summary(output: str) -> str:
    """Return the start and the end of an output as one line."""
    return _ends(" ".join(output.split()), _SUMMARY_CHARACTERS, " ... ")


def excerpt(output: str) -> str:
    """Return the start and the end of an output."""
    return _ends(output, _EXCERPT_CHARACTERS, "\n...\n")


def _ends(text: str, most: int, between: str) -> str:
    # The start says what is wrong, where a long list of hashes follows; the end may tell a remedy.
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}{between}{text[-most // 2 :]}"
