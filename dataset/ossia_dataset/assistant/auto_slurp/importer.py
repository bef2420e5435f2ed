"""Read the csv files of the published Auto-SLURP benchmark as tasks."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from ossia_dataset.assistant.auto_slurp.asking import asks_back
from ossia_dataset.assistant.auto_slurp.catalogue import CHANGING, DOMAIN_OF, PARAMETERS
from ossia_dataset.assistant.auto_slurp.labels import LabelError, parse_labels
from ossia_dataset.assistant.auto_slurp.setup import setup_for
from ossia_dataset.assistant.auto_slurp.slots import raw_slots
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.normalise import (
    PLACE_SLOTS,
    TIME_SLOTS,
    normalise_place,
    normalise_time_slots,
)
from ossia_dataset.tasks import Request, TaskError
from ossia_dataset.world_tasks import Gold, GoldKind, WorldTask

_TEXT_COLUMNS: Final = ("query", "sentence")
# What a row of several intents leaves behind is what the first of these leaves behind.
_STRONGEST_FIRST: Final = (GoldKind.CLARIFICATION, GoldKind.CHANGE, GoldKind.ANSWER)
_NO_INTENT: Final = "The intent '{}' is not in the published catalogue."


class AutoSlurpError(TaskError):
    """A file is no Auto-SLURP csv file; the message names the file and the reason."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that became no task.

    Attributes:
        row_id: Its id in the file, empty if it has none.
        line: The line of the file on which it ends.
        reason: Why, in one sentence.
    """

    row_id: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was repaired or left out on the way from a row to its task.

    Attributes:
        row_id: The row's id in the file.
        text: What was done, in one sentence.
    """

    row_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Import:
    """What a file became; every row is a task or is rejected.

    Attributes:
        tasks: The tasks, in the order of the file.
        rejected: The rows that are none.
        notes: What was repaired or left out in the rows that are.
    """

    tasks: tuple[WorldTask, ...]
    rejected: tuple[Rejected, ...]
    notes: tuple[Note, ...]


class _RowError(ValueError):
    """A row that becomes no task; the message is the reason."""


