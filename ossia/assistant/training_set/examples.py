"""What the intent role is asked and what it should answer, for each task."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia.assistant.training_set.heard import HeardPrompt
from ossia.errors import UserError
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.world_tasks import WorldTask
from ossia_servers.assistant.catalogue import catalogue_text, load_domains
from ossia_servers.gateway.estimates import message_text
from ossia_servers.wire.names import user_says
from ossia_workflows import load_team


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


def gold_answer(task: WorldTask) -> str:
    """Return what the intent role should answer, on one line."""
    gold = task.gold
    frame = {"domain": gold.domain, "intent": gold.intent, "slots": gold.slots}
    return json.dumps(frame, ensure_ascii=False)


def intent_examples(
    tasks: Sequence[WorldTask], heard: Sequence[HeardPrompt] = ()
) -> tuple[Example, ...]:
    """Return what there is to learn from tasks.

    Args:
        tasks: Tasks of a single request with their gold frames; the later frames of compound ones
            depend on the servers' answers.
        heard: Prompts as frameworks word them; each task is then learnt once in each wording. By
            default the role's prompt and the task's text, as where a framework adds nothing.
    """
    catalogue = catalogue_text(load_domains())
    found = []
    for task in tasks:
        answer = gold_answer(task)
        if heard:
            for prompt in heard:
                messages, text = prompt.worded(task.utterance, answer)
                found.append(Example(messages, text))
            continue
        team = load_team("assistant", {"catalogue": catalogue, "home": task.home})
        system = {"role": "system", "content": team.role("intent").prompt}
        user = {"role": "user", "content": user_says(task.utterance)}
        found.append(Example((system, user), answer))
    return tuple(found)


def refuse_test_tasks(tasks: Sequence[WorldTask]) -> None:
    """Refuse data that holds what a comparison measures by.

    Raises:
        UserError: an utterance is that of a task of the test set.
    """
    kept = {_flat(task.utterance) for task in assistant_tasks("test")}
    found = [task.id for task in tasks if _flat(task.utterance) in kept]
    if found:
        raise UserError(
            f"{len(found)} of the tasks are test tasks, the first is {found[0]}; a model that has"
            " learnt them cannot be measured by them"
        )


def split(
    tasks: Sequence[WorldTask], share: float, seed: int
) -> tuple[tuple[WorldTask, ...], tuple[WorldTask, ...]]:
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


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
