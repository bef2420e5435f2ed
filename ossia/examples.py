"""What a model may learn from tasks: requests with their answers, apart from what is measured."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ossia.errors import UserError
from ossia_dataset.files import write_whole
from ossia_dataset.tasks import T, Task
from ossia_servers.gateway.estimates import message_text
from ossia_servers.wire.names import user_says

__all__ = ["Example", "plain_example", "refuse_test_tasks", "split", "write_examples"]


@dataclass(frozen=True, slots=True)
class Example:
    """One thing to learn.

    Attributes:
        messages: The messages of the request, as the gateway sees them.
        answer: The whole answer.
    """

    messages: tuple[Mapping[str, Any], ...]
    answer: str

    def chat(self) -> list[dict[str, str]]:
        """Return the messages and the answer, each as a role and a text and nothing else.

        Frameworks send contents in parts and fields of their own; files of one form can be read as
        a table.
        """
        asked = [{"role": m["role"], "content": message_text(m)} for m in self.messages]
        return [*asked, {"role": "assistant", "content": self.answer}]


def plain_example(prompt: str, task: Task, answer: str, earlier: Sequence[str] = ()) -> Example:
    """Return what a role with a prompt should answer, as where a framework adds nothing.

    Args:
        prompt: The role's prompt.
        task: What the user asks for.
        answer: What the role should answer.
        earlier: What other roles have said before.
    """
    said = [{"role": "user", "content": text} for text in (user_says(task.utterance), *earlier)]
    return Example(({"role": "system", "content": prompt}, *said), answer)


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
