"""Arguments from Python, checked since notebooks are not: as the command line checks its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Final

from ossia.errors import UserError

ARGUMENTS: Final[Mapping[str, str]] = {
    "--framework": "frameworks",
    "--suite": "suite",
    "--model": "models",
    "--tasks": "tasks",
    "--domain": "domains",
    "--task": "only",
    "--limit": "limit",
    "--seed": "seed",
    "--repeats": "repeats",
    "--jobs": "jobs",
    "--base-url": "base_urls",
    "--api-key-env": "api_key_env",
    "--max-cost": "max_cost",
    "--workflow": "workflow",
    "--workflow-form": "workflow_form",
    "--knowledge": "knowledge",
    "--prompts": "prompts",
    "--stress": "stress",
    "--user": "user",
    "--store": "store",
    "--engine": "engine",
    "--address": "address",
}
"""What an option of `ossia compare` is called from Python."""

_OPTION: Final = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*")


def by_arguments(message: str) -> str:
    """Return a message that names arguments where the command line has options.

    An option that Python lacks is named with its command, which plays the same run.
    """

    def named(found: re.Match[str]) -> str:
        option = found[0]
        return ARGUMENTS.get(option, f"`ossia compare {option}`")

    # Between backticks stand commands, which are right as they are.
    parts = message.split("`")
    parts[::2] = [_OPTION.sub(named, part) for part in parts[::2]]
    return "`".join(parts)


def text(name: str, value: object) -> str:
    """Return a text.

    Raises:
        UserError: it is none.
    """
    if isinstance(value, str | Path):
        return str(value)
    raise UserError(f"{name} is neither a string nor a path: {value!r}")


def texts(name: str, value: object) -> tuple[str, ...]:
    """Return texts; a single one is meant as one, not as its letters.

    Raises:
        UserError: there are others among them.
    """
    if isinstance(value, str | Path):
        return (str(value),)
    if not isinstance(value, Iterable):
        raise UserError(f"{name} is neither a string nor several: {value!r}")
    return tuple(text(name, each) for each in value)


def whole(name: str, value: object, least: int | None = None) -> int:
    """Return a whole number.

    Raises:
        UserError: it is none, or less than the least.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise UserError(f"{name} is not a whole number: {value!r}")
    if least is not None and value < least:
        raise UserError(f"{name} is less than {least}: {value}")
    return value


def dollars(name: str, value: object) -> float | None:
    """Return an amount of US dollars, or None where there is none.

    Raises:
        UserError: it is no such number.
    """
    if value is None:
        return None
    number = float(value) if isinstance(value, int | float) else -1.0
    if isinstance(value, bool) or not isfinite(number) or number < 0:
        raise UserError(f"{name} is not an amount in US dollars: {value!r}")
    return number
