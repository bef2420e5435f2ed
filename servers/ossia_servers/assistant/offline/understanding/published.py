"""Training utterances from a published Auto-SLURP file that the user brings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ossia_dataset.assistant.auto_slurp import read_auto_slurp
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW
from ossia_dataset.world_tasks import WorldTask
from ossia_servers.assistant.offline.understanding.markup import Example, Span

STYLE = "auto-slurp"
"""The style of annotation of the published data."""

_JOINT = " and "


def published_examples(path: Path) -> list[Example]:
    """Read the rows of a published file as training utterances.

    Args:
        path: A CSV file with text, intent and slots.

    Returns:
        The rows of a single intent, in the order of the file. A slot whose value is not in the text
        is left out, since there are no words to learn it from.

    Raises:
        AutoSlurpError: If the file is not a published one.
        OSError: If it cannot be read.
    """
    found = read_auto_slurp(path, now=DEFAULT_NOW, home=DEFAULT_HOME)
    # An explicit list of requests is what a row of several intents becomes.
    return [example_of(task) for task in found.tasks if task.gold.requests is None]


def example_of(task: WorldTask) -> Example:
    """Return a task's utterance with its slots marked where their values stand in it."""
    spans: list[Span] = []
    slots = sorted(task.gold.slots.items(), key=lambda item: -len(item[1]))
    for slot, value in slots:
        whole = _find(task.utterance, value, spans)
        parts = [value] if whole or _JOINT not in value else value.split(_JOINT)
        for part in parts:
            place = _find(task.utterance, part, spans)
            if place is not None:
                spans.append(Span(*place, slot))
    spans.sort(key=lambda span: span.start)
    return Example(task.gold.domain, task.gold.intent, task.utterance, tuple(spans))


def _find(text: str, value: str, taken: Sequence[Span]) -> tuple[int, int] | None:
    """Find the words of a value where no other value stands."""
    for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE):
        start, end = match.span()
        if all(end <= span.start or span.end <= start for span in taken):
            return start, end
    return None
