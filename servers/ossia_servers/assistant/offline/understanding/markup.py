"""The markup of training utterances: `wake me at [six](time)` under a heading for each intent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SPAN = re.compile(r"\[([^\[\]]+)\]\(([a-z_0-9]+)\)")
_HEADING = re.compile(r"##\s+([a-z_0-9]+)\s*$")


class MarkupError(ValueError):
    """A file of utterances or gazetteers does not follow the markup."""


@dataclass(frozen=True, slots=True)
class Span:
    """A slot value inside an utterance.

    Attributes:
        start: Where it starts.
        end: Where it ends.
        slot: The slot's name.
    """

    start: int
    end: int
    slot: str


@dataclass(frozen=True, slots=True)
class Example:
    """An utterance with its right reading.

    Attributes:
        domain: Its domain.
        intent: Its intent.
        text: The words.
        spans: The slot values, in order, not overlapping.
    """

    domain: str
    intent: str
    text: str
    spans: tuple[Span, ...]


def parse_utterance(line: str) -> tuple[str, tuple[Span, ...]]:
    """Read one marked-up utterance.

    Args:
        line: Such as `wake me at [six](time)`.

    Returns:
        The plain text and its spans.

    Raises:
        MarkupError: If a bracket is left over that belongs to no span.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    length = position = 0
    for match in _SPAN.finditer(line):
        before, value = line[position : match.start()], match.group(1)
        pieces += [before, value]
        start = length + len(before)
        length = start + len(value)
        spans.append(Span(start, length, match.group(2)))
        position = match.end()
    pieces.append(line[position:])
    text = "".join(pieces)
    if "[" in text or "]" in text:
        raise MarkupError(f"a bracket belongs to no slot: {line!r}")
    return text, tuple(spans)


def render_utterance(text: str, spans: Iterable[Span]) -> str:
    """Write an utterance in markup; the inverse of `parse_utterance`."""
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces.append(f"{text[position : span.start]}[{text[span.start : span.end]}]({span.slot})")
        position = span.end
    return "".join([*pieces, text[position:]])


def _sections(content: str) -> Iterable[tuple[int, str, str]]:
    """Yield line number, heading and line for every line that says something."""
    heading = ""
    for number, line in enumerate(content.splitlines(), start=1):
        stripped = line.strip()
        if not stripped:
            continue
        match = _HEADING.match(stripped)
        if match:
            heading = match.group(1)
        elif not heading:
            raise MarkupError(f"line {number}: text before the first heading")
        else:
            yield number, heading, stripped


def parse_examples(content: str, domain: str) -> list[Example]:
    """Read a file of utterances.

    Args:
        content: The file's text: `## intent` headings, one utterance a line.
        domain: The domain of its intents.

    Returns:
        The examples, in the file's order.

    Raises:
        MarkupError: If a line does not follow the markup.
    """
    examples = []
    for number, intent, line in _sections(content):
        try:
            text, spans = parse_utterance(line)
        except MarkupError as error:
            raise MarkupError(f"line {number}: {error}") from error
        examples.append(Example(domain, intent, text, spans))
    return examples


def parse_gazetteers(content: str) -> dict[str, tuple[str, ...]]:
    """Read a file of known values: `## slot` headings, values separated by commas.

    Args:
        content: The file's text.

    Returns:
        Slot to values, in the file's order.

    Raises:
        MarkupError: If a value stands before the first heading.
    """
    values: dict[str, list[str]] = {}
    for _, slot, line in _sections(content):
        known = values.setdefault(slot, [])
        known += [value for part in line.split(",") if (value := part.strip())]
    return {slot: tuple(known) for slot, known in values.items()}
