"""The processes of a validation end with the command, however that ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMMAND = """
import asyncio, pathlib, signal, sys
from benchmarks.attribution.parts import Part, Parts, in_processes
from tests.benchmarks.attribution.test_processes import waiting
if __name__ == "__main__":
    said = pathlib.Path(sys.argv[1])
    part = Part("one", said.parent, (), None, 0, 1, said)
    parts = Parts((part,), 1, said.parent, "")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        asyncio.run(in_processes(waiting, parts, lambda counts: None))
    except KeyboardInterrupt:
        sys.exit(130)
"""


def waiting(part):
    """Say which process this is, and wait."""
    part.log.write_text(f"{os.getpid()}\n", "utf-8")
    time.sleep(600)
    return part.framework, "1"


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.05)


@pytest.fixture
def command(tmp_path):
    """A command with a part that waits; it and the process of the part."""
    script, said = tmp_path / "command.py", tmp_path / "pid"
    script.write_text(COMMAND, "utf-8")
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    started = subprocess.Popen(
        [sys.executable, str(script), str(said)],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        until(lambda: said.exists() and said.read_text("utf-8").endswith("\n"))
        yield started, int(said.read_text("utf-8"))
    finally:
        started.kill()
        started.communicate()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_command(command, how):
    started, pid = command
    assert is_running(pid)
    started.send_signal(how)
    started.wait(60)
    until(lambda: not is_running(pid))


def test_ctrl_c_leaves_no_traceback(command):
    started, _ = command
    os.killpg(started.pid, signal.SIGINT)
    assert started.communicate(timeout=60) == (None, b"")
    assert started.returncode == 130
