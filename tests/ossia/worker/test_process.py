"""The handle of a worker against real worker processes that misbehave."""

import asyncio
import contextlib
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from ossia.worker import (
    WorkerDied,
    WorkerProcess,
    WorkerProtocolError,
    WorkerRequestError,
    WorkerSpec,
    WorkerStartError,
)


def play(spec, scenario, *, allow=(), concurrency=4):
    """Run an asynchronous scenario on one worker and check that nothing is left of it."""

    async def main():
        worker = await WorkerProcess.start(spec, allow=allow, concurrency=concurrency)
        home = Path(f"/proc/{worker.pid}/cwd").resolve()
        try:
            return await scenario(worker)
        finally:
            await worker.kill()
            assert not home.exists()
            assert not is_running(worker.pid)

    async def bounded():
        return await asyncio.wait_for(main(), 60)

    return asyncio.run(bounded())


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until_gone(pid: int, seconds: float = 5.0) -> bool:
    for _ in range(int(seconds / 0.05)):
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False


def test_a_worker_says_what_it_is(spec):
    async def scenario(worker):
        return worker.info

    info = play(spec(), scenario)
    assert (info.protocol, info.adapter, info.framework) == (3, "plain", "requests")
    assert info.packages["requests"] == info.version
    assert info.python.startswith("3.")


@pytest.mark.parametrize("attribute", ["PLAIN", "Plain", "Tasks", "make"])
def test_concurrent_episodes_get_their_own_answers(spec, wire, attribute):
    async def scenario(worker):
        names = [f"e{number}" for number in range(12)]
        return await asyncio.gather(*(worker.run(wire(f"say {name}", name)) for name in names))

    results = play(spec(attribute), scenario)
    assert [result.answer for result in results] == [f"e{n}: say e{n}" for n in range(12)]
    assert all(result.error is None and result.cpu_s >= 0 for result in results)


def test_reported_counts_arrive(spec, wire):
    async def scenario(worker):
        return await worker.run(wire("reported"))

    reported = play(spec(), scenario).reported
    assert (reported.calls, reported.prompt_tokens, reported.completion_tokens) == (2, None, 5)


@pytest.mark.parametrize(
    ("deed", "kind", "message"),
    [
        ("raise", "LookupError", "no ? such thing"),
        ("exit", "SystemExit", "3"),
        ("nothing", "TypeError", "the adapter must return an Answer with a text, not None"),
    ],
)
def test_what_a_framework_raises_is_the_results_error(spec, wire, deed, kind, message):
    async def scenario(worker):
        failed = await worker.run(wire(deed))
        return failed, await worker.run(wire("hello", "e2"))

    failed, after = play(spec(), scenario)
    assert (failed.answer, failed.error.type, failed.error.message) == ("", kind, message)
    assert "Traceback" in failed.error.traceback
    assert after.answer == "e2: hello"


def test_a_crash_fails_every_pending_run(spec, wire):
    async def scenario(worker):
        pending = asyncio.create_task(worker.run(wire("hang", "e1")))
        await asyncio.sleep(0.1)
        crashing = asyncio.create_task(worker.run(wire("crash", "e2")))
        for run in (pending, crashing):
            with pytest.raises(WorkerDied) as died:
                await run
            assert died.value.returncode == 7
            assert "last words" in died.value.stderr_tail
        assert not worker.alive
        with pytest.raises(WorkerDied):
            await worker.run(wire("hello", "e3"))

    play(spec(), scenario)


def test_a_hung_worker_is_killed_with_its_children(spec, wire):
    async def scenario(worker):
        child = int((await worker.run(wire("child"))).answer)
        assert is_running(child)
        hanging = asyncio.create_task(worker.run(wire("hang", "e2")))
        await asyncio.sleep(0.1)
        await worker.kill()
        with pytest.raises(WorkerDied) as died:
            await hanging
        assert died.value.returncode == -signal.SIGKILL
        return child

    assert wait_until_gone(play(spec(), scenario))


