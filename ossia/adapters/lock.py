"""Compiling an adapter's lock file, with uv."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ossia.adapters.errors import AdapterProjectError, InstallError, UnsatisfiableError
from ossia.adapters.info import LOCK
from ossia.adapters.uvtool import run_uv, summary

__all__ = ["compile_lock"]

_NO_SOLUTION = 1


def compile_lock(project: Path, *, upgrade: bool = False) -> None:
    """Write an adapter's `requirements.lock` from its `pyproject.toml`.

    The lock holds exact versions with their hashes for every platform and names no index. The
    SDK is not in it: it is installed from Ossia itself.

    Args:
        project: The folder of the adapter's project.
        upgrade: Whether to take the newest versions instead of those locked so far.

    Raises:
        AdapterProjectError: The folder holds no project.
        UnsatisfiableError: No versions fit together, or there is no such distribution.
        InstallError: uv cannot reach an index, or failed in another way.
    """
    if not (project / "pyproject.toml").is_file():
        missing = "holds no pyproject.toml" if project.is_dir() else "is no folder"
        raise AdapterProjectError(f"{project} {missing}")
    what = ["--universal", "--generate-hashes", *(["--upgrade"] if upgrade else [])]
    form = ["--no-header", "--no-emit-index-url", "--no-emit-package", "ossia-adapter"]
    files = ["pyproject.toml", "--output-file", LOCK, "--python", sys.executable, "--quiet"]
    done = run_uv("pip", "compile", *what, *form, *files, folder=project)
    if done.returncode == 0:
        return
    reason = summary(done.stdout)
    if done.returncode == _NO_SOLUTION and not _offline(done.stdout):
        raise UnsatisfiableError(f"the requirements cannot be met: {reason}", done.stdout)
    raise InstallError(f"{LOCK} could not be made: {reason}", done.stdout)


def _offline(output: str) -> bool:
    # uv says so in its output for most kinds of requirements, but not for those with extras.
    return "network was disabled" in output or bool(os.environ.get("UV_OFFLINE"))
