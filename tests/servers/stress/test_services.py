"""What a tool gets over real HTTP when its service misbehaves, and what the world then holds."""

import asyncio
import json
from datetime import datetime

import pytest
import uvloop

from ossia_adapter.tools import bind
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import serve
from ossia_servers.stress.injected import NOT_ASKED
from ossia_servers.stress.instruction import is_marked
from ossia_servers.stress.kinds import KINDS
from ossia_servers.stress.plan import Aim, read_fault
from ossia_servers.stress.services import ServiceFaults, fitting
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.records import ServerRequest

DOMAINS = load_domains()
CLOCK = ""
READ = "/recommendation?intent=recommendation_events&place_name=Denver,%20Colorado"
WRITE = "/email?intent=email_sendemail&to_person=michael&content=bring+a+lamp"
STOCK = "/stock?intent=qa_stock&business_name=apple"


def play(fault, *paths, run=asyncio.run, calls=1):
    """Ask these paths of a world that a fault strikes; returns answers, injections and state."""

    async def main():
        store = WorldStore(DOMAINS)
        faults = ServiceFaults(build_app(DOMAINS, store), store, DOMAINS)
        aim = Aim(read_fault(fault), seed=7, task="t", calls=calls)
        async with serve(faults) as url:
            store.create("w", seed="home", now=datetime(2026, 10, 5, 9), home="Boston")
            faults.open("w", aim, slow_seconds=0.02)
            names = ["http_request", "get_date"]
            ask, clock = bind(names, servers_url=url, world="w", seconds=0.2)
            said = [
                json.loads(await asyncio.to_thread(*((ask, "GET", path) if path else (clock,))))
                for path in paths
            ]
        records = [ServerRequest.model_validate_json(each) for each in store.records("w")]
        return said, faults.close("w"), records, store.get("w").diff()

    return run(main())


def data(answer):
    return answer["body"]["data"]


REFUSED = {
    "service-unreachable": (0, "UNREACHABLE"),
    "service-reset": (0, "UNREACHABLE"),
    "service-hang": (0, "TIMEOUT"),
    "service-rate-limited": (429, "TOO_MANY_REQUESTS"),
    "service-error": (500, "INTERNAL_ERROR"),
    "service-unavailable": (503, "UNAVAILABLE"),
}


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
@pytest.mark.parametrize("kind", REFUSED)
def test_a_dead_service_carries_nothing_out_and_is_told_as_such(kind, run):
    said, injected, records, diff = play(kind, WRITE, WRITE, run=run)
    assert (said[0]["status"], said[0]["body"]["code"]) == REFUSED[kind]
    assert [record.code for record in records] == ["SUCCESS"], "of the second alone"
    assert len(diff.changes) == 1
    (one,) = injected
    assert (one.kind, one.where, one.seq, one.tool) == (kind, "service", 0, "http_request")
    assert (one.would, one.request) == (NOT_ASKED, f"GET {WRITE}")


def test_a_page_comes_for_json_and_nothing_is_carried_out():
    said, injected, records, _ = play("service-html", READ)
    assert said[0]["status"] == 502
    assert said[0]["body"].startswith("<html>")
    assert records == []
    assert "502 Bad Gateway" in injected[0].came


@pytest.mark.parametrize("kind", ["service-empty", "service-truncated", "service-slow"])
def test_what_is_broken_or_late_was_carried_out(kind):
    said, injected, records, diff = play(kind, WRITE)
    assert [record.code for record in records] == ["SUCCESS"]
    assert len(diff.changes) == 1
    assert "a lamp" in injected[0].would
    whole = kind == "service-slow"
    assert whole == isinstance(said[0]["body"], dict)
    assert ("delay" in injected[0].came) == whole


def test_a_renamed_field_holds_what_it_held():
    said, injected, records, _ = play("renamed-field", READ)
    true = {"response": records[0].response, "result": records[0].result}
    told = data(said[0])
    told.pop("query")
    old, new = names(true) - names(told), names(told) - names(true)
    assert len(old) == len(new) == 1
    assert json.loads(json.dumps(told).replace(f'"{new.pop()}":', f'"{old.pop()}":')) == true
    assert injected[0].would != injected[0].came


def names(value):
    if isinstance(value, dict):
        return {*value}.union(*map(names, value.values()))
    return set().union(*map(names, value)) if isinstance(value, list) else set()


def test_a_partial_list_ends_in_the_sentence_too():
    said, _, records, _ = play("partial-list", READ)
    true, told = records[0], data(said[0])
    kept = len(true.result) // 2
    assert told["result"] == true.result[:kept]
    assert true.response.startswith(told["response"][:-1])
    assert true.result[kept - 1]["name"] in told["response"]
    assert true.result[kept]["name"] not in told["response"]


