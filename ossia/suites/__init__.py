"""The suites by name: those of Ossia, and those that other distributions bring.

A suite is found by the entry-point group `ossia.suites`, whose entries name what makes it: a
function that takes the suite's name and returns a `Suite`. It is imported only when asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ossia.errors import UserError
from ossia.suite import Suite

if TYPE_CHECKING:
    from ossia_servers.gateway import Model, ModelSpec

__all__ = [
    "GROUP",
    "find_suite",
    "load_brought",
    "offline_model",
    "suite_commands",
    "suite_names",
    "usable_suites",
]

_LOG: Final = logging.getLogger(__name__)

GROUP: Final = "ossia.suites"
"""The entry-point group of suites."""

T = TypeVar("T")


@cache
def find_suite(name: str) -> Suite[Any]:
    """Return a suite; its tasks are of a type of its own.

    Raises:
        UserError: there is none of this name, it cannot be imported, or what its entry point names
            makes no suite.
    """
    entry = _entries().get(name)
    if entry is None:
        raise UserError(f"no suite is called '{name}'; there are: {', '.join(_entries())}")
    suite = load_brought(
        f"{entry.module}:{entry.attr}",
        f"the suite '{name}'",
        lambda made: made(name) if callable(made) else made,
    )
    if not isinstance(suite, Suite) or suite.name != name:
        raise UserError(
            f"the entry point of the suite '{name}' ({entry.value}) makes no such suite"
        )
    if _is_own(entry):
        return suite
    from ossia.suites.guard import guarded

    return guarded(suite)


def usable_suites() -> tuple[dict[str, Suite[Any]], tuple[str, ...]]:
    """Return the suites that can be had by name, and why the others cannot, a sentence each."""
    found, problems = {}, []
    for name in suite_names():
        try:
            found[name] = find_suite(name)
        except UserError as error:
            problems.append(str(error))
    return found, tuple(problems)


def offline_model(suite: Suite[Any], spec: ModelSpec) -> Model:
    """Return the offline model of a suite, or of the first other that brings one.

    That of another knows nothing of the suite's roles; it plays where a user insists.

    Args:
        suite: the suite that is played.
        spec: the offline model as it is asked for.

    Raises:
        ValueError: no suite brings one, or its file is damaged.
        OSError: its file cannot be read.
    """
    for one in (suite, *usable_suites()[0].values()):
        if one.offline is not None:
            return one.offline(spec)
    raise ValueError(f"The model {spec} is not there: no suite brings an offline model.")


@cache
def suite_commands() -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return the commands that suites bring, and why others cannot be had, a sentence each.

    Of two suites that bring different commands of one name, Ossia's own has it, else the first.
    """
    suites, problems = usable_suites()
    owners: dict[str, str] = {}
    for name, suite in suites.items():
        for command, target in suite.commands.items():
            owner = owners.setdefault(command, name)
            if suites[owner].commands[command] != target:
                problems += (
                    f"the suite '{name}' cannot take the command '{command}':"
                    f" it is the suite '{owner}' that has it",
                )
    return {command: suites[name].commands[command] for command, name in owners.items()}, problems


def load_brought(target: str, what: str, use: Callable[[Any], T]) -> T:
    """Load what a suite names, and make use of it.

    Args:
        target: its place, as `module:name`.
        what: what it is, for the message.
        use: makes of it what is returned.

    Raises:
        UserError: it cannot be loaded, or `use` fails.
    """
    try:
        return use(resolve_name(target))
    except UserError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001
        # The code of another distribution may raise anything, and must cost only what it brings.
        _LOG.debug("%s", what, exc_info=True)
        known = isinstance(error, ImportError | AttributeError | SyntaxError | ValueError)
        said = str(error) if known else repr(error)
        raise UserError(f"{what} cannot be imported ({target}): {said}") from None


def suite_names() -> tuple[str, ...]:
    """Return the names of all suites, Ossia's own first."""
    return tuple(_entries())


@cache
def _entries() -> dict[str, EntryPoint]:
    found = sorted(entry_points(group=GROUP), key=lambda entry: (not _is_own(entry), entry.name))
    named: dict[str, EntryPoint] = {}
    for entry in found:
        # A name of Ossia's own cannot be taken over.
        named.setdefault(entry.name, entry)
    return named


def _is_own(entry: EntryPoint) -> bool:
    return entry.module.startswith(f"{__name__}.")
