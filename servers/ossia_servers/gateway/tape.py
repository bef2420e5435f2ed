"""Tapes: recorded answers, kept in a file and played back by request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from ossia_dataset.files import write_whole
from ossia_servers.gateway.canonical import canonical_answer, canonical_request, request_key
from ossia_servers.gateway.estimates import message_text
from ossia_servers.gateway.models import Completion, ModelCall, TapeMiss
from ossia_servers.gateway.records import Exchange, Usage

TAPE_VERSION: Literal[1] = 1

_SHOWN_CHARACTERS = 120


class TapeHeader(BaseModel):
    """The first line of a tape file.

    Attributes:
        ossia_tape: Version of the format.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ossia_tape: Literal[1] = TAPE_VERSION


class TapeEntry(BaseModel):
    """One recorded answer; a line of a tape file.

    Attributes:
        key: The key of the request.
        request: The request in canonical form.
        model: The model that answered.
        message: The assistant's message.
        finish_reason: Why the answer ended.
        usage: Its tokens, if they are known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    request: dict[str, Any]
    model: str
    message: dict[str, Any]
    finish_reason: str
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of exchanges that were recorded on a tape.

    Attributes:
        added: New entries.
        known: Exchanges that the tape already held with the same answer.
        conflicts: Exchanges that the tape already held with a different answer, which it kept.
        skipped: Exchanges without a valid answer.
    """

    added: int
    known: int
    conflicts: int
    skipped: int


class Tape:
    """Answers by canonical request.

    The first answer to a request stays; a different later one is counted by `conflicts` only.
    """

    def __init__(self, entries: Iterable[TapeEntry] = ()) -> None:
        """Make a tape.

        Args:
            entries: What it holds; of two with one key the first stays.
        """
        self._entries: dict[str, TapeEntry] = {}
        self.conflicts = 0
        for entry in entries:
            self._add(entry)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> list[TapeEntry]:
        """The entries in the order of their keys."""
        return [self._entries[key] for key in sorted(self._entries)]

    def find(self, request: Mapping[str, Any]) -> TapeEntry | None:
        """Look a request up.

        Args:
            request: The body of a chat completion request, in any form.

        Returns:
            The recorded answer, or None.

        Raises:
            ValueError: If the request cannot be written as JSON.
        """
        return self._entries.get(request_key(canonical_request(request)))

    def record(self, exchanges: Iterable[Exchange]) -> Recorded:
        """Add the answers of exchanges that went well.

        Args:
            exchanges: Exchanges of any status; those without an answer are skipped.

        Returns:
            How many were added, known, in conflict and skipped.
        """
        counts = {"added": 0, "known": 0, "conflicts": 0, "skipped": 0}
        for exchange in exchanges:
            if exchange.status != "ok" or exchange.response is None:
                counts["skipped"] += 1
                continue
            canonical = canonical_request(exchange.request)
            entry = TapeEntry(
                key=request_key(canonical),
                request=orjson.loads(canonical),
                model=exchange.model,
                message=exchange.response,
                finish_reason=exchange.finish_reason or "stop",
                usage=exchange.usage,
            )
            counts[self._add(entry)] += 1
        return Recorded(**counts)

    def write(self, path: Path) -> None:
        """Write the tape, replacing the file in one step.

        Args:
            path: The file; entries are ordered by key, so equal tapes give equal files.

        Raises:
            OSError: If it cannot be written.
        """
        models: list[BaseModel] = [TapeHeader(), *self.entries]
        text = "".join(model.model_dump_json() + "\n" for model in models)
        write_whole(path, text)

    @classmethod
    def read(cls, path: Path) -> Tape:
        """Read a tape.

        Args:
            path: A file that `write` made.

        Returns:
            The tape.

        Raises:
            OSError: If the file cannot be read.
            ValueError: If it is no tape, of another version, or damaged; names the line.
        """
        lines = path.read_bytes().split(b"\n")
        try:
            TapeHeader.model_validate_json(lines[0])
        except ValidationError as error:
            raise ValueError(f"{path} is not a tape of version {TAPE_VERSION}.") from error
        entries = [
            _read_entry(line, f"{path}, line {number}")
            for number, line in enumerate(lines[1:], start=2)
            if line.strip()
        ]
        return cls(entries)

    def _add(self, entry: TapeEntry) -> Literal["added", "known", "conflicts"]:
        first = self._entries.setdefault(entry.key, entry)
        if first is entry:
            return "added"
        if canonical_answer(first.message) == canonical_answer(entry.message):
            return "known"
        self.conflicts += 1
        return "conflicts"


class ReplayModel:
    """Answers from a tape, and from nothing else."""

    name = "replay"

    def __init__(self, tape: Tape) -> None:
        """Make the model.

        Args:
            tape: What it answers from.
        """
        self._tape = tape

    async def complete(self, call: ModelCall) -> Completion:
        """Give the recorded answer.

        Args:
            call: The request.

        Returns:
            The answer with the tokens as recorded.

        Raises:
            TapeMiss: If the tape does not hold the request.
        """
        entry = self._tape.find(call.request)
        if entry is None:
            key = request_key(canonical_request(call.request))
            text = message_text(call.request["messages"][-1])[:_SHOWN_CHARACTERS]
            raise TapeMiss(
                f"The tape holds no answer to this request of role {call.role} "
                f"(key {key[:12]}, last message {text!r})."
            )
        return Completion(
            message=dict(entry.message), finish_reason=entry.finish_reason, usage=entry.usage
        )


def _read_entry(line: bytes, place: str) -> TapeEntry:
    try:
        entry = TapeEntry.model_validate_json(line)
    except ValidationError as error:
        raise ValueError(f"{place}: not a tape entry ({error.error_count()} errors).") from error
    if request_key(canonical_request(entry.request)) != entry.key:
        raise ValueError(f"{place}: the key does not belong to the request.")
    return entry
