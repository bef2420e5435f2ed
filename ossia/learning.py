"""Which tasks a model learns from, apart from what is measured, and the files of what it learns."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from ossia.errors import UserError
from ossia.examples import Example
from ossia.storage.place import Place
from ossia.suites import find_suite
from ossia.tasks import find_tasks
from ossia_dataset.files import write_whole
from ossia_dataset.tasks import T, Task

__all__ = ["examples_of", "refuse_test_tasks", "split", "write_examples"]


def examples_of(
    suite: str, source: str, run: Place | None, held_out: float, seed: int
) -> tuple[Sequence[Example], Sequence[Example]]:
    """Return what a role of a suite may learn from tasks, and what is held out.

    Args:
        suite: the suite, which says what role it is.
        source: the tasks; those of a test set are refused.
        run: the run whose prompts are learnt; None for the role's plain prompt.
        held_out: the share of the tasks that is held out.
        seed: decides which tasks these are.

    Raises:
        UserError: the suite does not say what may be learnt, the share is none, or there is
            nothing to learn or only what a comparison measures by.
        TaskError: the source cannot be read.
    """
    made = find_suite(suite).examples
    if made is None:
        raise UserError(f"the suite '{suite}' has no examples to learn from")
    if not 0 <= held_out < 1:
        raise UserError(f"--held-out must be a share of at least 0 and below 1, not {held_out:g}")
    tasks = find_tasks(source, suite)
    refuse_test_tasks(tasks, find_tasks("test", suite))
    learnt, kept = (made(part, run) for part in split(tasks, held_out, seed))
    if not learnt:
        raise UserError(f"{source}: there is nothing to learn from its tasks")
    return learnt, kept


def refuse_test_tasks(tasks: Sequence[Task], test: Sequence[Task]) -> None:
    """Refuse data that holds what a comparison measures by.

    Args:
        tasks: what is to be learnt.
        test: the tasks of the test set.

    Raises:
        UserError: an utterance is that of a task of the test set.
    """
    kept = {_flat(task.utterance) for task in test}
    found = [task.id for task in tasks if _flat(task.utterance) in kept]
    if found:
        raise UserError(
            f"{len(found)} of the tasks are test tasks, the first is {found[0]}; a model that has"
            " learnt them cannot be measured by them"
        )


def split(tasks: Sequence[T], share: float, seed: int) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """Return the tasks to learn from and those to be held out, each in their order.

    Args:
        tasks: All tasks.
        share: Of them that is held out; at least one task is left to learn from.
        seed: Decides which.
    """
    count = min(round(len(tasks) * share), len(tasks) - 1)
    held = set(random.Random(seed).sample(range(len(tasks)), count))
    learnt = tuple(task for place, task in enumerate(tasks) if place not in held)
    return learnt, tuple(task for place, task in enumerate(tasks) if place in held)


def write_examples(out: Path, learnt: Sequence[Example], kept: Sequence[Example]) -> None:
    """Write examples as files of a folder, one chat a line.

    Args:
        out: the folder; it is made where it is not there.
        learnt: what goes into train.jsonl.
        kept: what goes into validation.jsonl, which is there only where there is any.
    """
    out.mkdir(exist_ok=True)
    write_whole(out / "train.jsonl", _lines(learnt))
    if kept:
        write_whole(out / "validation.jsonl", _lines(kept))
    else:
        # An earlier one's tasks are learnt from now.
        (out / "validation.jsonl").unlink(missing_ok=True)


def _lines(examples: Sequence[Example]) -> str:
    rows = (json.dumps({"messages": each.chat()}, ensure_ascii=False) for each in examples)
    return "".join(f"{row}\n" for row in rows)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
