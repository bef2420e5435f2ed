"""The worker process on its own, spoken to over raw pipes."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SDK = Path(__file__).resolve().parents[3] / "adapters" / "sdk"
MODULE = """
import sys
from ossia_adapter import Answer

print("printed while imported")

class Adapter:
    name = "small"
    distribution = "requests"

    def run(self, episode):
        print("printed while running")
        return Answer(episode.team.final + ": " + episode.task)
"""


class Raw:
    """The runner's end of a worker, without any help."""

    def __init__(self, process, read, write):
        self.process = process
        self._lines = os.fdopen(read, "rb")
        self.write_fd = write
        self._last = 0

    def send(self, line: bytes):
        view = memoryview(line + b"\n")
        while view:
            view = view[os.write(self.write_fd, view) :]

    def receive(self):
        return json.loads(self._lines.readline())

    def ask(self, method, **params):
        self._last += 1
        request = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        self.send(json.dumps(request).encode())
        answer = self.receive()
        assert answer.pop("jsonrpc") == "2.0"
        assert answer.pop("id") == self._last
        return answer

    def initialize(self, **changes):
        params = {"protocol": 3, "allow": ["127.0.0.1:9"], "hidden": [], "concurrency": 2}
        return self.ask("initialize", **params | changes)


@pytest.fixture
def worker(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "small_adapter.py").write_text(MODULE)
    their_read, our_write = os.pipe()
    our_read, their_write = os.pipe()
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "ossia_adapter.worker"),
            *("--adapter", "small_adapter:Adapter"),
            *("--read-fd", str(their_read), "--write-fd", str(their_write)),
            *("--folder", str(folder)),
        ],
        pass_fds=(their_read, their_write),
        env={"PYTHONPATH": f"{SDK}:{tmp_path}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(their_read)
    os.close(their_write)
    try:
        yield Raw(process, our_read, our_write)
    finally:
        with contextlib.suppress(OSError):
            os.close(our_write)
        process.kill()
        process.communicate()


def episode():
    role = {"description": "", "prompt": "", "tools": []}
    roles = [{"name": "manager", **role}, {"name": "speaker", **role}]
    return {
        "id": "e",
        "utterance": "héllo",
        "gateway_url": "http://127.0.0.1:9/v1",
        "api_key": "k",
        "servers_url": "http://127.0.0.1:9",
        "world": "w",
        "limits": {"turns": 1, "tool_rounds": 1, "call_seconds": 1},
        "team": {"name": "t", "goal": "", "manager": "manager", "final": "speaker", "roles": roles},
    }


def test_the_whole_conversation(worker):
    info = worker.initialize()["result"]
    assert info.pop("packages")["requests"] == info["version"]
    assert info == {
        "protocol": 3,
        "adapter": "small",
        "framework": "requests",
        "version": info["version"],
        "python": sys.version.split()[0],
        "enforced": info["enforced"],
        "import_cpu_s": info["import_cpu_s"],
        "memory_mib": info["memory_mib"],
    }
    assert 0 < info["import_cpu_s"] < 60
    assert 5 < info["memory_mib"] < 5000
    result = worker.ask("run", episode=episode())["result"]
    assert result.pop("cpu_s") >= 0
    assert result == {
        "answer": 'speaker: The user says: "héllo"',
        "reported": None,
        "error": None,
    }
    assert worker.ask("cancel", episode="e") == {"result": {"cancelled": False}}
    assert worker.ask("shutdown") == {"result": {}}
    output, errors = worker.process.communicate(timeout=10)
    assert (worker.process.returncode, output) == (0, b"")
    assert b"printed while imported" in errors


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("run", {"episode": {}}, -32002),
        ("cancel", {"episode": "e"}, -32002),
        ("dance", {}, -32601),
        ("initialize", {}, -32602),
        ("initialize", {"protocol": 1, "allow": [], "hidden": [], "concurrency": 1}, -32602),
        ("initialize", {"protocol": 3, "allow": "x", "hidden": [], "concurrency": 1}, -32602),
        ("initialize", {"protocol": 3, "allow": [], "hidden": [], "concurrency": 0}, -32602),
    ],
)
def test_a_request_out_of_place_is_refused_and_forgotten(worker, method, params, code):
    assert worker.ask(method, **params)["error"]["code"] == code
    assert "result" in worker.initialize()


def test_initialize_happens_once(worker):
    worker.initialize()
    assert worker.initialize()["error"]["code"] == -32600
    assert worker.ask("run", episode={"id": "e"})["error"]["code"] == -32602
    assert worker.ask("run", task={})["error"]["code"] == -32602


def test_an_address_that_is_none_ends_the_worker(worker):
    assert worker.initialize(allow=["nowhere"])["error"]["code"] == -32602
    assert worker.process.wait(10) != 0


@pytest.mark.parametrize(
    ("line", "code"), [(b"{", -32700), (b"[]", -32600), (b"x" * 5_000_000, -32600)]
)
def test_a_bad_line_is_refused_and_forgotten(worker, line, code):
    worker.send(line)
    answer = worker.receive()
    assert (answer["id"], answer["error"]["code"]) == (None, code)
    assert "result" in worker.initialize()


@pytest.mark.parametrize("initialized", [False, True])
def test_the_end_of_the_pipe_ends_the_worker(worker, initialized):
    if initialized:
        worker.initialize()
    os.close(worker.write_fd)
    worker.process.wait(10)
