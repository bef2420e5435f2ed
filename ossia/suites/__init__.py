"""The suites by name: those of Ossia, and those that other distributions bring.

A suite is found by the entry-point group `ossia.suites`, whose entries name what makes it: a
function that takes the suite's name and returns a `Suite`. It is imported only when asked for.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from ossia.errors import UserError
from ossia.suite import Suite

__all__ = ["GROUP", "find_suite", "suite_names", "usable_suites"]

GROUP: Final = "ossia.suites"
"""The entry-point group of suites."""


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
    try:
        made = entry.load()
    except (ImportError, AttributeError, SyntaxError) as error:
        raise UserError(f"the suite '{name}' cannot be imported ({entry.value}): {error}") from None
    suite = made(name) if callable(made) else made
    if not isinstance(suite, Suite) or suite.name != name:
        raise UserError(
            f"the entry point of the suite '{name}' ({entry.value}) makes no such suite"
        )
    return suite


def usable_suites() -> tuple[dict[str, Suite[Any]], tuple[str, ...]]:
    """Return the suites that can be had by name, and why the others cannot, a sentence each."""
    found, problems = {}, []
    for name in suite_names():
        try:
            found[name] = find_suite(name)
        except UserError as error:
            problems.append(str(error))
    return found, tuple(problems)


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
