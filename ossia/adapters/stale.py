"""Environments that no adapter matches any more.

An environment is stale when it was never finished, when its adapter's project is gone, or when
the project, the SDK or the interpreter has changed since. Installing an adapter removes the stale
environments of its name that nobody holds; one held by a running process survives.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ossia.adapters.errors import AdapterProjectError
from ossia.adapters.held import exclusive, lock_file
from ossia.adapters.info import MARKER, AdapterInfo, read_project

__all__ = [
    "KeptEnvironment",
    "installed_adapters",
    "remove_environment",
    "remove_stale",
    "stale_environments",
]

_FOLDER = re.compile(r"(?P<name>[a-z][a-z0-9_-]*)-[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class KeptEnvironment:
    """An environment under the home, up to date or not.

    Attributes:
        folder: Its folder.
        name: The adapter's name.
        project: The adapter's project; ``None`` when the environment was never finished.
    """

    folder: Path
    name: str
    project: Path | None


def stale_environments(home: Path, sdk: Path) -> tuple[KeptEnvironment, ...]:
    """Find the stale environments.

    Args:
        home: The folder under which environments are kept.
        sdk: The folder of the SDK's project.

    Returns:
        Them, sorted by folder, without those that are being made right now.
    """
    return tuple(each for each in _environments(home.resolve()) if _is_stale(each, home, sdk))


def installed_adapters(home: Path, sdk: Path) -> tuple[AdapterInfo, ...]:
    """Find the adapters that have an environment, wherever their projects are.

    Args:
        home: The folder under which environments are kept.
        sdk: The folder of the SDK's project.

    Returns:
        Them, sorted by the folder of the environment, without those that are out of date.
    """
    found = []
    for each in _environments(home.resolve()):
        info = _matching(each, home, sdk)
        if info is not None:
            found.append(info)
    return tuple(found)


def remove_stale(info: AdapterInfo) -> tuple[Path, ...]:
    """Remove the stale environments of an adapter that nobody holds.

    Those of another project with the same name are left alone while that project exists.

    Args:
        info: The adapter.

    Returns:
        The folders that were removed.
    """
    removed = []
    for each in stale_environments(info.home, info.sdk):
        project = each.project
        ours = project is None or project == info.project or not project.is_dir()
        if each.name == info.name and ours and remove_environment(each.folder):
            removed.append(each.folder)
    return tuple(removed)


def _environments(home: Path) -> Iterator[KeptEnvironment]:
    for folder in sorted((home / "envs").glob("*")):
        named = _FOLDER.fullmatch(folder.name)
        if named and folder.is_dir():
            project = _marker(folder).get("project")
            found = Path(project) if isinstance(project, str) else None
            yield KeptEnvironment(folder, named["name"], found)


def _is_stale(each: KeptEnvironment, home: Path, sdk: Path) -> bool:
    if each.project is None:
        with exclusive(each.folder, wait=False) as alone:
            return alone and not _marker(each.folder)
    if not each.project.is_dir():
        return True
    try:
        return read_project(each.project, sdk=sdk, home=home).environment != each.folder
    except AdapterProjectError:
        # Its author is at work on it; what it will match is not known.
        return False


def _matching(each: KeptEnvironment, home: Path, sdk: Path) -> AdapterInfo | None:
    if each.project is None:
        return None
    try:
        info = read_project(each.project, sdk=sdk, home=home)
    except AdapterProjectError:
        return None
    return info if info.environment == each.folder else None


def _marker(folder: Path) -> Mapping[str, Any]:
    try:
        content = json.loads((folder / MARKER).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def remove_environment(folder: Path) -> bool:
    """Remove an environment unless somebody holds it.

    Args:
        folder: Its folder.

    Returns:
        Whether nobody held it.
    """
    with exclusive(folder, wait=False) as alone:
        if alone:
            # First, so that what is left of an interrupted removal never looks complete.
            (folder / MARKER).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
            lock_file(folder).unlink(missing_ok=True)
        return alone
