"""Compiling an adapter's lock file, with uv."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ossia.adapters.errors import AdapterProjectError, InstallError, UnsatisfiableError
from ossia.adapters.info import LOCK
from ossia.adapters.uvtool import run_uv, summary

__all__ = ["advisories", "compile_lock"]

_NO_SOLUTION = 1
_AUDIT_SECONDS = 120


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
        missing = "has no pyproject.toml" if project.is_dir() else "is not a folder"
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
    raise InstallError(f"{LOCK} could not be created: {reason}", done.stdout)


def _offline(output: str) -> bool:
    # uv says so in its output for most kinds of requirements, but not for those with extras.
    return "network was disabled" in output or bool(os.environ.get("UV_OFFLINE"))


def advisories(project: Path) -> str:
    """Return in a line what pip-audit knows of the locked versions, or why it was not asked.

    Args:
        project: The folder of the adapter's project, with its lock.
    """
    tool = shutil.which("pip-audit")
    if tool is None:
        return "known advisories were not checked: pip-audit is not on the PATH"
    command = [tool, "-r", LOCK, "--no-deps", "--disable-pip", "--format=json"]
    try:
        done = subprocess.run(
            [*command, "--progress-spinner=off"],
            cwd=project,
            capture_output=True,
            text=True,
            timeout=_AUDIT_SECONDS,
            check=False,
        )
        # It ends with 1 where it finds something and where it fails alike.
        found = [
            f"{each['name']} {each['version']}: {', '.join(one['id'] for one in each['vulns'])}"
            for each in json.loads(done.stdout)["dependencies"]
            if each.get("vulns")
        ]
    except subprocess.TimeoutExpired:
        return f"known advisories could not be checked: no answer in {_AUDIT_SECONDS} s"
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return "known advisories could not be checked: pip-audit gave no result"
    return "known advisories: " + ("; ".join(found) or "none")