def read_auto_slurp(path: Path, *, now: datetime, home: str) -> Import:
    """Read a csv file of the published benchmark, the train or the test file.

    Args:
        path: The file.
        now: The frozen clock of the tasks; words such as "tomorrow" are read by it.
        home: The home location of the tasks; words such as "nearby" mean it.

    Returns:
        The tasks, and what did not become one or not unchanged.

    Raises:
        AutoSlurpError: If the file is not csv or lacks a column.
        OSError: If it cannot be read.
    """
    tasks: dict[str, WorldTask] = {}
    rejected: list[Rejected] = []
    notes: list[Note] = []
    for line, row in _rows(path):
        row_id = (row.get("id") or "").strip()
        try:
            task, texts = _task(row_id, row, path.name, now, home)
            if task.id in tasks:
                raise _RowError(f"The id '{row_id}' occurs twice.")
        except (LabelError, _RowError) as error:
            rejected.append(Rejected(row_id, line, str(error)))
            continue
        tasks[task.id] = task
        notes.extend(Note(row_id, text) for text in texts)
    return Import(tuple(tasks.values()), tuple(rejected), tuple(notes))


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str | None]]]:
    """Yield the rows of the file with the line on which each ends."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns = set(reader.fieldnames or ())
            missing = sorted({"id", "intent", "slots"} - columns)
            if missing or columns.isdisjoint(_TEXT_COLUMNS):
                lacking = ", ".join(missing) or " or ".join(_TEXT_COLUMNS)
                raise AutoSlurpError(f"{path}: missing columns: {lacking}")
            for row in reader:
                yield reader.line_num, row
    except (UnicodeDecodeError, csv.Error) as error:
        raise AutoSlurpError(f"{path}: the file is not a CSV file in UTF-8: {error}") from error


def _task(
    row_id: str, row: Mapping[str, str | None], file: str, now: datetime, home: str
) -> tuple[WorldTask, tuple[str, ...]]:
    """Turn one row into a task and the sentences about what was changed."""
    if not (row_id.isascii() and row_id.isalnum()):
        raise _RowError(f"The id '{row_id}' is not one of letters and digits.")
    utterance = " ".join(next(row[name] or "" for name in _TEXT_COLUMNS if name in row).split())
    if not utterance:
        raise _RowError("The row has no text.")
    intents = tuple(part.strip() for part in (row["intent"] or "").split(";"))
    for intent in intents:
        if intent not in DOMAIN_OF:
            raise _RowError(_NO_INTENT.format(intent))
    labels = parse_labels(row["slots"] or "")
    if len(labels.groups) > len(intents):
        raise _RowError(f"There are {len(labels.groups)} slot lists for {len(intents)} intents.")
    groups = [*labels.groups, *[()] * (len(intents) - len(labels.groups))]
    parts = [
        _part(intent, group, utterance, now, home)
        for intent, group in zip(intents, groups, strict=True)
    ]
    gold = parts[0].gold
    if len(parts) > 1:
        gold = _joined(parts)
    notes = [*labels.repairs, *(note for part in parts for note in part.notes)]
    if len(parts) > 1:
        notes.append("The row has several intents; the gold run makes one request for each.")
    setup: dict[str, Request] = {}
    supposing = () if gold.kind is GoldKind.CLARIFICATION else gold.gold_requests()
    for request in supposing:
        for needed in setup_for(request, now):
            setup[needed.url] = needed
    task = AssistantTask(
        id=f"auto-slurp-{row_id.lower()}",
        utterance=utterance,
        now=now,
        home=home,
        setup=tuple(setup.values()),
        gold=gold,
        source=f"auto-slurp/{file}#{row_id}",
    )
    return task, tuple(notes)


@dataclass(frozen=True, slots=True)
class _Part:
    gold: Gold
    notes: tuple[str, ...]


def _part(
    intent: str,
    labels: Iterable[tuple[str, str]],
    utterance: str,
    now: datetime,
    home: str,
) -> _Part:
    """Make the gold run of one intent."""
    domain = DOMAIN_OF[intent]
    slots, texts = raw_slots(domain, labels, utterance, now)
    notes = list(texts)
    times = {}
    for name, value in normalise_time_slots(slots, now).items():
        if name in PARAMETERS[domain]:
            times[name] = value
        else:
            notes.append(f"The {domain} domain has no parameter for the {name} '{value}'.")
    dropped = tuple(name for name in slots if name in TIME_SLOTS and name not in times)
    notes.extend(
        f"The {name} '{slots[name]}' has no normal form; the gold request is without it."
        for name in dropped
    )
    places = {
        name: normalise_place(value, home) for name, value in slots.items() if name in PLACE_SLOTS
    }
    gold = Gold(
        domain=domain,
        intent=intent,
        slots=slots,
        time=times,
        place=places,
        kind=GoldKind.CHANGE if intent in CHANGING else GoldKind.ANSWER,
        dropped=dropped,
    )
    if domain == "general":
        gold = gold.model_copy(update={"kind": GoldKind.CHAT})
    elif any(map(asks_back, gold.gold_requests())):
        gold = gold.model_copy(update={"kind": GoldKind.CLARIFICATION})
    return _Part(gold, tuple(notes))


def _joined(parts: Sequence[_Part]) -> Gold:
    """Make one gold run of several: the first one's intent, everybody's requests."""
    kinds = [part.gold.kind for part in parts]
    requests = tuple(request for part in parts for request in part.gold.gold_requests())
    kind = next((kind for kind in _STRONGEST_FIRST if kind in kinds), GoldKind.CHAT)
    return parts[0].gold.model_copy(update={"kind": kind, "requests": requests})
