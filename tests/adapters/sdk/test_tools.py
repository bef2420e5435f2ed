"""The tools against a real server."""

import http.server
import inspect
import json
import socket
import threading
import time
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_adapter import Episode, Limits, Role, Team
from ossia_adapter.tools import MAX_BODY_BYTES, WORLD_HEADER, UnknownToolError, bind


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: typing.ClassVar[list] = []

    def _answer(self):
        path = self.path.partition("?")[0]
        status, body = 200, json.dumps({"code": "SUCCESS", "path": self.path}).encode()
        if path == "/clock":
            body = b'{"now": "2026-03-13T10:00", "date": "2026-03-13", "weekday": "Friday", '
            body += b'"time": "10:00", "home": "New York, New York"}'
        elif path == "/missing":
            status, body = 404, b'{"code": "NOT_FOUND", "msg": "no such thing", "data": null}'
        elif path == "/text":
            body = "plain é".encode()
        elif path == "/huge":
            body = b"x" * (MAX_BODY_BYTES + 1)
        elif path == "/away":
            status, body = 302, b"{}"
        self.seen.append((self.command, self.path, self.headers.get(WORLD_HEADER)))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "a=b")
        if status == 302:
            self.send_header("Location", "http://ossia.invalid/")
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _answer

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def servers_url():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def tools(servers_url):
    Handler.seen.clear()
    return dict(
        zip(
            ("get_date", "http_request"),
            bind(("get_date", "http_request"), servers_url=servers_url, world="w1"),
            strict=True,
        )
    )


def test_the_functions_carry_what_a_schema_is_made_of(tools):
    for name, tool in tools.items():
        assert tool.__name__ == name
        assert tool.__doc__
        assert typing.get_type_hints(tool)["return"] is str
        assert not inspect.ismethod(tool)
    assert tools["http_request"].__annotations__ == {"method": str, "url": str, "return": str}


def test_the_date_is_the_worlds(tools):
    expected = {"date": "2026-03-13", "weekday": "Friday", "time": "10:00"}
    assert json.loads(tools["get_date"]()) == expected
    assert Handler.seen == [("GET", "/clock", "w1")]


@pytest.mark.parametrize("method", ["GET", "post", " get "])
def test_a_request_reaches_the_world(tools, servers_url, method):
    for url in ("/alarm?intent=alarm_set&time=06%3A30", f"{servers_url}/alarm?intent=x y"):
        answer = json.loads(tools["http_request"](method, url))
        assert answer["status"] == 200
    assert {(seen[0], seen[2]) for seen in Handler.seen} == {(method.strip().upper(), "w1")}
    assert Handler.seen[0][1] == "/alarm?intent=alarm_set&time=06%3A30"


@pytest.mark.parametrize(
    ("url", "status", "body"),
    [
        ("/missing", 404, {"code": "NOT_FOUND", "msg": "no such thing", "data": None}),
        ("/text", 200, "plain é"),
        ("/away", 302, {}),
    ],
)
def test_whatever_the_server_answers_is_returned(tools, url, status, body):
    assert json.loads(tools["http_request"]("GET", url)) == {"status": status, "body": body}


@pytest.mark.parametrize(
    ("method", "url"),
    [
        ("DELETE", "/alarm"),
        ("GET", "http://ossia.invalid/alarm"),
        ("GET", "//ossia.invalid/alarm"),
        ("GET", "alarm"),
        ("GET", ""),
        ("GET", "/\\ossia.invalid"),
        ("GET", "@ossia.invalid/"),
        ("GET", "/worlds/w2/diff"),
        ("POST", "/Worlds"),
        ("GET", "/%77orlds/w2"),
        ("GET", "/alarm/../worlds/w2"),
        ("GET", "/a\nb"),
        ("GET", "/huge"),
        (None, {"url": 1}),
    ],
)
def test_what_is_not_allowed_is_refused_in_words(tools, method, url):
    answer = json.loads(tools["http_request"](method, url))
    assert (answer["status"], answer["body"]["code"]) == (0, "REFUSED")
    assert {seen[1] for seen in Handler.seen} <= {"/huge"}


def test_the_port_must_match_exactly(tools, servers_url):
    answer = json.loads(tools["http_request"]("GET", servers_url + "0/alarm"))
    assert answer["body"]["code"] == "REFUSED"


def test_a_server_that_is_not_there_is_reported_in_words(monkeypatch):
    get_date, http_request = bind(
        ("get_date", "http_request"), servers_url="http://127.0.0.1:9", world="w"
    )
    for answer in (get_date(), http_request("GET", "/alarm")):
        found = json.loads(answer)
        assert (found["status"], found["body"]["code"]) == (0, "UNREACHABLE")


def test_a_tool_waits_no_longer_than_a_model_call_may_take():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        role = Role(name="member", description="", prompt="", tools=("http_request",))
        episode = Episode(
            id="e",
            utterance="",
            gateway_url="",
            api_key="",
            servers_url=f"http://127.0.0.1:{silent.getsockname()[1]}",
            world="w",
            limits=Limits(turns=1, tool_rounds=1, call_seconds=0.05),
            team=Team(name="t", goal="", manager="", final="member", roles=(role,)),
        )
        (tool,) = episode.tools(role)
        started = time.monotonic()
        assert json.loads(tool("GET", "/alarm"))["body"]["code"] == "TIMEOUT"
        assert time.monotonic() - started < 10


def test_a_proxy_of_the_environment_is_ignored(tools, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert json.loads(tools["http_request"]("GET", "/alarm"))["status"] == 200


def test_an_unknown_tool_is_refused():
    with pytest.raises(UnknownToolError, match="no tool 'rm'"):
        bind(("rm",), servers_url="http://127.0.0.1:9", world="w")


@given(method=st.text(), url=st.text())
def test_no_arguments_make_a_tool_raise(method, url):
    (tool,) = bind(("http_request",), servers_url="http://127.0.0.1:9", world="w")
    assert json.loads(tool(method, url))["status"] == 0
