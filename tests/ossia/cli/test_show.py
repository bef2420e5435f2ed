"""What `ossia show` prints of an episode."""

import json

import pytest

from ossia.tasks import find_tasks
from ossia_dataset.tasks import dump_task
from ossia_evaluation.assistant.metrics import METRICS


@pytest.mark.framework("control")
def test_the_json_has_the_verdict_and_the_metrics_beside_the_trace(ossia, tmp_path):
    tasks = tmp_path / "mine.jsonl"
    task = next(task for task in find_tasks("test", "assistant") if task.id == "alarm-001")
    tasks.write_text(dump_task(task) + "\n")
    assert ossia("run", "control", "--tasks", tasks).returncode == 0
    episode = f"control.{task.id}.1"

    def told():
        return json.loads(ossia("show", episode, "--json").stdout)

    found = told()
    assert found["episode"]["task"] == task.id
    assert found["answer"] and found["requests"]
    assert (found["verdict"], bool(found["reason"])) == ("success", True)
    assert set(found["metrics"]) == {metric.name for metric in METRICS}
    assert (found["metrics"]["slots_correct"], found["metrics"]["side_effects"]) == (True, False)
    tasks.unlink()
    without = told()
    assert without == found | {"metrics": None}
