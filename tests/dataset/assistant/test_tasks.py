"""Which suite a task is of where its line names none."""

import json

import pytest

from ossia_dataset.assistant.tasks import AssistantTask, assistant_tasks
from ossia_dataset.tasks import TaskError, parse_task
from ossia_dataset.world_tasks import WorldTask

LINE = json.dumps(
    {
        "id": "wake",
        "utterance": "wake me",
        "gold": {"domain": "alarm", "intent": "alarm_set", "kind": "change"},
    }
)


def test_a_line_without_a_suite_is_the_assistants_and_no_other_suites():
    assert parse_task(LINE, AssistantTask).suite == "assistant"
    with pytest.raises(TaskError, match="suite: Field required"):
        parse_task(LINE, WorldTask)


def test_tasks_of_several_wishes_are_of_their_own_suite():
    assert {t.suite for t in assistant_tasks("test", "assistant-compound")} == {
        "assistant-compound"
    }
