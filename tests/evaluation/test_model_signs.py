"""What an answer looks like by itself: written by hand, and by none of the code that injects."""

import pytest

from ossia_evaluation.model_signs import model_signs, was_unanswered
from ossia_evaluation.sign_differences import kind_of_difference
from ossia_servers.gateway.records import Exchange, GatewayRecord, Timing
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.wire.conversation import read_conversation

FETCH = {
    "type": "object",
    "properties": {"method": {"type": "string"}, "url": {"type": "string"}},
    "required": ["method", "url"],
}
TOOL = {"type": "function", "function": {"name": "fetch", "parameters": FETCH}}
MEMBER = {
    "messages": [
        {"role": "system", "content": 'Answer as JSON: {"city": "...", "day": "..."}'},
        {"role": "user", "content": "Wie wird das Wetter in Köln?"},
    ],
    "tools": [TOOL],
}
MANAGER = {
    "messages": [{"role": "system", "content": "Who works next? Answer with one of url, time."}],
}
GET = '{"method": "GET", "url": "/a"}'


def called(*calls, content=None):
    made = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": given}}
        for number, (name, given) in enumerate(calls)
    ]
    return {"role": "assistant", "content": content, "tool_calls": made}


def said(text):
    return {"role": "assistant", "content": text}


def exchange(seq, role, response=None, *, finish="stop", error=None, seconds=0.01, request=None):
    asked = {"url": MEMBER, "manager": MANAGER}[role] if request is None else request
    return Exchange(
        seq=seq,
        role=role,
        model="m",
        request={"model": f"ossia-{role}", **asked},
        forced={},
        response=response,
        finish_reason=finish if response else None,
        usage=None,
        price_usd=None,
        status="ok" if response else "abandoned",
        error=error,
        attempts=1,
        streamed=False,
        timing=Timing(started_s=0, latency_s=seconds),
    )


def trace(*exchanges):
    return Trace(
        episode=EpisodeKey(id="e", task="t", framework="f", model="m", repeat=1),
        ending=Ending(kind="answered"),
        answer="",
        gateway=GatewayRecord(episode="e", exchanges=exchanges),
        timing=EpisodeTiming(wall_s=1, cpu_s=None),
    )


def kinds(*exchanges):
    return [sign.kind for sign in model_signs(trace(*exchanges))]


MESSAGES = {
    "": said('{"city": "Köln", "day": "2026-03-14"}'),
    "call": called(("fetch", GET)),
    "two calls": called(("fetch", GET), ("fetch", '{"method": "GET", "url": "/b"}')),
    "numbers in a table": said("| 1 | 2 |\n|---|---|\n| ± 3 % | → 4 |"),
    "another language": said("明日は晴れでしょう。"),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_usual_answer_shows_nothing(name):
    assert kinds(exchange(0, "manager", said("url")), exchange(1, "url", MESSAGES[name])) == []


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("empty", said(" \n")),
        ("empty", {"role": "assistant", "content": None}),
        # Read as Windows-1252 and as Latin-1.
        ("wrong-encoding", said('{"city": "KÃ¶ln â€“ Deutz", "day": "x"}')),
        ("wrong-encoding", called(("fetch", '{"method": "GET", "url": "/K\u00c3\u00b6ln"}'))),
        ("garbled", said('{"c☃ty": "K☃ln☃, "da☃": "☃☃26"}')),
        ("garbled-arguments", called(("fetch", '{"m☃th☃d": "G☃T", "url": "/☃"}'))),
        ("cut", said('{"city": "Köln", "da')),
        ("cut", said("<plan>\n<step>Ask for the wea")),
        # Cut in the middle of a character, which decoding replaces.
        ("cut", said("Das Wetter in K\ufffd")),
        ("other-json", said('{"result": {"items": []}, "cursor": null}')),
        ("fenced", said('Here you go:\n```json\n{"city": "Köln"}\n```\nAnything else?')),
        ("html-text", said("<!DOCTYPE html>\n<html><body>Bad gateway</body></html>")),
        ("error-text", said('{"error": {"message": "no healthy upstream", "code": 503}}')),
        ("error-text", said("Error: rate limit exceeded, retry later")),
        ("timeout-text", said("upstream request timed out")),
        ("too-long", said("so " * 5000)),
        ("unknown-tool", called(("fetch_all", GET))),
        ("broken-arguments", called(("fetch", '{"method": "G'))),
        ("no-arguments", called(("fetch", "{}"))),
        ("missing-argument", called(("fetch", '{"method": "GET"}'))),
        ("renamed-argument", called(("fetch", '{"method": "GET", "the_url": "/a"}'))),
        ("other-arguments", called(("fetch", '{"x": 1}'))),
        ("doubled-call", called(("fetch", GET), ("fetch", GET))),
        ("call-without-id", {**called(("fetch", GET)), "tool_calls": [{"function": {
            "name": "fetch", "arguments": GET}}]}),
    ],
)  # fmt: skip
def test_an_answer_shows_what_it_looks_like(kind, message):
    assert kinds(exchange(0, "url", message)) == [kind]


