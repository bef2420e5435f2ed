"""Model calls are grouped into steps by one rule, whether read from a trace or as they come."""

import pytest

from ossia_evaluation.attribution import Received, Turns
from ossia_evaluation.steps import read_steps
from ossia_servers.assistant.members import MEMBERS
from tests.evaluation.support import WAKE, Play

CALLED = ("get_date", {})


def in_line(play):
    return (
        play.call("time", None, tool=CALLED).call("time", "07:30", after_tool=True).manager("url")
    )


def side_by_side(play):
    play.call("time", None, tool=CALLED).call("location", None, tool=CALLED)
    return play.call("time", "07:30", after_tool=True).call("location", "here", after_tool=True)


def called_again(play):
    return play.call("time", "07:30").call("url", "/alarm").call("time", "08:00").manager("time")


@pytest.mark.parametrize(
    ("moves", "steps"),
    [
        (in_line, [("manager", 1), ("time", 2), ("manager", 1)]),
        (side_by_side, [("manager", 1), ("time", 2), ("location", 2)]),
        (called_again, [("manager", 1), ("time", 1), ("url", 1), ("time", 1), ("manager", 1)]),
    ],
)
def test_a_trace_and_its_calls_have_the_same_steps(moves, steps):
    trace = moves(Play(WAKE).manager("intent")).trace()
    assert [(s.role, len(s.exchanges)) for s in read_steps(trace)] == steps
    turns, placed = Turns(MEMBERS), {}
    for exchange in trace.gateway.exchanges:
        turn = Received.of(exchange.role, exchange.request, turns).turn
        placed.setdefault(turn.index, []).append((exchange.seq, turn.call))
    assert [[seq for seq, _ in calls] for calls in placed.values()] == [
        [exchange.seq for exchange in step.exchanges] for step in read_steps(trace)
    ]
    assert all(call == n for calls in placed.values() for n, (_, call) in enumerate(calls))
