"""The suites by name: those of Ossia, and those that other distributions bring.

A suite is found by the entry-point group `ossia.suites`, whose entries name what makes it: a
function that takes the suite's name and returns a `Suite`. It is imported only when asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, wraps
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from ossia.alike import instead_of
from ossia.errors import UserError
from ossia.suite import Importer, Suite
from ossia.version import version_with

if TYPE_CHECKING:
    from ossia_servers.gateway import Model, ModelSpec

__all__ = [
    "GROUP",
    "Brought",
    "find_suite",
    "load_brought",
    "offline_model",
    "suite_commands",
    "suite_importers",
    "suite_names",
    "suite_version",
    "usable_suites",
]

_LOG: Final = logging.getLogger(__name__)

GROUP: Final = "ossia.suites"
"""The entry-point group of suites."""

T = TypeVar("T")
U = TypeVar("U")


@cache
def find_suite(name: str) -> Suite[Any]:
    """Return a suite; its tasks are of a type of its own.

    Raises:
        UserError: there is none of this name, it cannot be imported, or what its entry point names
            makes no suite.
    """
    entry = _entries().get(name)
    if entry is not None and len(_claims()[name]) > 1:
        every = " and ".join(map(_distribution, _claims()[name]))
        _LOG.warning(
            "%s provide a suite '%s': the one from %s is used", every, name, _distribution(entry)
        )
    if entry is None:
        raise UserError(f"no suite is called '{name}'; {instead_of(name, _entries())}")
    suite = load_brought(
        f"{entry.module}:{entry.attr}",
        f"the suite '{name}'",
        lambda made: made(name) if callable(made) else made,
    )
    if not isinstance(suite, Suite) or suite.name != name:
        raise UserError(
            f"the entry point of the suite '{name}' ({entry.value}) does not provide this suite"
        )
    if _is_own(entry):
        return suite
    from ossia.suites.guard import guarded

    return guarded(suite)


def suite_version(name: str) -> str:
    """Return the distribution that a suite is of, with its version and a hash of its code.

    Empty for those of Ossia, whose grades bear a version, and for one that is not installed.
    """
    entry = _entries().get(name)
    if entry is None or _is_own(entry):
        return ""
    return version_with(_distribution(entry), entry.module)


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
    if suite.offline is not None:
        return suite.offline(spec)
    for other in usable_suites()[0].values():
        if other.offline is not None:
            return other.offline(spec)
    raise ValueError(f"The model {spec} is not available: no suite provides an offline model.")


@dataclass(frozen=True)
class Brought(Generic[T]):
    """What a suite brings by a name that no other can take."""

    made: T
    suite: str
    problem: str = ""
    """Which suites claim the name as well, in a sentence."""

    def load(self, target: str, what: str, use: Callable[[Any], U]) -> U:
        """Load the function behind it, which is guarded when it is called, and make use of it.

        Args:
            target: its place, as `module:name`.
            what: what it is, for messages, such as `the command 'score log'`.
            use: makes of the function what is returned.

        Raises:
            UserError: it cannot be loaded, or `use` fails.
        """
        return load_brought(target, what, lambda made: use(self._guarded(made, what)))

    def _guarded(self, function: Any, what: str) -> Any:
        if not callable(function):
            return function
        from ossia.suites.guard import calling

        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            if self.problem:
                _LOG.warning(self.problem)
            if _is_own(_entries()[self.suite]):
                return function(*given, **named)
            with calling(self.suite, what):
                return function(*given, **named)

        return call


@cache
def suite_commands() -> tuple[Mapping[str, Brought[str]], tuple[str, ...]]:
    """Return the commands that suites bring, and what is wrong with suites, a sentence each."""
    found = _brought("command", lambda suite: suite.commands)
    problems = (each.problem for each in found.values() if each.problem)
    return found, (*usable_suites()[1], *problems)


@cache
def suite_importers() -> Mapping[str, Brought[Importer]]:
    """Return the importers that suites bring, by format."""
    return _brought("importer", lambda suite: suite.importers)


def _brought(what: str, brings: Callable[[Suite[Any]], Mapping[str, T]]) -> dict[str, Brought[T]]:
    """What suites bring by name. Of several that claim one name the first suite has it.

    Ossia's own come first, the others follow by their names.
    """
    found: dict[str, Brought[T]] = {}
    for suite, every in usable_suites()[0].items():
        for name, made in brings(every).items():
            first = found.setdefault(name, Brought(made, suite))
            if first.made != made:
                said = (
                    f"{_told(suite)} cannot provide the {what} '{name}': {_told(first.suite)}"
                    " already does"
                )
                said = "; ".join(filter(None, (first.problem, said)))
                found[name] = replace(first, problem=said)
    return found


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
    """The entry point of each suite, Ossia's own first."""
    return {name: claims[0] for name, claims in _claims().items()}


@cache
def _claims() -> dict[str, list[EntryPoint]]:
    """All entry points by name, the one that counts first: Ossia's own, or by distribution.

    As with pytest's plug-ins the first one is used; others are not refused, since whoever installs
    something else must not lose a suite by it.
    """
    found = sorted(
        entry_points(group=GROUP),
        key=lambda entry: (not _is_own(entry), entry.name, _distribution(entry)),
    )
    named: dict[str, list[EntryPoint]] = {}
    for entry in found:
        named.setdefault(entry.name, []).append(entry)
    return named


def _is_own(entry: EntryPoint) -> bool:
    return entry.module.startswith(f"{__name__}.")


def _distribution(entry: EntryPoint) -> str:
    return "" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _told(suite: str) -> str:
    """A suite with the distribution that it is of."""
    return f"the suite '{suite}' of {_distribution(_entries()[suite])}"