def test_a_child_that_left_the_group_does_not_hold_up_the_end(spec, wire):
    async def scenario(worker):
        with pytest.raises(WorkerDied) as died:
            await worker.run(wire("escaped-child"))
        return died.value

    assert play(spec(), scenario).returncode == 5


def test_output_of_any_size_harms_nothing(spec, wire):
    async def scenario(worker):
        printed = await worker.run(wire("flood-stdout"))
        logged = await worker.run(wire("flood-stderr", "e2"))
        return printed.answer, logged.answer, worker.stderr_tail

    printed, logged, tail = play(spec(), scenario)
    assert (printed, logged) == ("printed", "logged")
    assert tail.startswith("[...]")
    assert len(tail) <= 64 * 1024 + 5


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("garbage", "malformed"),
        ("oversize", "longer than"),
        ("unasked", "answers no request"),
        ("flood-protocol", "notifications"),
        ("close-pipe", "its pipe closed"),
    ],
)
def test_a_worker_that_breaks_the_protocol_is_killed(spec, wire, deed, reason):
    async def scenario(worker):
        with pytest.raises(WorkerProtocolError) as broken:
            await worker.run(wire(deed))
        assert reason in broken.value.reason
        assert reason in str(broken.value)

    play(spec(), scenario)


@pytest.mark.parametrize(
    ("attribute", "deed"), [("PLAIN", "hang"), ("Tasks", "sleep"), ("Tasks", "stubborn")]
)
def test_a_cancelled_run_is_answered_at_once(spec, wire, attribute, deed):
    async def scenario(worker):
        run = asyncio.create_task(worker.run(wire(deed)))
        await asyncio.sleep(0.2)
        assert await worker.cancel("e1")
        result = await run
        assert not await worker.cancel("e1")
        again = await worker.run(wire("hello"))
        return result, again

    result, again = play(spec(attribute), scenario, concurrency=1)
    assert (result.error.type, result.answer) == ("Cancelled", "")
    assert again.answer == "e1: hello"


def test_a_blocked_event_loop_does_not_hold_up_a_cancellation(spec, wire):
    async def scenario(worker):
        blocked = asyncio.create_task(worker.run(wire("block", "e1")))
        waiting = asyncio.create_task(worker.run(wire("hello", "e2")))
        await asyncio.sleep(0.2)
        assert await worker.cancel("e2")
        assert await worker.cancel("e1")
        return await blocked, await waiting

    results = play(spec("Tasks"), scenario, concurrency=1)
    assert [result.error.type for result in results] == ["Cancelled", "Cancelled"]


def test_a_worker_whose_event_loop_stays_blocked_ends_itself(spec, wire):
    async def scenario(worker):
        blocked = asyncio.create_task(worker.run(wire("block", "e1")))
        waiting = asyncio.create_task(worker.run(wire("hello", "e2")))
        await asyncio.sleep(0.2)
        assert await worker.cancel("e1")
        assert (await blocked).error.type == "Cancelled"
        with pytest.raises(WorkerDied) as died:
            await waiting
        assert died.value.returncode == 71
        assert "rough_adapters.py" in died.value.stderr_tail

    play(spec("Tasks"), scenario)


def test_cancelling_the_awaiting_task_cancels_the_episode(spec, wire):
    async def scenario(worker):
        run = asyncio.create_task(worker.run(wire("sleep")))
        await asyncio.sleep(0.2)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        # The only place is free again.
        return await worker.run(wire("hello", "e2"))

    assert play(spec("Tasks"), scenario, concurrency=1).answer == "e2: hello"


