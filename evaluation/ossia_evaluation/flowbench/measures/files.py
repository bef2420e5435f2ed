"""Reading turns with predictions, and lines of JSON, that others wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from ossia_evaluation.flowbench.measures.published_turns import Sample

__all__ = [
    "FlowBenchError",
    "Given",
    "SampleRow",
    "Text",
    "read_line",
    "read_lines",
    "read_samples",
]

MOST_CHARACTERS: Final = 100_000
"""Most characters of a text that is read."""

Text = Annotated[str, Field(max_length=MOST_CHARACTERS)]

_Read = TypeVar("_Read")


class FlowBenchError(Exception):
    """A file or a case cannot be read; the message is one line."""


class Given(BaseModel):
    """Of foreign files what is needed is read, and the rest passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Message(Given):
    content: Text


class SampleRow(Given):
    """One turn as published, with a prediction."""

    id: Text
    messages: list[_Message] = Field(min_length=1)
    gt_thought: dict[str, JsonValue]
    predict: Text

    def sample(self) -> Sample:
        """Return what is scored."""
        return Sample(self.id, self.messages[0].content, self.gt_thought, self.predict)


_SAMPLE: Final = TypeAdapter(SampleRow)


def read_samples(path: Path) -> tuple[Sample, ...]:
    """Read predictions of single turns: JSON Lines of id, messages, gt_thought and predict.

    Raises:
        FlowBenchError: the file cannot be read, a line is no such turn, or an id is there twice.
    """
    found: dict[str, Sample] = {}
    for number, line in read_lines(path):
        try:
            sample = read_line(line, _SAMPLE).sample()
        except FlowBenchError as error:
            raise FlowBenchError(f"{path}: line {number}: {error}") from None
        if sample.id in found:
            raise FlowBenchError(f"{path}: line {number}: the id {sample.id} occurs twice")
        found[sample.id] = sample
    return tuple(found.values())


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that hold something, with their numbers.

    Raises:
        FlowBenchError: the file cannot be read, or holds nothing.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise FlowBenchError(f"{path}: {error.strerror}") from None
    found = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise FlowBenchError(f"{path}: is empty")
    yield from found


def read_line(line: bytes, kind: TypeAdapter[_Read]) -> _Read:
    """Read a line of JSON.

    Raises:
        FlowBenchError: it is none, or of another shape.
    """
    try:
        return kind.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise FlowBenchError(f"{place}: {first['msg']}" if place else first["msg"]) from None
