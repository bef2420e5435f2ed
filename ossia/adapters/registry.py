"""Finding adapters: those that come with Ossia, a folder of the user's, installed plug-ins.

A plug-in is a distribution with an entry point of the group ``ossia.adapters``. Its value names
a package whose folder is the adapter's project (with ``pyproject.toml`` and
``requirements.lock``); the package is located, never imported.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import metadata
from pathlib import Path

from ossia.adapters.errors import AdapterProjectError, UnknownAdapterError
from ossia.adapters.info import AdapterInfo, read_project
from ossia.adapters.variants import ALL, EVERY
from ossia.alike import instead_of
from ossia.errors import UserError

__all__ = [
    "GROUP",
    "BrokenAdapter",
    "Survey",
    "find_adapter",
    "find_adapters",
    "how_to_install",
    "named_adapters",
    "ossia_home",
    "sdk_project",
    "survey_adapters",
]

_log = logging.getLogger(__name__)

GROUP = "ossia.adapters"


def ossia_home(environ: Mapping[str, str]) -> Path:
    """Return the folder of Ossia's environments and results.

    Args:
        environ: The environment variables; ``OSSIA_HOME`` names the folder.

    Returns:
        The folder, ``.ossia`` in the current one by default; it need not exist.

    Raises:
        UserError: Something else than a folder is in its place, or the current folder is gone.
    """
    try:
        home = Path(environ.get("OSSIA_HOME") or ".ossia").absolute()
    except FileNotFoundError:
        raise UserError(
            "the current folder no longer exists: change to another one, or set OSSIA_HOME"
        ) from None
    if home.exists() and not home.is_dir():
        raise UserError(f"OSSIA_HOME is not a folder: {home}")
    return home


def _builtin_folder() -> Path:
    package = Path(__file__).resolve().parents[1]
    packed = package / "_adapters"
    return packed if packed.is_dir() else package.parent / "adapters"


def sdk_project() -> Path:
    """Return the folder of the SDK's project."""
    return _builtin_folder() / "sdk"


@dataclass(frozen=True, slots=True)
class BrokenAdapter:
    """An adapter that is there and cannot be used.

    Attributes:
        name: The name of its entry point or folder.
        reason: What is wrong, in one sentence.
        claimed: The name of another adapter, which it cannot take; None where it is not that.
    """

    name: str
    reason: str
    claimed: str | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found.

    Attributes:
        adapters: The adapters that can be used, sorted by name.
        broken: The others, in the order in which they were found.
    """

    adapters: tuple[AdapterInfo, ...]
    broken: tuple[BrokenAdapter, ...]


def survey_adapters(home: Path) -> Survey:
    """Find the adapters that come with Ossia and the installed plug-ins.

    Of two with one name the first counts, and those that come with Ossia are before plug-ins.

    Args:
        home: The folder of Ossia's environments.

    Returns:
        Those that can be used, and those that cannot, with the reason.
    """
    found: dict[str, AdapterInfo] = {}
    origins: dict[str, str] = {}
    broken: list[BrokenAdapter] = []
    for name, origin, locate in (*_builtin_projects(), *_plugin_projects()):
        try:
            info = read_project(locate(), sdk=sdk_project(), home=home)
        except AdapterProjectError as error:
            broken.append(BrokenAdapter(name, str(error)))
            continue
        first = origins.setdefault(info.name, origin)
        if found.setdefault(info.name, info) is not info:
            # As with pytest's plug-ins the first one is used.
            reason = (
                f"{first} and {origin} both provide an adapter {info.name}: the one from {first}"
                " is used"
            )
            broken.append(BrokenAdapter(name, reason, claimed=info.name))
    return Survey(tuple(found[name] for name in sorted(found)), tuple(broken))


def find_adapters(home: Path) -> tuple[AdapterInfo, ...]:
    """Find the adapters that can be used; each broken one is logged once and left out.

    Args:
        home: The folder of Ossia's environments.

    Returns:
        The adapters, sorted by name.
    """
    survey = survey_adapters(home)
    for each in survey.broken:
        _warn_of(each)
    return survey.adapters


def _warn_of(broken: BrokenAdapter) -> None:
    left_out = f"the adapter {broken.name} is left out: {broken.reason}"
    _warn_once(left_out if broken.claimed is None else broken.reason)


@cache
def _warn_once(sentence: str) -> None:
    _log.warning(sentence)


def find_adapter(name: str, home: Path) -> AdapterInfo:
    """Find one adapter, with the variant that is named after a colon or its default one.

    Args:
        name: Its name, or the path of its project's folder; a path has a separator in it.
        home: The folder of Ossia's environments.

    Raises:
        UnknownAdapterError: There is no such adapter, no such folder or no such variant.
        AdapterProjectError: The project is wrong.
    """
    first, colon, variant = _parted(name)
    info = _find_project(first, home)
    return info.with_variant(variant) if colon else info


def named_adapters(name: str, home: Path) -> tuple[AdapterInfo, ...]:
    """Find the adapters that a name stands for.

    Args:
        name: As `find_adapter` takes it; `NAME:all` for every variant of an adapter, `all` for
            every adapter with its default variant, `all:all` for every variant of all.
        home: The folder of Ossia's environments.

    Raises:
        UnknownAdapterError: There is no such adapter, no such folder or no such variant.
        AdapterProjectError: The project is wrong.
    """
    first, colon, variant = _parted(name)
    if first == ALL:
        if colon and variant != ALL:
            raise UnknownAdapterError(
                f"{name!r} is not valid; use {EVERY} for every variant of all adapters"
            )
        found = find_adapters(home)
    else:
        found = (_find_project(first, home),)
    if not colon:
        return found
    if variant != ALL:
        return tuple(info.with_variant(variant) for info in found)
    return tuple(each for info in found for each in _with_each_variant(info))


def _with_each_variant(info: AdapterInfo) -> Sequence[AdapterInfo]:
    return [info.with_variant(variant.name) for variant in info.variants] or [info]


def _parted(name: str) -> tuple[str, str, str]:
    """Return an adapter's name or path, the colon and the variant; a folder may hold colons."""
    first, colon, variant = name.rpartition(":")
    if not colon or os.sep in variant or (_is_path(name) and Path(name).expanduser().is_dir()):
        return name, "", ""
    return first, colon, variant