def test_why_an_answer_ended_is_a_sign():
    whole = MESSAGES[""]
    assert kinds(exchange(0, "url", whole, finish="length")) == ["truncated"]
    assert kinds(exchange(0, "url", whole, finish="content_filter")) == ["filtered"]


def test_what_a_tool_had_told_is_no_error_of_the_endpoint():
    asked = {
        "messages": [
            *MEMBER["messages"],
            {"role": "user", "content": 'The server answered {"status": 500}: HTTP 500'},
        ],
    }
    told = said("The service failed with HTTP 500.")
    assert kinds(exchange(0, "url", told, request=asked)) == []


def test_a_choice_of_nobody_is_told_from_one_that_was_cut():
    for word, found in (("auditor", ["unknown-role"]), ("u", ["cut"]), ("url", [])):
        alone = trace(exchange(0, "manager", said(word)))
        assert [sign.kind for sign in model_signs(alone, ("url", "time"))] == found


def test_repeated_requests_are_attempts_of_one_call():
    refused = [exchange(n, "url", error="HTTP 503") for n in range(3)]
    assert not any(was_unanswered(each) for each in (exchange(0, "url", MESSAGES[""]),))
    assert all(map(was_unanswered, refused))
    (sign,) = model_signs(trace(*refused))
    assert (sign.kind, sign.seq, sign.attempts, sign.answered) == ("unavailable", 0, 3, False)
    (sign,) = model_signs(trace(*refused[:2], exchange(2, "url", MESSAGES[""])))
    assert (sign.kind, sign.attempts, sign.answered) == ("unavailable", 3, True)
    # An answer to an attempt may be odd as well.
    both = trace(refused[0], exchange(1, "url", said("")))
    assert [sign.kind for sign in model_signs(both)] == ["unavailable", "empty"]
    late = exchange(0, "url", error="HTTP 503", seconds=3.0)
    assert kinds(late, exchange(1, "manager", said("url"))) == ["slow-unavailable"]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("HTTP 418", "server-error"),
        ("HTTP 401", "unauthorized"),
        ("the connection was reset", "reset"),
        ("the connection was reset in the answer", "reset-midway"),
        ("no answer until the client hung up", "hang"),
        ("The episode's budget of calls is spent.", None),
        ("The episode was closed during this call.", None),
    ],
)
def test_an_answer_that_never_came_is_told_from_an_end_of_the_episode(error, kind):
    assert kinds(exchange(0, "url", error=error)) == ([] if kind is None else [kind])


def test_a_tool_call_of_an_earlier_request_is_stale():
    first, other = called(("fetch", GET)), {**MEMBER, "messages": [*MEMBER["messages"], said("-")]}
    assert kinds(exchange(0, "url", first), exchange(1, "url", first)) == []
    assert kinds(exchange(0, "url", first), exchange(1, "url", first, request=other)) == ["stale"]


def url(query):
    return called(("fetch", f'{{"method": "GET", "url": "/a?{query}"}}'))


@pytest.mark.parametrize(
    ("kind", "message", "repaired"),
    [
        ("stripped-calls", said("I have asked."), url("day=1")),
        ("wrong-argument", url("day=2&hour=3"), url("day=1&hour=3")),
        ("ambiguous-argument", url("city=Salem"), url("city=Bonn")),
        ("missing-argument", called(("fetch", '{"method": "GET"}')), url("day=1")),
        ("", url("day=2&hour=4"), url("day=1&hour=3")),
        ("cut", said("It will be sunny, with"), said("It will be sunny, with 20 degrees.")),
        ("", said("It will rain."), said("It will be sunny.")),
        ("stale", said("before"), said("after")),
        ("broken-arguments", called(("today", "")), called(("today", "{}"))),
    ],
)
def test_a_difference_from_the_repair_has_a_kind(kind, message, repaired):
    asked = read_conversation({"model": "ossia-url", **MEMBER}, ("url",))
    assert kind_of_difference(message, repaired, [said("before")], asked) == kind
