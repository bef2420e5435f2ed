"""The task: what a user says, where the world starts, and what a correct run does.

Stored as JSON Lines, one task a line, each line carrying the schema version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, NaiveDatetime, ValidationError, model_validator

SCHEMA_VERSION = 1
"""Version of the stored task format."""

DEFAULT_NOW = datetime(2026, 3, 13, 10, 0)
"""The frozen clock of a task that names no other: a Friday morning."""

CLOCK_YEARS = range(1950, 2150)
"""Years of a frozen clock: seeds and servers reckon months and years from it, both ways."""

DEFAULT_HOME = "New York, New York"
"""The home location of a task that names no other, as in the published benchmark."""

MAX_HOME = 100
"""Longest home location of a world, in characters."""

CHAT_DOMAIN = "general"
"""The domain of chit-chat, which no server answers."""

_FEWEST_PARTS = 2


class TaskError(ValueError):
    """A task file cannot be read; the message names file, line and reason."""


class GoldKind(StrEnum):
    """What a correct run leaves behind."""

    CHANGE = "change"
    """The world's state is changed as the gold requests change it."""
    ANSWER = "answer"
    """The state stays; the answer rests on the rows that the gold requests return."""
    CHAT = "chat"
    """No server is involved; the user gets a reply."""
    CLARIFICATION = "clarification"
    """The server needs more information, and the user is asked for it."""
    NONE = "none"
    """Nothing is to be done, since no condition holds; the requests that tell so are made."""


class Request(BaseModel):
    """One request to a domain server, independent of host and port."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: str
    params: dict[str, str]
    """Query parameters in order; `intent` is the first."""

    @property
    def url(self) -> str:
        """Path and query, percent-encoded."""
        return f"/{self.domain}?{urlencode(self.params)}"


class _Frame(BaseModel):
    """What one request is made of: domain, intent and slots with their normal forms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: str
    intent: str
    slots: dict[str, str] = Field(default_factory=dict)
    """Raw slots: words of the utterance, by slot name."""
    time: dict[str, str] = Field(default_factory=dict)
    """Normal forms of the time slots."""
    place: dict[str, str] = Field(default_factory=dict)
    """Normal forms of the place slots."""


def _compose(frame: _Frame, dropped: Collection[str]) -> Request:
    """Return the request whose parameters are the slots, overridden by the normal forms."""
    exact = {**frame.time, **frame.place}
    params = {"intent": frame.intent}
    for name, value in frame.slots.items():
        if name not in dropped:
            params[name] = exact.get(name, value)
    for name, value in exact.items():
        params.setdefault(name, value)
    return Request(domain=frame.domain, params=params)


class Part(_Frame):
    """One wish among several of a task: a frame of its own, perhaps under a condition."""

    dropped: tuple[str, ...] = ()
    """Slots that the gold request leaves out because they have no normal form."""
    condition: str | None = None
    """The user's words for when this is to be done; None where it is to be done anyway."""
    holds: bool | None = None
    """Whether the condition holds when its turn comes; None where there is none."""
    taken: dict[str, str] = Field(default_factory=dict)
    """Slots whose value is in an earlier answer: by slot, the user's words that point there."""

    @model_validator(mode="after")
    def _is_whole(self) -> Part:
        if (self.condition is None) != (self.holds is None):
            raise ValueError("a condition and whether it holds come together")
        if stray := sorted(self.taken.keys() - self.slots.keys()):
            raise ValueError(f"taken from an answer, but no slot: {', '.join(stray)}")
        return self

    @property
    def due(self) -> bool:
        """Whether a correct run does this part."""
        return self.holds is not False

    @property
    def is_chat(self) -> bool:
        """Whether no server is involved."""
        return self.domain == CHAT_DOMAIN

    def gold(self) -> Gold:
        """Return the part as the gold run of a task of its own."""
        names = (*_Frame.model_fields, "dropped")
        kind = GoldKind.CHAT if self.is_chat else GoldKind.CHANGE
        return Gold(kind=kind, **{name: getattr(self, name) for name in names})


