"""Making the environment of an adapter from its lock file, with uv."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ossia.adapters.errors import AdapterError, InstallError
from ossia.adapters.held import exclusive
from ossia.adapters.info import LOCK, MARKER, AdapterInfo, is_finished
from ossia.adapters.stale import remove_environment, remove_stale
from ossia.adapters.uvtool import excerpt, run_uv, summary

__all__ = ["install", "install_all"]


def install(info: AdapterInfo, *, editable: bool = False) -> bool:
    """Make the adapter's environment unless it is there.

    The locked distributions are installed with their hashes checked, then the SDK and the
    adapter as they are in their folders. An environment cannot be moved, so it is built in its
    final place and marked when done; another process that wants it waits. Stale environments of
    the adapter that nobody holds are removed.

    Args:
        info: The adapter.
        editable: Whether its sources are used where they are, so that an edit needs no new
            environment. Without it, an editable environment is removed.

    Returns:
        Whether the environment was made now.

    Raises:
        InstallError: uv failed; nothing that looks complete is left.
    """
    if not editable and info.editable:
        remove_environment(info.editable_environment)
    folder = info.editable_environment if editable else info.copied_environment
    made = not is_finished(folder) and _make(info, folder)
    remove_stale(info)
    return made


def install_all(
    infos: Sequence[AdapterInfo],
    *,
    jobs: int = 4,
    editable: bool = False,
    observe: Callable[[AdapterInfo, AdapterError | None], None] | None = None,
) -> dict[str, AdapterError | None]:
    """Make several environments side by side.

    Args:
        infos: The adapters.
        jobs: How many are made at once.
        editable: As for `install`.
        observe: Told of each environment as it is ready or has failed, from any thread.

    Returns:
        For each adapter's name ``None``, or why its environment could not be made.
    """

    def attempt(info: AdapterInfo) -> AdapterError | None:
        problem: AdapterError | None = None
        try:
            install(info, editable=editable)
        except AdapterError as error:
            problem = error
        if observe is not None:
            observe(info, problem)
        return problem

    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        return dict(zip((info.name for info in infos), pool.map(attempt, infos), strict=True))


def _make(info: AdapterInfo, folder: Path) -> bool:
    with exclusive(folder, wait=True):
        if is_finished(folder):
            return False
        shutil.rmtree(folder, ignore_errors=True)
        _build(info, folder)
    return True


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"


def _build(info: AdapterInfo, folder: Path) -> None:
    _uv(info, "venv", "--python", sys.executable, str(folder))
    to_environment = ("pip", "install", "--python", str(_python(folder)), "--compile-bytecode")
    _uv(info, *to_environment, "--require-hashes", "-r", str(info.lock))
    # uv keeps what it built from a folder; the sources may have changed since.
    fresh = ("--refresh-package", "ossia-adapter", "--refresh-package", info.package)
    editable = folder == info.editable_environment
    project = ("--editable", str(info.project)) if editable else (str(info.project),)
    _uv(info, *to_environment, "--no-deps", *fresh, str(info.sdk), *project)
    _require_met(info, folder)
    marker = {"name": info.name, "digest": info.digest, "project": str(info.project)}
    unfinished = folder / f"{MARKER}.new"
    unfinished.write_text(json.dumps(marker) + "\n", "utf-8")
    unfinished.replace(folder / MARKER)


def _require_met(info: AdapterInfo, folder: Path) -> None:
    """Refuse a lock that was made for other requirements than the project states now.

    Raises:
        InstallError: Something that the project requires is not installed, or in another version.
    """
    stated = str(info.project / "pyproject.toml")
    environment = ("--python", str(_python(folder)))
    done = run_uv("pip", "install", *environment, "--dry-run", "--offline", "-r", stated)
    lacking = [line[3:] for line in done.stdout.splitlines() if line.startswith(" + ")]
    if done.returncode == 0 and not lacking:
        return
    reason = f"it lacks {', '.join(lacking)}" if lacking else summary(done.stdout)
    raise InstallError(
        f"the environment of {info.name} could not be created: {LOCK} no longer satisfies"
        f" pyproject.toml ({reason}); run `ossia adapter lock {info.project}`",
        excerpt(done.stdout),
    )


def _uv(info: AdapterInfo, *arguments: str) -> None:
    """Run uv.

    Raises:
        InstallError: It failed or is not there.
    """
    done = run_uv(*arguments)
    if done.returncode != 0:
        command = " ".join(["uv", *itertools.takewhile(str.isalpha, arguments)])
        raise InstallError(
            f"the environment of {info.name} could not be created: {command} failed:"
            f" {summary(done.stdout)}",
            excerpt(done.stdout),
        )
