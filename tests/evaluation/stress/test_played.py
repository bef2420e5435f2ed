"""What stress reads of an episode."""

import pytest

from ossia_evaluation.grade import Verdict
from ossia_evaluation.stress import Outcome, played
from ossia_evaluation.stress.played import acted_twice, outcome
from ossia_servers.gateway import Exchange, GatewayRecord, Timing
from ossia_servers.stress.injected import Injected
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.worlds.diff import Diff, RowChange
from ossia_servers.worlds.records import ServerRequest

from .stressed import row

FAILED = row("t", "a", "empty", Verdict.FAILURE)
MADE = RowChange(kind="added", table="alarms", id="7", after={"id": "7", "time": "08:00"})


def asked(seq, role, text):
    return Exchange(
        seq=seq,
        role=role,
        model="offline",
        request={"messages": [{"role": "user", "content": text}]},
        forced={},
        response=None,
        finish_reason=None,
        usage=None,
        price_usd=None,
        status="ok",
        error=None,
        attempts=1,
        streamed=False,
        timing=Timing(started_s=0, latency_s=0),
    )


def trace(answer="It is done.", kind="answered", *, changes=(), requests=(), spent=None, calls=()):
    hit = {"fault": "empty", "kind": "empty", "where": "model", "would": "x", "came": ""}
    return Trace(
        episode=EpisodeKey(id="e", task="t", framework="a", model="m", repeat=1, fault="empty"),
        ending=Ending(kind=kind),
        answer=answer,
        gateway=GatewayRecord(episode="e", exchanges=calls, budget_spent=spent),
        requests=requests,
        diff=Diff(changes=changes),
        injected=(Injected(seq=0, **hit),),
        timing=EpisodeTiming(wall_s=1, cpu_s=None),
    )


@pytest.mark.parametrize(
    ("found", "ended"),
    [
        (trace(), Outcome.SILENT),
        (trace("I am sorry, that did not work."), Outcome.LOUD),
        (trace(" \n"), Outcome.LOUD),
        (trace("It is done.", "framework_error"), Outcome.LOUD),
        (trace("", "worker_died"), Outcome.LOUD),
        (trace("", "timeout"), Outcome.RUNAWAY),
        (trace("", "framework_error", spent="calls"), Outcome.RUNAWAY),
        (trace("I am sorry, that failed.", changes=(MADE,)), Outcome.DAMAGE),
    ],
)
def test_how_an_episode_ends(found, ended):
    assert outcome(played(FAILED, found), played(row("t", "a"), trace())) is ended


def test_a_row_with_another_number_is_the_same_and_a_second_one_is_damage():
    usual = played(row("t", "a"), trace(changes=(MADE,)))
    after = {"id": "8", "time": "08:00"}
    other = MADE.model_copy(update={"id": "8", "after": after})
    assert outcome(played(FAILED, trace(changes=(other,))), usual) is Outcome.SILENT
    assert outcome(played(FAILED, trace(changes=(MADE, other))), usual) is Outcome.DAMAGE


def test_who_changes_something_by_one_request_twice_acts_twice():
    told = {"method": "GET", "domain": "alarm", "status": 200, "code": "SUCCESS", "response": ""}
    made = ServerRequest(params={"intent": "alarm_set"}, changes=(MADE,), **told)
    look = ServerRequest(params={"intent": "alarm_query"}, **told)
    usual = played(row("t", "a"), trace(requests=(look, made)))
    assert acted_twice(played(FAILED, trace(requests=(made, look, made))), usual)
    assert not acted_twice(played(FAILED, trace(requests=(look, look, made))), usual)
    assert not acted_twice(played(FAILED, trace(requests=(made,))), played(FAILED, trace()))


def test_a_call_that_comes_again_as_it_was_is_counted():
    calls = (asked(0, "url", "go"), asked(1, "time", "go"), asked(2, "url", "go"))
    assert played(FAILED, trace(calls=calls)).again == 1
    assert played(FAILED, trace(calls=(*calls[:1], asked(1, "url", "go on")))).again == 0
