"""The offline model answers the same from a copy of Ossia that holds no task and so no gold."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_servers.assistant.offline import OfflineModel

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = """
import json, sys
from ossia_servers.assistant.offline import OfflineModel
import ossia_servers
assert ossia_servers.__file__.startswith(sys.argv[1]), ossia_servers.__file__
model = OfflineModel.load()
print(json.dumps([model.complete(request) for request in json.load(sys.stdin)]))
"""


def requests():
    for task in assistant_tasks("test"):
        said = f"The user says: {json.dumps(task.utterance)}"
        for role in ("manager", "intent", "url"):
            system = {"role": "system", "content": f"You are the {role} agent."}
            user = {"role": "user", "content": said}
            yield {"model": f"ossia-{role}", "messages": [system, user]}


@pytest.mark.slow
def test_no_gold_is_needed(tmp_path):
    for package in ("servers/ossia_servers", "dataset/ossia_dataset", "workflows/ossia_workflows"):
        target = tmp_path / Path(package).name
        shutil.copytree(ROOT / package, target, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(tmp_path / "ossia_dataset" / "data" / "tasks")
    asked = list(requests())
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        input=json.dumps(asked),
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    model = OfflineModel.load()
    assert json.loads(done.stdout) == [model.complete(request) for request in asked]