def _is_path(name: str) -> bool:
    return os.sep in name or name in {".", ".."}


def _find_project(name: str, home: Path) -> AdapterInfo:
    """Find an adapter by its name or path, with its default variant."""
    if _is_path(name):
        project = Path(name).expanduser()
        if not project.is_dir():
            raise UnknownAdapterError(f"there is no folder {name}")
        return read_project(project, sdk=sdk_project(), home=home)
    survey = survey_adapters(home)
    for each in survey.broken:
        if each.claimed == name:
            _warn_of(each)
    for info in survey.adapters:
        if info.name == name:
            return info
    for broken in survey.broken:
        if broken.name == name:
            raise AdapterProjectError(f"the adapter {name} cannot be used: {broken.reason}")
    known = instead_of(name, [info.name for info in survey.adapters])
    hint = f"; the folder here is .{os.sep}{name}" if name and Path(name).is_dir() else ""
    raise UnknownAdapterError(f"there is no adapter {name!r}; {known}{hint}")


def how_to_install(infos: Sequence[AdapterInfo]) -> str:
    """Return the command that installs those of some adapters which cannot be started.

    Args:
        infos: Adapters of one home, at least one of them not installed or out of date.

    Returns:
        Such as `ossia adapter install camel ./mine`: a name where it is enough, else the folder.
    """
    todo = list({info.project: info for info in infos if not info.installed}.values())
    known = {info.name: info.project for info in survey_adapters(todo[0].home).adapters}
    if len(todo) > 1 and {info.name: info.project for info in todo} == known:
        return "ossia adapter install --all"
    given = [i.name if known.get(i.name) == i.project else _folder(i.project) for i in todo]
    return shlex.join(["ossia", "adapter", "install", *given])


def _folder(project: Path) -> str:
    whole, here = project.resolve(), Path.cwd()
    if whole == here:
        return "."
    return f".{os.sep}{whole.relative_to(here)}" if whole.is_relative_to(here) else str(whole)


def _builtin_projects() -> Iterator[tuple[str, str, Callable[[], Path]]]:
    for path in sorted(_builtin_folder().glob("*/pyproject.toml")):
        if path.parent.name != "sdk":
            yield path.parent.name, "Ossia", partial(Path, path.parent)


def _plugin_projects() -> Iterator[tuple[str, str, Callable[[], Path]]]:
    """Each plug-in's name, its distribution, and what finds its project."""
    every = ((entry.name, _origin(entry), entry) for entry in _entries(tuple(sys.path)))
    for name, origin, entry in sorted(every, key=lambda each: each[:2]):
        yield name, origin, partial(_locate, entry)


@cache
def _entries(path: tuple[str, ...]) -> tuple[metadata.EntryPoint, ...]:
    """The entry points of plug-ins on a search path, for which every distribution is read."""
    return tuple(metadata.entry_points(group=GROUP))


def _origin(entry: metadata.EntryPoint) -> str:
    return "" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _locate(entry: metadata.EntryPoint) -> Path:
    """Return the folder of a plug-in's project.

    Raises:
        AdapterProjectError: It names no package.
    """
    # Locating an inner package would import the outer one, so only the outer one is located.
    package, *inner = entry.value.split(".")
    if all(part.isidentifier() for part in (package, *inner)):
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError) as error:
            raise AdapterProjectError(f"the plug-in cannot be found: {error}") from error
        for place in (spec.submodule_search_locations or ()) if spec is not None else ():
            folder = Path(place, *inner)
            if folder.is_dir():
                return folder
    raise AdapterProjectError(f"the plug-in names no package: {entry.value}")
