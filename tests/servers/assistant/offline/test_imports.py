"""The model knows no tasks and no gold labels: neither as modules nor as files."""

import json
import subprocess
import sys

PROBE = """
import json, sys
opened = []
sys.addaudithook(
    lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None
)
from ossia_servers.assistant.offline import OfflineModel
model = OfflineModel.load()
for role in ("manager", "intent", "time", "location", "url", "request", "response"):
    text = 'The user says: "wake me up at six in dallas"'
    model.complete({"model": f"ossia-{role}", "messages": [{"role": "user", "content": text}]})
print(json.dumps({"modules": sorted(sys.modules), "opened": opened}))
"""


BARE = (
    *("ossia_servers", "ossia_servers.assistant", "ossia_servers.assistant.members"),
    "ossia_dataset",
)


def test_no_task_is_imported_or_opened():
    ran = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    seen = json.loads(ran.stdout)
    ours = [name for name in seen["modules"] if name.partition(".")[0].startswith("ossia")]
    assert "ossia_servers.assistant.offline.model" in ours
    for name in ours:
        allowed = (
            "ossia_servers.assistant.offline",
            "ossia_servers.wire",
            "ossia_dataset.normalise",
        )
        assert name.startswith(allowed) or name in BARE
    files = [name for name in seen["opened"] if "ossia_dataset" in name]
    assert files
    assert not [name for name in files if "tasks" in name or name.endswith(".jsonl")]


def test_nothing_but_the_standard_library_is_needed():
    ran = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    roots = {name.partition(".")[0] for name in json.loads(ran.stdout)["modules"]}
    outside = roots - sys.stdlib_module_names - {"ossia_servers", "ossia_dataset", "__main__"}
    before = subprocess.run(
        [sys.executable, "-c", "import sys; print('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert outside <= {name.partition(".")[0] for name in before.stdout.split()}
