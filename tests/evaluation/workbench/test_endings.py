"""What ended a run is read from its records, alike for every framework."""

import pytest

from ossia_evaluation.workbench.categories import Category
from ossia_evaluation.workbench.endings import cut_short
from ossia_servers.gateway.records import Exchange, GatewayRecord, Timing
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace

TURNS = 3


def exchange(number, role, error=None):
    message = {"role": "user", "content": "go"}
    return Exchange(
        seq=number,
        role=role,
        model="m",
        request={"model": f"ossia-{role}", "messages": [message]},
        forced={},
        response=None if error else {"role": "assistant", "content": "email"},
        finish_reason="stop",
        usage=None,
        price_usd=None,
        status="bad_request" if error else "ok",
        error=error,
        attempts=1,
        streamed=False,
        timing=Timing(started_s=0.0, latency_s=0.0),
    )


def run(*members, kind="answered", detail="", spent=None, error=None):
    roles = [role for member in members for role in ("manager", member)]
    exchanges = [exchange(number, role) for number, role in enumerate(roles)]
    exchanges += [exchange(len(roles), "email", error)] if error else []
    return Trace(
        episode=EpisodeKey(id="e", task="t", framework="f", model="m", repeat=1),
        ending=Ending(kind=kind, detail=detail),
        answer="",
        gateway=GatewayRecord(episode="e", exchanges=tuple(exchanges), budget_spent=spent),
        timing=EpisodeTiming(wall_s=0.0, cpu_s=0.0),
    )


RAISED = {"kind": "framework_error", "detail": "GraphRecursionError: Recursion limit of 7 reached"}
TOO_LONG = "maximum context length is 4097 tokens"


@pytest.mark.parametrize(
    ("trace", "category"),
    [
        (run("email", "calendar", "email"), Category.LIMIT),
        (run("email", "calendar", "email", **RAISED), Category.LIMIT),
        (run("email", "calendar", "response"), None),
        (run("email", "calendar", "response", **RAISED), Category.LIMIT),
        (run("email", "calendar"), None),
        (run(), None),
        (run("email", kind="timeout"), Category.LIMIT),
        (run("email", spent="tokens"), Category.LIMIT),
        (run("email", kind="framework_error", detail="TypeError: None"), Category.FRAMEWORK),
        (run("email", kind="framework_error", detail=TOO_LONG), Category.CONTEXT),
        (run("email", error=TOO_LONG), Category.CONTEXT),
        (run("email", error="no such tool"), None),
    ],
)
def test_endings(trace, category):
    assert cut_short(trace, TURNS) is category