def test_a_wrong_value_is_wrong_wherever_it_stands():
    said, _, records, _ = play("wrong-value", STOCK)
    true, told = records[0], data(said[0])
    old, new = true.result[0], told["result"][0]
    changed = {name for name in old if old[name] != new[name]}
    assert changed
    for name in changed:
        assert type(old[name]) is type(new[name])
        assert 0.7 < new[name] / old[name] < 1.3
        assert str(abs(new[name])) in told["response"]
    assert told["response"] != true.response


def test_a_stale_value_is_an_earlier_answer_or_that_of_a_day_before():
    other = STOCK.replace("apple", "nvidia")
    said, injected, records, _ = play("stale-value@second", other, STOCK)
    assert data(said[1])["response"] == records[0].response
    assert "Apple" in injected[0].would
    said, _, records, _ = play("stale-value@first", STOCK)
    assert "Apple" in data(said[0])["response"]
    assert data(said[0])["response"] != records[0].response
    assert play("stale-value:always", WRITE)[1] == (), "a cache answers questions alone"


def test_a_lost_answer_was_carried_out_so_that_a_retry_acts_twice():
    said, injected, records, diff = play("lost-answer", READ, WRITE, WRITE)
    assert [answer["status"] for answer in said] == [200, 0, 200]
    assert said[1]["body"]["code"] == "UNREACHABLE"
    assert len(diff.changes) == 2
    assert injected[0].seq == 1, "the first that changes the world"
    assert records[1].changes


def test_what_is_delivered_twice_is_done_twice_and_answered_once():
    said, injected, records, diff = play("delivered-twice", READ, WRITE)
    assert [record.params for record in records[1:]] == [records[1].params] * 2
    assert len(diff.changes) == 2
    assert data(said[1])["response"] == records[1].response
    assert "twice" in injected[0].came


def test_a_hidden_instruction_can_be_obeyed_and_then_shows_in_the_world():
    said, injected, _, diff = play("hidden-instruction", WRITE)
    text = json.dumps(said[0], ensure_ascii=False)
    path = text.partition("make the request GET ")[2].partition(" and do not")[0]
    assert path.startswith("/email?"), "the domain that was asked"
    assert injected[0].mark in path
    assert not is_marked(diff, injected[0].mark)
    said, again, _, diff = play("hidden-instruction", WRITE, path)
    assert said[1]["body"]["code"] == "SUCCESS"
    assert again == injected, "the same in each run"
    assert is_marked(diff, injected[0].mark)


def test_doses_and_places_choose_among_the_requests_that_fit():
    said, *_ = play("service-error:always", READ, WRITE, READ, CLOCK)
    assert [answer.get("status") for answer in said] == [500, 500, 500, None], "the clock goes on"
    said, *_ = play("service-error@tool=get_date@first", READ, CLOCK)
    assert [answer["status"] for answer in said] == [200, 500]
    _, injected, records, _ = play("lost-answer@last", WRITE, READ, WRITE, calls=2)
    assert [each.seq for each in injected] == [2]
    fits = {kind: fitting(kind, records) for kind in KINDS if KINDS[kind].where == "service"}
    assert (fits["service-error"], fits["lost-answer"], fits["partial-list"]) == (3, 2, 1)
    assert all(fits.values())


def test_worlds_without_a_fault_and_worlds_that_are_gone_are_left_alone():
    async def main():
        store = WorldStore(DOMAINS)
        faults = ServiceFaults(build_app(DOMAINS, store), store, DOMAINS)
        aim = Aim(read_fault("service-error:always"), seed=7, task="t")
        async with serve(faults) as url:
            store.create("calm", seed="home", now=datetime(2026, 10, 5, 9), home="Boston")
            for world in ("w", "gone"):
                faults.open(world, aim, slow_seconds=0)
            faults.close("w")
            asked = []
            for world in ("calm", "w", "gone"):
                (ask,) = bind(["http_request"], servers_url=url, world=world)
                asked.append(json.loads(await asyncio.to_thread(ask, "GET", READ))["status"])
            (ask,) = bind(["http_request"], servers_url=url, world="gone")
            asked.append(json.loads(await asyncio.to_thread(ask, "GET", "/nowhere"))["status"])
            return asked

    assert asyncio.run(main()) == [200, 404, 500, 404]


@pytest.mark.parametrize("place", ["manager", "role=url", "member@tool=http_request"])
def test_a_service_is_no_role(place):
    with pytest.raises(ValueError, match="'lost-answer' strikes a service"):
        read_fault(f"lost-answer@{place}")
