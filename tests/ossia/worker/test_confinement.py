"""Real workers whose adapter tries to get out, and what the system then lets it do."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

import ossia_dataset
from ossia.worker import ASPECTS, WorkerProcess, confinement_text
from ossia.worker.confinement import hidden_folders
from ossia_adapter.landlock import SIGNALS_ABI, abi

needs_all = pytest.mark.skipif(abi() < SIGNALS_ABI, reason="this system's Landlock is older")

ESCAPES = (
    *("child-python", "child-curl", "native-tcp", "native-udp", "fast-open", "lying-port"),
    *("raw-socket", "packet-socket", "netlink-socket", "io-uring"),
    *("unix-path", "unix-abstract", "unix-pair", "bind", "listen"),
    *("read-dataset", "read-secret", "read-shadow", "list-home", "child-reads"),
    *("parent-environ", "runner-environ", "runner-command", "runner-memory"),
    *("write-elsewhere", "overwrite", "cut", "remove", "signal-parent", "signal-runner"),
    *("attribute", "attribute-at", "remove-attribute"),
    *("limit-runner", "read-limits", "priority-runner", "priority-user"),
    *("cores-runner", "schedule-runner"),
)
DATASET = next(Path(ossia_dataset.__path__[0]).rglob("*.jsonl"))


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pid):
    for _ in range(200):
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def escaping(spec):
    return replace(spec(), entry="escaping_adapter:ADAPTER")


@pytest.fixture
def attempt(escaping, wire, tmp_path):
    """Let a worker do a deed; returns its answer, what its guard named and what it enforces."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    secret = elsewhere / "secret"
    secret.write_text("the run store, a key, a home folder")
    with suppress(OSError):  # Not every file system has them.
        os.setxattr(secret, "user.given", b"x")

    async def play(deed, worker_spec, aim, allowed):
        allow = [f"127.0.0.1:{allowed}"]
        async with await WorkerProcess.start(worker_spec, allow=allow, concurrency=2) as worker:
            result = await worker.run(wire(json.dumps({"deed": deed, **aim})))
            assert result.error is None, result.error
            return result.answer, dict(worker.refused), worker.info.enforced

    def do(deed, worker_spec=escaping):
        kinds = {
            "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "path": (socket.AF_UNIX, socket.SOCK_STREAM, str(tmp_path / "stream")),
            "datagrams": (socket.AF_UNIX, socket.SOCK_DGRAM, str(tmp_path / "datagrams")),
            "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0ossia-{uuid4().hex}"),
        }
        made = {}
        try:
            for name, (family, kind, address) in kinds.items():
                made[name] = socket.socket(family, kind)
                made[name].bind(address)
                if kind == socket.SOCK_STREAM:
                    made[name].listen()
            aim = {
                "port": made["tcp"].getsockname()[1],
                "allowed": 9,
                "path": kinds["path"][2],
                "datagrams": kinds["datagrams"][2],
                "abstract": kinds["abstract"][2][1:],
                "runner": os.getpid(),
                "dataset": str(DATASET),
                "secret": str(secret),
                "elsewhere": str(elsewhere),
            }
            found = asyncio.run(asyncio.wait_for(play(deed, worker_spec, aim, 9), 60))
            return *found, aim
        finally:
            for each in made.values():
                each.close()

    do.secret = secret
    return do


@needs_all
@pytest.mark.parametrize("deed", ESCAPES)
def test_no_way_out_works(attempt, deed):
    answer, _, enforced, _ = attempt(deed)
    assert set(enforced) == set(ASPECTS)
    assert answer.startswith("failed: ")
    assert attempt.secret.read_text() == "the run store, a key, a home folder"
    assert [path.name for path in attempt.secret.parent.iterdir()] == ["secret"]


@pytest.mark.parametrize("deed", ["own-folder", "own-proc", "own-limits"])
def test_a_worker_has_its_own(attempt, deed):
    assert attempt(deed)[0].startswith("worked: ")


def test_nothing_that_a_worker_starts_outlives_it(attempt):
    answer, *_ = attempt("daemon")
    assert answer.startswith("worked: ")
    # No waiting: it is gone as soon as the worker is.
    assert not is_running(int(answer.removeprefix("worked: ")))


def test_the_guard_names_an_address_behind_a_lying_port(attempt):
    _, refused, _, aim = attempt("lying-port")
    assert refused == {f"127.0.0.1:{aim['port']}": 1}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_daemon_and_the_folder_are_gone_after_the_runner_is_killed(escaping, wire, number):
    script = textwrap.dedent(
        f"""
        import asyncio
        from pathlib import Path
        from ossia.worker import WorkerProcess, WorkerSpec

        async def main():
            spec = WorkerSpec(
                Path({str(escaping.python)!r}), {escaping.entry!r}, {dict(escaping.switches)!r}
            )
            worker = await WorkerProcess.start(spec, allow=[], concurrency=1)
            said = await worker.run({wire('{"deed": "daemon"}')!r})
            print(worker.home, said.answer.removeprefix("worked: "), flush=True)
            await asyncio.sleep(300)

        asyncio.run(main())
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as runner:
        home, daemon = runner.stdout.readline().split()
        assert is_running(int(daemon))
        assert Path(home).is_dir()
        os.kill(runner.pid, number)
    assert gone(int(daemon))
    for _ in range(200):
        if not Path(home).exists():
            break
        time.sleep(0.05)
    assert not Path(home).exists()


def degraded(escaping, tmp_path, version, filtered):
    """A worker on a system with another Landlock: the probe is given, the rest is real."""
    # In a folder of its own: a script's folder is on its path of modules, which may be read.
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "from functools import partial\n"
        "from ossia_adapter.confinement import confine\n"
        "from ossia_adapter.worker import main\n"
        f"probe = partial(confine, probe=lambda: {version}, filtered=lambda: {filtered})\n"
        "main(sys.argv[4:], probe)\n"
    )
    python.chmod(0o755)
    return replace(escaping, python=python)


@needs_all
@pytest.mark.parametrize(
    ("version", "enforced", "text"),
    [
        (0, {"processes"}, "partly confined (processes only)"),
        (2, {"processes"}, "partly confined (processes only)"),
        (3, {"files", "processes"}, "partly confined (files, processes only)"),
        (4, {"files", "tcp", "processes"}, "partly confined (files, tcp, processes only)"),
        (6, {"files", "tcp", "signals", "processes"}, None),
    ],
)
def test_a_worker_says_what_the_system_cannot_hold_it_to(
    attempt, escaping, tmp_path, version, enforced, text
):
    spec = degraded(escaping, tmp_path, version, filtered=False)
    answer, _, found, _ = attempt("read-secret", spec)
    assert set(found) == enforced
    assert answer.startswith("failed: " if version else "worked: ")
    assert text is None or confinement_text(found) == text


def test_only_all_of_it_counts_as_confined():
    assert confinement_text(ASPECTS) == "confined"
    assert confinement_text([]) == "not confined"


def test_the_task_sets_are_hidden_wherever_they_lie():
    assert any(DATASET.is_relative_to(folder) for folder in hidden_folders())
