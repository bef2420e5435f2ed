"""Making the environment of an adapter from its lock file, with uv."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import uv

from ossia.adapters.errors import AdapterError, InstallError
from ossia.adapters.info import MARKER, AdapterInfo

__all__ = ["install", "install_all"]

_OUTPUT_TAIL = 4_000
_REASON_TAIL = 400


def install(info: AdapterInfo) -> bool:
    """Make the adapter's environment unless it is there.

    The locked distributions are installed with their hashes checked, then the SDK and the
    adapter as they are in their folders. Indexes and caches are the user's own configuration of
    uv. An environment cannot be moved, so it is built in its final place and marked when done;
    another process that wants it waits.

    Args:
        info: The adapter.

    Returns:
        Whether the environment was made now.

    Raises:
        InstallError: uv failed; nothing that looks complete is left.
    """
    if info.installed:
        return False
    with _locked(info.home / "envs" / f".{info.environment.name}.lock"):
        if info.installed:
            return False
        shutil.rmtree(info.environment, ignore_errors=True)
        _build(info)
    return True


def install_all(infos: Sequence[AdapterInfo], *, jobs: int = 4) -> dict[str, AdapterError | None]:
    """Make several environments side by side.

    Args:
        infos: The adapters.
        jobs: How many are made at once.

    Returns:
        For each adapter's name ``None``, or why its environment could not be made.
    """

    def attempt(info: AdapterInfo) -> AdapterError | None:
        try:
            install(info)
        except AdapterError as error:
            return error
        return None

    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        return dict(zip((info.name for info in infos), pool.map(attempt, infos), strict=True))


def _build(info: AdapterInfo) -> None:
    _uv(info, "venv", "--python", sys.executable, str(info.environment))
    to_environment = ("pip", "install", "--python", str(info.python), "--compile-bytecode")
    _uv(info, *to_environment, "--require-hashes", "-r", str(info.lock))
    # uv keeps what it built from a folder; the sources may have changed since.
    fresh = ("--refresh-package", "ossia-adapter", "--refresh-package", info.package)
    _uv(info, *to_environment, "--no-deps", *fresh, str(info.sdk), str(info.project))
    marker = {"name": info.name, "digest": info.digest, "project": str(info.project)}
    unfinished = info.environment / f"{MARKER}.new"
    unfinished.write_text(json.dumps(marker) + "\n", "utf-8")
    unfinished.replace(info.environment / MARKER)


def _uv(info: AdapterInfo, *arguments: str) -> None:
    """Run uv.

    Raises:
        InstallError: It failed or is not there.
    """
    # The environment that is active is not the one that is meant.
    environ = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    try:
        done = subprocess.run(
            [uv.find_uv_bin(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environ,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise InstallError(f"uv cannot be run: {error}", "") from error
    if done.returncode != 0:
        command = " ".join(["uv", *itertools.takewhile(str.isalpha, arguments)])
        reason = " ".join(done.stdout[-_REASON_TAIL:].split())
        raise InstallError(
            f"the environment of {info.name} could not be made: {command} failed: {reason}",
            done.stdout[-_OUTPUT_TAIL:],
        )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes; it is released when its holder ends, however it ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
