"""Reading the published gold workflows: one file for each of nine sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ossia_dataset.tasks import TaskError, nothing_at

__all__ = ["HELD_OUT", "SOURCES", "PublishedGold", "WorFBenchError", "read_worfbench"]

SOURCES: Final = (
    "toolbench",
    "toolalpaca",
    "seal_tools",
    "lumos",
    "intercodesql",
    "alfworld",
    "webshop",
    "os",
    "wikihow",
)
"""What the tasks were taken from, each a folder of the published data."""

HELD_OUT: Final = frozenset(("seal_tools", "intercodesql"))
"""Sources that the published training set has nothing of."""

_FILE = "graph_eval.json"


class WorFBenchError(TaskError):
    """A file or folder that is none of the published golds; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class PublishedGold:
    """One published task with its gold workflow.

    Attributes:
        id: The published id, such as `wikihow_1`.
        source: What it was taken from.
        system: The published system prompt.
        prompt: The task with its list of actions or tools, as the planner gets it.
        workflow: The gold workflow's text.
    """

    id: str
    source: str
    system: str
    prompt: str
    workflow: str

    @property
    def held_out(self) -> bool:
        """Whether the published training set has nothing of its source."""
        return self.source in HELD_OUT


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["system", "user", "assistant"]
    content: str


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    conversations: tuple[_Message, _Message, _Message]
    target: Literal["graph"]
    id: str
    category: str = ""


_LINES = TypeAdapter(list[_Line])


def read_worfbench(path: Path) -> tuple[PublishedGold, ...]:
    """Read the golds of all sources, or of one.

    Args:
        path: A clone of the published repository, its folder `gold_traj`, a source's folder in it,
            or one `graph_eval.json`.

    Raises:
        WorFBenchError: there are no golds, or one cannot be read.
    """
    files = _files(path)
    golds = [gold for file in files for gold in _read(file)]
    if not golds:
        raise WorFBenchError(f"{path}: contains no gold workflow")
    twice = [name for name, count in Counter(gold.id for gold in golds).items() if count > 1]
    if twice:
        raise WorFBenchError(f"{path}: the id {twice[0]} occurs twice")
    return tuple(golds)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise WorFBenchError(nothing_at(path, folder=True))
    if (path / _FILE).is_file():
        return [path / _FILE]
    inside = path / "gold_traj"
    folder = inside if inside.is_dir() else path
    found = [folder / source / _FILE for source in SOURCES]
    there = [file for file in found if file.is_file()]
    if not there:
        raise WorFBenchError(f"{path}: contains no {_FILE} of a source such as {SOURCES[0]}")
    return there


def _read(file: Path) -> Iterator[PublishedGold]:
    try:
        lines = _LINES.validate_json(file.read_bytes())
    except OSError as error:
        raise WorFBenchError(f"{file}: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise WorFBenchError(f"{file}: {place or 'the file'}: {first['msg']}") from None
    for line in lines:
        roles = tuple(message.role for message in line.conversations)
        if roles != ("system", "user", "assistant"):
            raise WorFBenchError(f"{file}: {line.id} is not of a system, a user and an assistant")
        system, user, assistant = (message.content for message in line.conversations)
        yield PublishedGold(line.id, line.source, system, user, assistant)
