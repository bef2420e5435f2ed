"""Finding adapters: those that come with Ossia, a folder of the user's, installed plug-ins.

A plug-in is a distribution with an entry point of the group ``ossia.adapters``. Its value names
a package whose folder is the adapter's project (with ``pyproject.toml`` and
``requirements.lock``); the package is located, never imported.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from ossia.adapters.errors import AdapterProjectError, UnknownAdapterError
from ossia.adapters.info import AdapterInfo, read_project

__all__ = ["GROUP", "find_adapter", "find_adapters", "ossia_home", "sdk_project"]

GROUP = "ossia.adapters"


def ossia_home(environ: Mapping[str, str]) -> Path:
    """Return the folder of Ossia's environments and results.

    Args:
        environ: The environment variables; ``OSSIA_HOME`` names the folder.

    Returns:
        The folder, ``.ossia`` in the current one by default; it need not exist.
    """
    return Path(environ.get("OSSIA_HOME") or ".ossia").absolute()


def _builtin_folder() -> Path:
    package = Path(__file__).resolve().parents[1]
    packed = package / "_adapters"
    return packed if packed.is_dir() else package.parent / "adapters"


def sdk_project() -> Path:
    """Return the folder of the SDK's project."""
    return _builtin_folder() / "sdk"


def find_adapters(home: Path) -> tuple[AdapterInfo, ...]:
    """Find the adapters that come with Ossia and the installed plug-ins.

    Args:
        home: The folder of Ossia's environments.

    Returns:
        The adapters, sorted by name.

    Raises:
        AdapterProjectError: A project is wrong, or two adapters have one name.
    """
    found: dict[str, AdapterInfo] = {}
    for project in (*_builtin_projects(), *_plugin_projects()):
        info = read_project(project, sdk=sdk_project(), home=home)
        if info.name in found:
            raise AdapterProjectError(
                f"{info.project} and {found[info.name].project} are both named {info.name}"
            )
        found[info.name] = info
    return tuple(found[name] for name in sorted(found))


def find_adapter(name: str, home: Path) -> AdapterInfo:
    """Find one adapter.

    Args:
        name: Its name, or the path of its project's folder; a path has a separator in it.
        home: The folder of Ossia's environments.

    Raises:
        UnknownAdapterError: There is no such adapter and no such folder.
        AdapterProjectError: The project is wrong.
    """
    if os.sep in name or name in {".", ".."}:
        project = Path(name).expanduser()
        if not project.is_dir():
            raise UnknownAdapterError(f"there is no folder {name}")
        return read_project(project, sdk=sdk_project(), home=home)
    adapters = find_adapters(home)
    for info in adapters:
        if info.name == name:
            return info
    known = ", ".join(info.name for info in adapters)
    raise UnknownAdapterError(f"there is no adapter {name!r}; there are {known}")


def _builtin_projects() -> Iterator[Path]:
    for path in sorted(_builtin_folder().glob("*/pyproject.toml")):
        if path.parent.name != "sdk":
            yield path.parent


def _plugin_projects() -> Iterator[Path]:
    for entry in sorted(metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            spec = importlib.util.find_spec(entry.module)
        except (ImportError, ValueError) as error:
            raise AdapterProjectError(
                f"the plug-in {entry.name} cannot be found: {error}"
            ) from error
        folders = list(spec.submodule_search_locations or ()) if spec is not None else []
        if not folders:
            raise AdapterProjectError(f"the plug-in {entry.name} names no package: {entry.value}")
        yield Path(folders[0])