def test_the_environment_is_an_explicit_list(spec, wire, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")

    async def scenario(worker):
        return json.loads((await worker.run(wire("environment"))).answer)

    found = play(spec(), scenario)
    assert found.pop("cwd") == found["HOME"] == found["TMPDIR"]
    assert found["A_SWITCH"] == "off"
    known = {"PATH", "HOME", "TMPDIR", "LANG", "TZ", "A_SWITCH", "PYTHONPATH"}
    assert set(found) - known <= {
        "PYTHONHASHSEED",
        "PYTHONNOUSERSITE",
        "PYTHONUTF8",
        "PYTHONUNBUFFERED",
    }


@contextlib.contextmanager
def web_server():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"reached")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def test_only_the_allowed_addresses_are_reached(spec, wire, tmp_path):
    unix_path = str(tmp_path / "socket")

    async def scenario(worker, address, other):
        asked = {
            "allowed": f"connect http://{address}/",
            "other port": f"connect http://{other}/",
            "name": "connect http://ossia.invalid/",
            "unix": f"unix {unix_path}",
            "udp": f"udp {other.rpartition(':')[2]}",
        }
        answers = {key: (await worker.run(wire(deed))).answer for key, deed in asked.items()}
        return answers, worker.refused

    with web_server() as address, web_server() as other, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(unix_path)
        listener.listen()
        answers, refused = play(
            spec(), lambda worker: scenario(worker, address, other), allow=[address]
        )
    assert answers["allowed"] == "reached"
    assert {answer[:7] for key, answer in answers.items() if key != "allowed"} == {"refused"}
    # Sockets that the system does not make have no address to be named by.
    assert refused == {other: 1, "ossia.invalid:80": 1, "udp socket": 1}


def test_a_refused_request_leaves_the_worker_usable(spec, wire):
    async def scenario(worker):
        first = asyncio.create_task(worker.run(wire("hang")))
        await asyncio.sleep(0.1)
        with pytest.raises(WorkerRequestError, match="in hand already"):
            await worker.run(wire("hello"))
        with pytest.raises(WorkerRequestError, match="unknown keys: gold"):
            await worker.run({**wire("hello", "e2"), "gold": 1})
        assert await worker.cancel("e1")
        await first
        return await worker.run(wire("hello", "e3"))

    assert play(spec(), scenario).answer == "e3: hello"


def test_shutdown_ends_the_process_by_itself(spec, wire):
    async def scenario(worker):
        hanging = asyncio.create_task(worker.run(wire("hang")))
        await asyncio.sleep(0.1)
        await worker.shutdown()
        with pytest.raises(WorkerDied) as died:
            await hanging
        assert died.value.returncode == 0
        await worker.shutdown()

    play(spec(), scenario)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entry": "rough_adapters:MISSING"}, "AttributeError"),
        ({"entry": "no_such_module:X"}, "ModuleNotFoundError"),
        ({"entry": "rough_adapters:DEEDS"}, "no method run"),
        ({"entry": "nonsense"}, "not module:ATTRIBUTE"),
        ({"python": Path("/nonexistent/python")}, "cannot be started"),
        ({"switches": {}}, "did not start"),
    ],
)
def test_a_worker_that_cannot_start_says_why(spec, change, message):
    base = spec()
    fields = {"python": base.python, "entry": base.entry, "switches": base.switches}

    async def main():
        await WorkerProcess.start(WorkerSpec(**fields | change), allow=[], concurrency=1)

    with pytest.raises(WorkerStartError, match=message):
        asyncio.run(main())


def test_a_worker_that_starts_too_slowly_is_killed(spec):
    async def main():
        await WorkerProcess.start(spec(), allow=[], concurrency=1, start_seconds=0.01)

    with pytest.raises(WorkerStartError, match="not ready after"):
        asyncio.run(main())


def test_no_worker_outlives_a_killed_runner(spec):
    base = spec()
    script = textwrap.dedent(
        f"""
        import asyncio
        from pathlib import Path
        from ossia.worker import WorkerProcess, WorkerSpec

        async def main():
            spec = WorkerSpec(Path({str(base.python)!r}), {base.entry!r}, {dict(base.switches)!r})
            worker = await WorkerProcess.start(spec, allow=[], concurrency=1)
            print(worker.pid, flush=True)
            await asyncio.sleep(300)

        asyncio.run(main())
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as runner:
        pid = int(runner.stdout.readline())
        assert is_running(pid)
        os.kill(runner.pid, signal.SIGKILL)
    assert wait_until_gone(pid)