class AskedFact(BaseModel):
    """One thing that the user asks to be told, with the forms that tell it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    any_of: tuple[str, ...] = Field(min_length=1)
    """Values in normal form, or words; one of them tells the fact. `yes`, `no` and `none` stand for
    a reply that affirms, that denies, and that says that there is nothing."""
    rivals: tuple[str, ...] = ()
    """What tells something else in its place, in the same forms; a reply may name none of them."""


class Gold(_Frame):
    """The gold run of a task. Workers and models never see it."""

    kind: GoldKind
    dropped: tuple[str, ...] = ()
    """Slots that the gold request leaves out because they have no normal form."""
    requests: tuple[Request, ...] | None = None
    """Only where the gold requests are not the composition of intent, slots, time and place."""
    parts: tuple[Part, ...] = ()
    """Of a compound task: its parts in order; `domain` and `intent` are then the first part's."""
    facts: tuple[str, ...] = ()
    """The few values that a correct reply tells, in normal form; `when?` stands for a question."""
    asked: tuple[AskedFact, ...] = ()
    """What the user asks to be told, each of which a reply must tell; derived from the gold run
    where nothing is declared."""
    alternatives: tuple[tuple[Request, ...], ...] = ()
    """Other requests that serve the user as well, where the sentence leaves a choice."""
    looks: tuple[Request, ...] = ()
    """Of a conditional task whose gold requests act only: questions that tell whether the condition
    holds; they come before the first action."""

    @model_validator(mode="after")
    def _chat_asks_no_server(self) -> Gold:
        if self.kind is GoldKind.CHAT and self.requests:
            raise ValueError("a chat task has no gold request")
        return self

    @model_validator(mode="after")
    def _parts_say_all(self) -> Gold:
        if not self.parts:
            if self.kind is GoldKind.NONE and self.requests is None:
                raise ValueError("a task with one frame always has something to do")
            return self
        if len(self.parts) < _FEWEST_PARTS:
            raise ValueError("a compound task has two parts or more")
        if self.slots or self.time or self.place or self.dropped or self.requests is not None:
            raise ValueError("a compound task has slots and requests in its parts only")
        first = self.parts[0]
        if (self.domain, self.intent) != (first.domain, first.intent):
            raise ValueError("domain and intent are not those of the first part")
        if not first.due or any(part.is_chat for part in self.parts[:-1]):
            raise ValueError("the first part is always done, and only the last may be chit-chat")
        return self

    def gold_requests(self) -> tuple[Request, ...]:
        """Return the requests that a correct run makes, in order.

        Without an explicit list this is one request whose parameters are the slots, overridden by
        the normal forms of time and place. A compound task has one for each part that is due.
        """
        if self.kind is GoldKind.CHAT:
            return ()
        if self.parts:
            return tuple(
                _compose(part, part.dropped) for part in self.parts if part.due and not part.is_chat
            )
        if self.requests is not None:
            return self.requests
        return (_compose(self, self.dropped),)


class Task(BaseModel):
    """One task of a suite."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = Field(default=1, alias="schema")
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    suite: str = "assistant"
    utterance: str = Field(min_length=1)
    seed: str = "home"
    """Name of the world's start state."""
    now: NaiveDatetime = Field(
        default=DEFAULT_NOW,
        ge=datetime(CLOCK_YEARS.start, 1, 1),
        lt=datetime(CLOCK_YEARS.stop, 1, 1),
    )
    """The frozen clock, local time without a zone."""
    home: str = DEFAULT_HOME
    setup: tuple[Request, ...] = ()
    """Requests executed on the world before the episode starts."""
    toolkits: tuple[str, ...] = ()
    """Domains whose tools the team is given, where it is not given all."""
    gold: Gold
    source: str | None = None
    """Where an imported task comes from, such as `auto-slurp/test.csv#7499`."""

    @property
    def domains(self) -> frozenset[str]:
        """Every domain that the task speaks of."""
        return frozenset({self.gold.domain, *(part.domain for part in self.gold.parts)})

    def due(self) -> tuple[Task, ...]:
        """Return what is to be done as tasks with one frame each: the parts, or the task itself."""
        if not self.gold.parts:
            return (self,)
        return tuple(
            self.model_copy(update={"gold": part.gold()}) for part in self.gold.parts if part.due
        )


def parse_task(line: str) -> Task:
    """Parse one line of a task file.

    Raises:
        TaskError: the line is not a task; the message says which field is wrong.
    """
    try:
        return Task.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "line"
        raise TaskError(f"{where}: {first['msg']}") from None


def dump_task(task: Task) -> str:
    """Return the task as one line of JSON, without fields that hold their default."""
    data = task.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return json.dumps({"schema": SCHEMA_VERSION, **data}, ensure_ascii=False)


def read_tasks(path: Path) -> tuple[Task, ...]:
    """Read a task file, or every `*.jsonl` file of a folder in name order.

    Raises:
        TaskError: nothing is there, a line is no task, or an id occurs twice.
    """
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
    elif path.is_file():
        files = [path]
    else:
        raise TaskError(f"{path}: no such file or folder")
    tasks: dict[str, Task] = {}
    for file in files:
        for number, line in enumerate(_lines(file), start=1):
            if not line.strip():
                continue
            try:
                task = parse_task(line)
            except TaskError as error:
                raise TaskError(f"{file}:{number}: {error}") from None
            if task.id in tasks:
                raise TaskError(f"{file}:{number}: the id '{task.id}' occurs twice")
            tasks[task.id] = task
    if not tasks:
        raise TaskError(f"{path}: holds no task")
    return tuple(tasks.values())


def _lines(path: Path) -> list[str]:
    try:
        # Not `splitlines`: an utterance may hold the line breaks of other alphabets.
        return path.read_text("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: the file is not in UTF-8: {error.reason}") from None


def write_tasks(path: Path, tasks: Iterable[Task]) -> None:
    """Write tasks as JSON Lines, all or nothing."""
    text = "".join(dump_task(task) + "\n" for task in tasks)
    aside = path.with_name(path.name + ".part")
    aside.write_text(text, "utf-8")
    aside.replace(path)


def dataset_hash(tasks: Iterable[Task]) -> str:
    """Return a hash of the tasks' whole content, independent of their order."""
    digest = hashlib.sha256()
    for line in sorted(dump_task(task) for task in tasks):
        digest.update(line.encode())
        digest.update(b"\n")
    return digest.hexdigest()[:16]


def by_domain(tasks: Iterable[Task]) -> Mapping[str, tuple[Task, ...]]:
    """Group tasks by the domain of their gold intent, in name order."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.gold.domain, []).append(task)
    return {name: tuple(groups[name]) for name in sorted(groups)}
