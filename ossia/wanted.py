"""What a user's words mean: adapters, models, parameters and limits, looked up one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import isfinite
from pathlib import Path

from ossia.adapters import (
    AdapterInfo,
    find_adapters,
    how_to_install,
    lacking,
    named_adapters,
)
from ossia.errors import UserError
from ossia.fit import SCRIPTED
from ossia.suites import find_suite
from ossia_servers.gateway import (
    Budget,
    Parameter,
    Specification,
    known_parameters,
    names_upstream,
    read_parameter,
    read_specification,
)

__all__ = [
    "asks_upstream",
    "require_installed",
    "wanted_adapters",
    "wanted_budget",
    "wanted_models",
    "wanted_parameters",
]


def wanted_budget(
    suite: str,
    calls: int | None,
    tokens: int | None,
    seconds: float | None,
    call_seconds: float | None,
) -> Budget:
    """Return what an episode may spend, with the suite's own limit in place of each left out.

    Args:
        suite: the suite's name.
        calls: most calls.
        tokens: most tokens.
        seconds: most seconds.
        call_seconds: most seconds of one attempt at an upstream.

    Raises:
        UserError: there is no such suite, the seconds are without end, or a call's are more.
    """
    usual = find_suite(suite).budget()
    seconds = usual.seconds if seconds is None else seconds
    if not isfinite(seconds):
        raise UserError(f"--max-seconds is not a number of seconds: {seconds}")
    if call_seconds is not None and not call_seconds <= seconds:
        raise UserError(
            f"--call-seconds {call_seconds:g} is longer than --max-seconds {seconds:g}: the"
            " episode would end before the call"
        )
    return Budget(calls=calls or usual.calls, tokens=tokens or usual.tokens, seconds=seconds)


def wanted_adapters(names: Sequence[str], home: Path) -> tuple[AdapterInfo, ...]:
    """Return the named adapters, or all of them, each once and by name: no order makes another run.

    Raises:
        AdapterError: one is not there.
        UserError: two of them have one name.
    """
    if not names:
        return find_adapters(home)
    by_key: dict[str, AdapterInfo] = {}
    projects: dict[str, Path] = {}
    for info in (each for name in names for each in named_adapters(name, home)):
        other = projects.setdefault(info.name, info.project)
        if other != info.project:
            raise UserError(f"two frameworks are called '{info.name}': {other} and {info.project}")
        by_key.setdefault(info.key, info)
    return tuple(by_key[key] for key in sorted(by_key))


def wanted_models(texts: Sequence[str], roles: Collection[str]) -> tuple[Specification, ...]:
    """Return the models that are named, with their files as they are found from any folder.

    Each is there once, in the order in which it was named first.

    Args:
        texts: specifications as the user wrote them.
        roles: the roles that may be given a model of their own.

    Raises:
        UserError: one cannot be read.
    """
    try:
        found = [read_specification(text, roles).resolved() for text in texts]
    except ValueError as error:
        raise UserError(str(error)) from None
    return tuple({str(model): model for model in found}.values())


def asks_upstream(suite: str, models: Iterable[str], user: str = "") -> bool:
    """Say whether one of these models, as the user wrote them, asks an upstream for some role.

    What cannot be read does as well: it is told when it is opened.

    Args:
        suite: the suite's name.
        models: the models of its teams.
        user: that of its simulated user; empty or `SCRIPTED` for none.

    Raises:
        UserError: there is no such suite.
    """
    players = find_suite(suite).players
    if user not in ("", SCRIPTED) and names_upstream(user):
        return True
    return any(model not in players and names_upstream(model) for model in models)


def wanted_parameters(
    texts: Sequence[str], models: Sequence[Specification]
) -> tuple[Parameter, ...]:
    """Return what is set or dropped in requests: what is known of the models, and what is asked.

    Each part is sorted, and what is asked twice is there once: no order makes another run.

    Args:
        texts: parameters as the user wrote them.
        models: the models of the run, in the order in which `m1` and so on count them.

    Raises:
        UserError: one cannot be read or is set twice.
    """
    try:
        given = {str(each): each for each in (read_parameter(text, models) for text in texts)}
    except ValueError as error:
        raise UserError(f"--model-param {error}") from None
    places = [(each.model, each.name) for each in given.values()]
    for model, name in places:
        if places.count((model, name)) > 1:
            raise UserError(f"--model-param names {name} twice for the same model")
    known = {str(each): each for each in known_parameters(models)}
    return tuple(part[text] for part in (known, given) for text in sorted(part))


def require_installed(adapters: Sequence[AdapterInfo]) -> None:
    """Refuse adapters whose environments are not there.

    Raises:
        UserError: with all their names, and the command that installs them.
    """
    if not adapters:
        raise UserError("there are no adapters; see `ossia adapter list`")
    problem = lacking(adapters)
    if problem:
        raise UserError(f"{problem}; run `{how_to_install(adapters)}` first")
