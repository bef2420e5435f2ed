"""A task in full, for people: what is said, what a correct run does, and what it tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ossia_dataset.world_tasks import Gold, GoldKind, Part, WorldTask
from ossia_evaluation.worlds.gold import GoldRun
from ossia_evaluation.worlds.outcome import describe

_NOTHING = "-"
_WIDTH = 11


def describe_task(
    task: WorldTask, run: GoldRun, orders: Iterable[Sequence[str]] = ()
) -> Iterator[str]:
    """Yield the lines that show a task.

    Args:
        task: any task.
        run: its gold run.
        orders: the orders in which roles may work on it, where they are known.
    """
    yield _line("task", task.id)
    yield _line("utterance", task.utterance)
    yield _line("now", f"{task.now:%A, %Y-%m-%d %H:%M}")
    yield _line("home", task.home)
    for request in task.setup:
        yield _line("setup", request.url)
    yield _line("kind", str(task.gold.kind))
    for frame in task.gold.parts or (task.gold,):
        yield from _frame_lines(frame)
    for request in task.gold.gold_requests():
        yield _line("request", request.url)
    for record in run.requests:
        yield _line("answer", f"{record.code}: {record.response}")
    yield from _outcome_lines(task, run)
    for fact in task.gold.facts or (_NOTHING,):
        yield _line("fact", fact)
    for order in orders:
        yield _line("roles", ", then ".join(order))


def _frame_lines(frame: Gold | Part) -> Iterator[str]:
    yield _line("intent", f"{frame.domain} / {frame.intent}")
    if isinstance(frame, Part) and frame.condition is not None:
        yield _line("condition", f"'{frame.condition}' {'holds' if frame.holds else 'fails'}")
    for title, values in (("slot", frame.slots), ("time", frame.time), ("place", frame.place)):
        for name, value in values.items():
            yield _line(title, f"{name} = {value}")
    for name in frame.dropped:
        yield _line("dropped", f"{name}, which has no normal form")


def _outcome_lines(task: WorldTask, run: GoldRun) -> Iterator[str]:
    """The changes of the gold run as sentences, or the rows that the answer rests on."""
    for change in run.diff.changes:
        yield _line("outcome", describe(change))
    if run.diff.changes:
        return
    if task.gold.kind is GoldKind.CHAT:
        yield _line("outcome", "a reply; no server is asked")
        return
    for record in run.requests:
        if record.code == "CLARIFICATION":
            yield _line("outcome", "the user is asked back")
        for row in record.result if isinstance(record.result, list) else [record.result]:
            if row is not None:
                yield _line("outcome", _row(row))


def _row(row: Any) -> str:
    if not isinstance(row, Mapping):
        return str(row)
    return ", ".join(f"{name} {value!r}" for name, value in row.items() if value not in ("", None))


def _line(title: str, text: str) -> str:
    return f"{title:{_WIDTH}}{text}"
