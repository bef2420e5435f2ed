"""Scenario files: TOML, by path or, of those that ship with Ossia, by name."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from ossia_workflows.graph.model import first_sentence
from ossia_workflows.scenario.flaws import scenario_findings
from ossia_workflows.scenario.lines import line_of
from ossia_workflows.scenario.model import Scenario

__all__ = [
    "ScenarioError",
    "finding_lines",
    "known_scenarios",
    "load_scenario",
    "own_scenarios",
    "read_scenario",
    "scenario_source",
    "scenario_text",
    "shipped_scenarios",
]

_FOLDER: Final = "scenarios"
_OWN: Final = "OSSIA_SCENARIOS"
_MOST_BYTES: Final = 1_000_000


class ScenarioError(Exception):
    """A text is no scenario, or one that cannot be played; one line says where and why."""


def read_scenario(text: str, source: str) -> Scenario:
    """Read a scenario, whose names may not fit together yet.

    Args:
        text: TOML.
        source: what the text is called in errors, such as its path.

    Raises:
        ScenarioError: it is no TOML, or has a key or a value that a scenario cannot have.
    """
    try:
        return Scenario.model_validate(tomllib.loads(text))
    except ValidationError as error:
        at = _at(source, text, error.errors()[0]["loc"])
        raise ScenarioError(f"{at}: {first_sentence(error)}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise ScenarioError(f"{source}: not valid TOML: {said}") from None


def load_scenario(wanted: str) -> Scenario:
    """Load a scenario that can be played.

    Args:
        wanted: the name of one that is known, such as `restaurant-booking`, or a file.

    Raises:
        ScenarioError: there is none, it cannot be read, or something is wrong with it.
    """
    # One's own are looked at first: their folder may be wrong, or have one of the same name.
    if wanted not in own_scenarios() and wanted in shipped_scenarios():
        return _load_shipped(wanted)
    return _load(wanted)


@cache
def _load_shipped(name: str) -> Scenario:
    """Servers, teams and graders each ask for all fifty, which take a third of a second to read."""
    return _load(name)


def _load(wanted: str) -> Scenario:
    text = scenario_text(wanted)
    source = scenario_source(wanted)
    scenario = read_scenario(text, source)
    for told in finding_lines(scenario, text, source):
        raise ScenarioError(told)
    return scenario


def finding_lines(scenario: Scenario, text: str, source: str) -> Iterator[str]:
    """Yield what keeps a scenario from being played, a line each: where, and why.

    Args:
        scenario: what the text holds.
        text: its text.
        source: what the text is called, such as its path.
    """
    for finding in scenario_findings(scenario):
        yield f"{_at(source, text, finding.place)}: {finding.flaw}: {finding.sentence}"


def _at(source: str, text: str, place: Sequence[int | str]) -> str:
    line = line_of(text, place)
    return source if line is None else f"{source}:{line}"


def scenario_source(wanted: str) -> str:
    """What a scenario is called in errors: of one's own the file, also where its name is given."""
    own = own_scenarios().get(wanted)
    return wanted if own is None else str(own)


@cache
def shipped_scenarios() -> Mapping[str, Traversable]:
    """Return the files of the scenarios that ship with Ossia, by name."""
    rooms = resources.files("ossia_workflows").iterdir()
    files = (file for room in rooms if room.is_dir() for file in _files(room / _FOLDER))
    return {file.name.removesuffix(".toml"): file for file in files}


def own_scenarios() -> Mapping[str, Traversable]:
    """Return the files of the folder that `OSSIA_SCENARIOS` names, by name; none without it.

    Raises:
        ScenarioError: there is no such folder, or a scenario of that name ships with Ossia.
    """
    named = os.environ.get(_OWN)
    if not named:
        return {}
    folder = Path(named)
    if not folder.is_dir():
        raise ScenarioError(f"{_OWN}: there is no folder {folder}")
    found = {file.name.removesuffix(".toml"): file for file in _files(folder)}
    for name in sorted(found.keys() & shipped_scenarios().keys()):
        raise ScenarioError(f"{found[name]}: a scenario {name} ships with Ossia")
    return found


def known_scenarios() -> Mapping[str, Traversable]:
    """Return the files of all scenarios by name: those that ship with Ossia, and one's own.

    Raises:
        ScenarioError: as for `own_scenarios`.
    """
    return {**shipped_scenarios(), **own_scenarios()}


def scenario_text(wanted: str) -> str:
    """Return the text of a scenario by name, or of a file.

    Raises:
        ScenarioError: there is none, or it is no text.
    """
    found = known_scenarios().get(wanted)
    path = Path(wanted)
    try:
        if found is not None:
            return found.read_text("utf-8")
        if not path.is_file():
            raise ScenarioError(f"there is no scenario or file '{wanted}'")
        if path.stat().st_size > _MOST_BYTES:
            raise ScenarioError(f"{wanted}: a scenario has at most {_MOST_BYTES} bytes")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        said = getattr(error, "strerror", None) or "the file is not in UTF-8"
        raise ScenarioError(f"{wanted}: {said}") from None


def _files(folder: Traversable) -> Iterator[Traversable]:
    """The TOML files of a folder and its folders, in the order of their names."""
    if not folder.is_dir():
        return
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            yield from _files(each)
        elif each.name.endswith(".toml"):
            yield each
