"""The type of a service's fault is told from what tools were told and what servers recorded."""

import json

import pytest

from ossia_evaluation.service_signs import service_signs
from ossia_servers.gateway.records import Exchange, GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.worlds.diff import RowChange
from ossia_servers.worlds.records import ServerRequest

LIST = [{"name": "A lamp", "price": 12}, {"name": "A rug", "price": 30}]


def record(words, result=None, *, wrote=False, name="a"):
    changes = (RowChange(kind="added", table="t", id="t-1", after={"n": 1}),) if wrote else ()
    return ServerRequest(
        method="GET",
        domain="d",
        params={"intent": name},
        status=200,
        code="SUCCESS",
        response=words,
        result=result,
        changes=changes,
    )


READ, OTHER = record("Two things.", LIST), record("One thing.", LIST[:1], name="b")
DONE = record("Done.", "t-1", wrote=True)
AGAIN = record("Done.", "t-2", wrote=True)


def right(record):
    return ok({"response": record.response, "query": {}, "result": record.result})


def ok(data):
    return 200, {"code": "SUCCESS", "msg": "ok", "data": data}


def gone(code):
    return 0, {"code": code, "msg": "-", "data": None}


def trace(told, records):
    """An episode whose one member asked a server again and again."""
    messages = [{"role": "system", "content": "-"}, {"role": "user", "content": "-"}]
    for number, (status, body) in enumerate(told):
        call = {"name": "http_request", "arguments": "{}"}
        calls = [{"id": f"c{number}", "type": "function", "function": call}]
        text = json.dumps({"status": status, "body": body})
        messages += [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"c{number}", "content": text},
        ]
    asked = Exchange.model_construct(seq=0, role="request", request={"messages": messages})
    return Trace.model_construct(
        episode=EpisodeKey(id="e", task="t", framework="f", model="m", repeat=1),
        ending=Ending(kind="answered"),
        gateway=GatewayRecord.model_construct(episode="e", exchanges=(asked,)),
        requests=tuple(records),
        timing=EpisodeTiming(wall_s=0.0, cpu_s=0.0),
    )


@pytest.mark.parametrize(
    ("told", "records", "kinds"),
    [
        ([], [], []),
        ([right(READ), right(DONE), right(AGAIN)], [READ, DONE, AGAIN], []),
        ([(404, {"code": "C", "msg": "No.", "data": None})], [], []),
        ([gone("REFUSED"), right(READ)], [READ], []),
        ([gone("UNREACHABLE"), right(READ)], [READ], ["service-unreachable"]),
        ([gone("UNREACHABLE"), right(DONE)], [DONE], ["service-unreachable"]),
        ([gone("TIMEOUT")], [], ["service-hang"]),
        (
            [(429, {}), (500, {}), (503, {})],
            [],
            ["service-rate-limited", "service-error", "service-unavailable"],
        ),
        ([(502, "<html>")], [], ["service-html"]),
        ([(200, "")], [READ], ["service-empty"]),
        ([(200, '{"code": "SUC')], [READ], ["service-truncated"]),
        ([ok({"answer": "Two things.", "result": LIST})], [READ], ["renamed-field"]),
        ([ok({"response": "Done.", "out": None})], [record("Done.")], ["renamed-field"]),
        ([ok({"response": "Two things.", "result": LIST[:1]})], [READ], ["partial-list"]),
        ([ok({"response": "Three things.", "result": LIST})], [READ], ["wrong-value"]),
        (
            [ok({"response": f"Two things. {'x' * 99}", "result": LIST})],
            [READ],
            ["hidden-instruction"],
        ),
        ([right(READ), right(READ)], [READ, OTHER], ["stale-value"]),
        ([gone("UNREACHABLE")], [DONE], ["lost-answer"]),
        ([gone("UNREACHABLE"), right(AGAIN)], [DONE, AGAIN], ["lost-answer"]),
        ([right(DONE), right(READ)], [DONE, AGAIN, READ], ["delivered-twice"]),
        ([right(READ), right(READ)], [READ, READ], []),
    ],
)
def test_a_fault_is_named_by_its_signs(told, records, kinds):
    assert [sign.kind for sign in service_signs(trace(told, records))] == kinds
