"""Writing logs: in the published layout, and as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ossia_dataset.files import write_whole
from ossia_dataset.who_and_when.logs import LOG_VERSION, Collection, Log


def dump_log(log: Log) -> str:
    """Return a log as a JSON file in the layout of its collection.

    The layouts are those that `read_log` reads: reading the text gives the log back.
    """
    hand = log.collection is Collection.HAND
    data: dict[str, Any] = {
        "is_corrected" if hand else "is_correct": log.succeeded,
        "question": log.question,
        "question_id" if hand else "question_ID": log.question_id,
        "level": log.level,
        "groundtruth" if hand else "ground_truth": log.ground_truth,
        "history": [
            {"content": message.content, "role": message.speaker}
            if hand
            else {"content": message.content, "role": "assistant", "name": message.speaker}
            for message in log.history
        ],
        "mistake_agent": log.mistake_agent,
        "mistake_step": str(log.mistake_step),
        "mistake_reason": log.mistake_reason,
    }
    if log.mistake_type:
        data["mistake_type"] = log.mistake_type
    if log.system_prompts:
        data["system_prompt"] = dict(log.system_prompts)
    if log.origin is not None:
        data["ossia"] = log.origin.model_dump()
    return json.dumps(data, ensure_ascii=False, indent=4) + "\n"


def write_log(folder: Path, log: Log) -> Path:
    """Write a log to a folder under its name, in one move; returns the file.

    Raises:
        OSError: If the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return write_whole(folder / log.name, dump_log(log))


def write_lines(path: Path, logs: Iterable[Log]) -> Path:
    """Write logs of both collections in one form, a JSON object a line; returns the file.

    Raises:
        OSError: If the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps({"schema": LOG_VERSION, **log.model_dump(mode="json")}, ensure_ascii=False)
        for log in logs
    )
    return write_whole(path, "".join(line + "\n" for line in lines))
