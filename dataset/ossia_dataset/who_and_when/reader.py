"""Reading a user's copy of the published logs.

What is known to vary is put right: keys differ between the collections, and numbers come as
numbers or as text. Anything else that does not fit is an error, since a log read wrongly would
make every figure on it wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from ossia_dataset.tasks import TaskError
from ossia_dataset.who_and_when.logs import Collection, Log, Message, Origin

_FOLDERS: Final = {
    "algorithmgenerated": Collection.ALGORITHM,
    "handcrafted": Collection.HAND,
}
_DEPTH: Final = 2
_SAME: Final = {
    "groundtruth": "ground_truth",
    "is_corrected": "is_correct",
    "question_ID": "question_id",
}
_TEXTS: Final = ("question_id", "level", "ground_truth", "mistake_reason", "mistake_type")
_KNOWN: Final = frozenset(_TEXTS) | {
    "question",
    "history",
    "is_correct",
    "mistake_agent",
    "mistake_step",
    "system_prompt",
    "ossia",
}
_INTEGER: Final = re.compile(r"\s*(\d{1,9})\s*")


class WhoAndWhenError(TaskError):
    """A file or folder that is none of the published logs; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader of the figures should know about one log.

    Attributes:
        log: The log, as `collection/name`.
        text: What was found, in one sentence.
    """

    log: str
    text: str


@dataclass(frozen=True, slots=True)
class Import:
    """What a folder holds.

    Attributes:
        logs: By collection and then by number.
        notes: What stood out in them.
    """

    logs: tuple[Log, ...]
    notes: tuple[Note, ...]


def read_who_and_when(path: Path) -> Import:
    """Read all logs of a clone of the published repository, of its data folder or of a collection.

    Args:
        path: The folder. A folder that has another name than the published ones holds logs of the
            collection that their layout shows.

    Raises:
        WhoAndWhenError: If there are no logs, or one cannot be read.
    """
    logs: list[Log] = []
    notes: list[Note] = []
    for folder, collection in _folders(path):
        for file in sorted(folder.glob("*.json"), key=_by_number):
            log, texts = read_log(file, collection)
            logs.append(log)
            notes += [Note(f"{log.collection}/{log.name}", text) for text in texts]
    if not logs:
        raise WhoAndWhenError(
            f"{path}: contains no logs; a clone has the folders Algorithm-Generated and"
            " Hand-Crafted"
        )
    logs.sort(key=lambda log: list(Collection).index(log.collection))
    return Import(tuple(logs), tuple(notes))


def read_log(path: Path, collection: Collection | None = None) -> tuple[Log, tuple[str, ...]]:
    """Read one log.

    Args:
        path: A JSON file.
        collection: The layout; told from the messages when left out.

    Returns:
        The log, and a sentence on each oddity.

    Raises:
        WhoAndWhenError: If it cannot be read, or does not have the layout.
    """
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise WhoAndWhenError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise WhoAndWhenError(f"{path}: is not a JSON file in UTF-8 ({error})") from None
    try:
        return _log(path.name, data, collection)
    except _LayoutError as error:
        raise WhoAndWhenError(f"{path}: {error}") from None


class _LayoutError(ValueError):
    """Content that is not laid out as published; the message is the reason."""


def _folders(path: Path) -> Iterator[tuple[Path, Collection | None]]:
    """Yield the collections' folders at or below a path, or the path itself if there are none."""
    if not path.is_dir():
        raise WhoAndWhenError(f"{path}: no such folder")
    level = [path]
    for _ in range(_DEPTH + 1):
        found = [(folder, known) for folder in level if (known := _collection(folder))]
        if found:
            yield from found
            return
        level = [child for folder in level for child in sorted(folder.iterdir()) if child.is_dir()]
    yield path, None


def _collection(folder: Path) -> Collection | None:
    return _FOLDERS.get(re.sub(r"[\W_]", "", folder.resolve().name).casefold())


