"""Reading fault plans: by name, from a file, or fault by fault."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from ossia_servers.stress.builtin import PLANS
from ossia_servers.stress.plan import FaultPlan, read_fault

_SEED: Final = "seed="


def read_plan(texts: Sequence[str]) -> FaultPlan:
    """Return the plan that is asked for.

    Args:
        texts: each the name of a plan that comes with Ossia or of a fault, with a dose and places
            (`NAME[:dose][@place]`); or one file, `PLAN.toml`; and perhaps `seed=N`.

    Raises:
        ValueError: it cannot be read; its text is one line.
    """
    seeds = [text for text in texts if text.startswith(_SEED)]
    named = [text for text in texts if not text.startswith(_SEED)]
    if len(seeds) > 1:
        raise ValueError("two seeds are named")
    if not named:
        raise ValueError("names no fault")
    plan: dict[str, Any]
    if any(text.endswith(".toml") for text in named):
        if len(named) > 1:
            raise ValueError(
                "a plan in a file cannot be combined with other faults: write them into the file"
            )
        plan = _read_file(Path(named[0]))
    else:
        faults = [fault for text in named for fault in _faults(text)]
        plan = {"name": ",".join(named), "faults": tuple(dict.fromkeys(faults))}
    if seeds:
        plan["seed"] = _seed(seeds[0].removeprefix(_SEED))
    return _checked(plan, named[0] if len(named) == 1 else ",".join(named))


def _faults(text: str) -> list[str]:
    """The keys of the faults that a text names."""
    name = text.partition("@")[0].partition(":")[0]
    rest = text[len(name) :]
    try:
        if name not in PLANS:
            return [read_fault(text).key]
        if not rest:
            return [*PLANS[name]]
        # Its own doses and places give way.
        return [read_fault(f"{read_fault(each).kind}{rest}").key for each in PLANS[name]]
    except ValidationError as error:
        raise ValueError(f"'{text}': {_line(error)}") from None


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from None
    except RecursionError:
        raise ValueError(f"{path} is not a plan: it is nested too deeply") from None


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"the seed is not a whole number: '{text}'")
    return int(text)


def _checked(plan: dict[str, Any], name: str) -> FaultPlan:
    try:
        return FaultPlan.model_validate(plan)
    except ValidationError as error:
        raise ValueError(f"{name}: {_line(error)}") from None


def _line(error: ValidationError) -> str:
    """The first thing that is wrong, on one line."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    told = first["msg"].removeprefix("Value error, ")
    line = f"{where}: {told}" if where else told
    # What a file holds may be quoted, and a TOML string holds any character.
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
