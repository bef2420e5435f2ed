"""The two light HTTP ends of the benchmarks: what the stub and the load generator read."""

import asyncio
import http.client
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import load, stub
from benchmarks.answers import Answers, StubAnswers, request_mark, server_mark
from benchmarks.designs import flask_design, flask_python, ossia_design
from benchmarks.servers import request_mix
from benchmarks.stub import Asked, Stub
from ossia.adapters import ossia_home
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.gateway import completion_of

ROOT = Path(__file__).resolve().parents[2]
TOKEN = st.text("abcdefghijklmnopqrstuvwxyz0123456789~-", min_size=1, max_size=12)
REQUESTS = st.lists(st.tuples(TOKEN, TOKEN, st.binary(max_size=60)), min_size=1, max_size=4)
CHAT = {"model": "ossia-intent", "messages": [{"role": "user", "content": "wake me up"}]}


def pieces(data, cuts):
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


@given(REQUESTS, st.lists(st.integers(0, 10_000), max_size=8))
def test_requests_are_read_however_they_are_cut(wanted, cuts):
    data = b"".join(
        f"POST /{target} HTTP/1.1\r\nHost: h\r\nX-Ossia-World: {world}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
        for target, world, body in wanted
    )
    pending, found = b"", []
    for piece in pieces(data, cuts):
        asked, pending = stub.take(pending + piece)
        while asked is not None:
            found.append(asked)
            asked, pending = stub.take(pending)
    assert found == [Asked(f"/{target}", world, body) for target, world, body in wanted]
    assert pending == b""


@given(st.integers(100, 599), st.binary(max_size=80), st.sampled_from([b"1.0", b"1.1"]))
def test_a_response_is_read_when_it_is_there_in_full(status, body, version):
    head = b"HTTP/%s %d X\r\nServer: s\r\nContent-Length: %d\r\n\r\n" % (version, status, len(body))
    whole = head + body
    assert all(load.take(whole[:end]) is None for end in range(len(whole)))
    assert load.take(whole) == load.Answered(status, body, version == b"1.0")


def test_a_response_without_its_length_is_refused():
    with pytest.raises(ValueError, match="length"):
        load.take(b"HTTP/1.1 200 OK\r\nX-Content-Length: 3\r\n\r\nabc")


def recorded():
    answers = Answers()
    answers.completions[request_mark(CHAT)] = completion_of({"content": "hello"})
    answers.names[request_mark(CHAT)] = CHAT["model"]
    answers.servers[server_mark("task-1", "/alarm", {"intent": "alarm_query", "date": ""})] = (
        200,
        b'{"code": "SUCCESS"}',
    )
    return answers


def test_the_stub_answers_as_a_process(tmp_path):
    recorded().write(tmp_path / "answers.json")
    command = [sys.executable, "-m", "benchmarks.stub", str(tmp_path / "answers.json")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip().removeprefix("http://")
        connection = http.client.HTTPConnection(address, timeout=10)

        def ask(method, path, body=None, world=""):
            connection.request(method, path, body, {"X-Ossia-World": world})
            response = connection.getresponse()
            return response.status, orjson.loads(response.read())

        status, body = ask("POST", "/v1/chat/completions", orjson.dumps({**CHAT, "top_p": 1}))
        assert (status, body["choices"][0]["message"]["content"]) == (200, "hello")
        # The order of the parameters does not matter, and an empty one is one all the same.
        assert ask("GET", "/alarm?date=&intent=alarm_query", world="task-1~7")[0] == 200
        assert ask("POST", "/alarm?date=", b'{"intent": "alarm_query"}', "task-1~8")[0] == 200
        assert ask("GET", "/alarm?intent=alarm_query", world="task-1~7")[0] == 404
        assert ask("GET", "/alarm?date=&intent=alarm_query", world="task-2~7")[0] == 404
        connection.close()
        process.communicate()
    assert process.returncode == 0


def test_what_was_not_recorded_is_not_found():
    assert (
        Stub(StubAnswers(model={}, servers={}))
        .answer(Asked("/v1/chat/completions", "", orjson.dumps(CHAT)))
        .startswith(b"HTTP/1.1 404")
    )


def test_the_mix_reads_and_writes_over_several_domains():
    mix = request_mix()
    assert {method for method, _ in mix} == {"GET", "POST"}
    assert len({request.domain for _, request in mix}) > 3


def test_the_real_servers_answer_the_whole_mix(tmp_path):
    mix = request_mix(20)
    with ossia_design(load_domains(), tmp_path) as design:
        count, cpu = design.fire(mix, 4, most=60, seconds=30.0)
    # Each client may have had one request under way when the last was counted.
    assert 60 <= count.good == count.requests < 64
    assert 0 < count.p50_ms <= count.p99_ms
    assert cpu > 0


def test_the_flask_processes_answer_the_whole_mix():
    try:
        python = flask_python(ossia_home({"OSSIA_HOME": str(ROOT / ".ossia")}))
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the environment with Flask cannot be made: {error}")
    mix = [shot for shot in request_mix() if shot[1].domain in ("alarm", "calendar")]
    domains = [domain for domain in load_domains() if domain.name in ("alarm", "calendar")]
    with (
        tempfile.TemporaryDirectory() as folder,
        flask_design(python, domains, Path(folder)) as design,
    ):
        assert len(design.pids) == 2
        count, _ = design.fire(mix, 2, most=20, seconds=30.0)
        connection = http.client.HTTPConnection("127.0.0.1", design.ports["alarm"], timeout=10)
        connection.request("GET", "/alarm?intent=alarm_query&date=someday")
        refused = connection.getresponse().status
    assert 20 <= count.good == count.requests < 22
    assert refused == 400


def test_the_load_generator_fails_when_nobody_listens():
    shot = load.Shot(port=9, method="GET", target="/alarm")
    order = load.Order(shots=(shot,), concurrency=1, most=1, seconds=1.0)
    with pytest.raises(ExceptionGroup) as failure:
        asyncio.run(load.fire(order))
    assert failure.group_contains(OSError)