def _by_number(path: Path) -> tuple[int, str]:
    return (int(path.stem) if path.stem.isdecimal() else -1, path.name)


def _log(name: str, data: object, collection: Collection | None) -> tuple[Log, tuple[str, ...]]:
    if not isinstance(data, dict):
        raise _LayoutError("is not a JSON object")
    fields = _fields(data)
    history = fields.get("history")
    if not isinstance(history, list) or not history:
        raise _LayoutError("'history' is not a list of messages")
    if collection is None:
        named = isinstance(history[0], dict) and "name" in history[0]
        collection = Collection.ALGORITHM if named else Collection.HAND
    messages = tuple(_message(step, item, collection) for step, item in enumerate(history))
    log = Log(
        collection=collection,
        name=name,
        question=_text(fields, "question", required=True),
        history=messages,
        mistake_agent=_text(fields, "mistake_agent", required=True).strip(),
        mistake_step=_step(fields),
        succeeded=_truth(fields),
        system_prompts=_prompts(fields),
        origin=_origin(fields),
        **{key: _text(fields, key) for key in _TEXTS},
    )
    return log, tuple(_oddities(log, fields))


def _fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields by one name each, whatever the collection calls them."""
    fields: dict[str, Any] = {}
    for key, value in data.items():
        name = _SAME.get(key, key)
        if name in fields and fields[name] != value:
            raise _LayoutError(f"'{key}' contradicts another field of the same meaning")
        fields[name] = value
    return fields


def _message(step: int, item: object, collection: Collection) -> Message:
    if not isinstance(item, dict):
        raise _LayoutError(f"step {step} of 'history' is not a message")
    key = "name" if collection is Collection.ALGORITHM else "role"
    speaker, content = item.get(key), item.get("content")
    if not isinstance(speaker, str) or not speaker.strip():
        raise _LayoutError(f"step {step} of 'history' has no '{key}' that says who speaks")
    if content is not None and not isinstance(content, str):
        raise _LayoutError(f"step {step} of 'history' has a 'content' that is not a string")
    return Message(speaker=speaker.strip(), content=content or "")


def _text(fields: Mapping[str, Any], key: str, *, required: bool = False) -> str:
    value = fields.get(key)
    if value is None and not required:
        return ""
    if isinstance(value, str) and (value.strip() or not required):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise _LayoutError(f"'{key}' is missing" if value is None else f"'{key}' is not a string")


def _step(fields: Mapping[str, Any]) -> int:
    value = fields.get("mistake_step")
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = _INTEGER.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise _LayoutError(f"'mistake_step' is not a step: {value!r}")
    return int(found[1])


def _truth(fields: Mapping[str, Any]) -> bool:
    value = fields.get("is_correct", False)
    if isinstance(value, str) and value.strip().casefold() in ("true", "false"):
        return value.strip().casefold() == "true"
    if isinstance(value, bool) or value is None:
        return bool(value)
    raise _LayoutError(f"'is_correct' or 'is_corrected' is neither true nor false: {value!r}")


def _prompts(fields: Mapping[str, Any]) -> Mapping[str, str]:
    value = fields.get("system_prompt") or {}
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise _LayoutError("'system_prompt' is not an object of texts")
    return value


def _origin(fields: Mapping[str, Any]) -> Origin | None:
    value = fields.get("ossia")
    if value is None:
        return None
    try:
        return Origin.model_validate(value)
    except ValidationError:
        raise _LayoutError("'ossia' was written by another version of Ossia") from None


def _oddities(log: Log, fields: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(fields.keys() - _KNOWN):
        yield f"the field '{key}' is not known and is left out"
    if log.speaker_at_label is None:
        length = len(log.history)
        yield f"the label's step {log.mistake_step} is beyond the end of the {length} steps"
    elif log.speaker_at_label != log.mistake_agent:
        yield (
            f"the label names {log.mistake_agent}, but at its step {log.mistake_step}"
            f" {log.speaker_at_label} speaks"
        )
    if log.succeeded:
        yield "the run is marked as correct"
