"""A file of records of one kind, each written as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ossia.errors import UserError


class KeyedRecord(BaseModel):
    """A record that is known by its key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str


R = TypeVar("R", bound=KeyedRecord)


class RecordLog(Generic[R]):
    """Records of one kind, by key; what is added is on disk at once."""

    def __init__(self, path: Path, kind: type[R]) -> None:
        """Open or make a log.

        Args:
            path: its file; a last line that was cut off is dropped.
            kind: what its lines hold.

        Raises:
            UserError: the file is of another version, or damaged.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        found = list(read_records(path, kind)) if path.exists() else []
        self._known = {record.key: record for record in found}
        lines = (record.model_dump_json() for record in self._known.values())
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        self._file = path.open("a", encoding="utf-8")

    def find(self, key: str) -> R | None:
        """Return the record of this key, or None."""
        return self._known.get(key)

    def add(self, record: R) -> None:
        """Keep a record."""
        self._known[record.key] = record
        self._file.write(f"{record.model_dump_json()}\n")
        self._file.flush()

    def __iter__(self) -> Iterator[R]:
        """Yield all records in the order of their keys."""
        return iter(sorted(self._known.values(), key=lambda record: record.key))

    def __enter__(self) -> Self:
        """Use the log."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._file.close()


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """Yield the records of a log.

    Raises:
        UserError: a line but the last cannot be read.
    """
    lines = path.read_text("utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            yield kind.model_validate_json(line)
        except ValidationError:
            if number < len(lines):
                raise UserError(f"{path}, line {number}: no attempt of this version") from None
