import json
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_adapter.guard import parse_address
from ossia_adapter.protocol import ProtocolError, Writer, parse, read_lines


def through_a_pipe(data: bytes, limit: int) -> list:
    read, write = os.pipe()

    def feed():
        os.write(write, data)
        os.close(write)

    thread = threading.Thread(target=feed)
    thread.start()
    try:
        return list(read_lines(read, limit))
    finally:
        thread.join()
        os.close(read)


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line), max_size=20))
def test_lines_come_out_as_they_went_in(lines):
    found = through_a_pipe(b"".join(line + b"\n" for line in lines), limit=20)
    assert found == [line if len(line) <= 20 else None for line in lines]


def test_a_long_line_is_skipped_over_many_chunks_and_an_unfinished_one_dropped():
    data = b"a\n" + b"x" * 60_000 + b"\nb\nrest"
    assert through_a_pipe(data, limit=1000) == [b"a", None, b"b"]


@given(st.binary() | st.text().map(str.encode))
def test_no_line_raises_anything_but_a_protocol_error(line):
    with pytest.raises(ProtocolError):
        parse(line)


def test_a_request_is_parsed():
    request = parse(b'{"jsonrpc": "2.0", "id": 0, "method": "run", "params": {"a": 1}}')
    assert (request.id, request.method, dict(request.params)) == (0, "run", {"a": 1})


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (None, -32600, None),
        (b"{", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc": "2.0", "method": "run"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "run"}', -32600, None),
        (b'{"jsonrpc": "1.0", "id": 4, "method": "run"}', -32600, 4),
        (b'{"jsonrpc": "2.0", "id": "x", "method": "run", "params": []}', -32600, "x"),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "run", "more": 1}', -32600, 4),
    ],
)
def test_a_bad_request_is_named(line, code, request_id):
    with pytest.raises(ProtocolError) as found:
        parse(line)
    assert (found.value.code, found.value.request_id) == (code, request_id)


def test_messages_of_many_threads_stay_whole():
    read, write = os.pipe()
    writer = Writer(write)
    text = "ü\ud800\n" * 20_000
    threads = [
        threading.Thread(target=writer.result, args=(number, {"text": text})) for number in range(8)
    ]
    for thread in threads:
        thread.start()
    lines = read_lines(read)
    messages = [json.loads(next(lines)) for _ in threads]
    assert sorted(message["id"] for message in messages) == list(range(8))
    assert all(message["result"]["text"] == text for message in messages)


@given(st.integers(1, 65_535))
def test_an_address_is_split(port):
    assert parse_address(f"LocalHost:{port}") == ("localhost", port)
    assert parse_address(f"[::1]:{port}") == ("::1", port)


@pytest.mark.parametrize("text", ["", "host", "host:", ":1", "host:0", "host:65536", "host:x"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ValueError, match="is not host:port"):
        parse_address(text)
