"""What the intent role is asked and what it should answer, for each task."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ossia.assistant.training_set.heard import HeardPrompt
from ossia.examples import Example, plain_example
from ossia_dataset.world_tasks import WorldTask
from ossia_servers.assistant.catalogue import catalogue_text, load_domains
from ossia_workflows import load_team


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
        found.append(plain_example(team.role("intent").prompt, task, answer))
    return tuple(found)
