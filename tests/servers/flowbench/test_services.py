"""The services of FlowBench over real HTTP, and as a walk asks them."""

import asyncio
from contextlib import asynccontextmanager, contextmanager

import httpx
import pytest

from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.flowbench.sessions import SUITE, Answer, Move, SessionTask, Wish
from ossia_servers.flowbench.services import (
    gold_service,
    role_domains,
    scenarios,
    service_domain,
)
from ossia_servers.flowbench.walk import WalkError, walk
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import serve
from ossia_servers.worlds import WorldStore

FARE = {"from_stop": "K1", "destination": "Airport", "car": "van"}
FREE = {"available": True, "price": 12.5, "pickup_minutes": 4, "next_free": "10:30"}
SESSION = SessionTask(
    id="ride-1",
    seed="ride-1",
    suite="flowbench",
    utterance="A van, please.",
    role="ride_service",
    field="Travel&Transportation",
    wishes=(
        Wish(
            scenario="ride-booking",
            slots={"pickup": "Main St 1", "destination": "Airport", "car": "van", "passenger": "L"},
            moves=(Move(step="quote", act="accepts"),),
        ),
    ),
    answers=(
        Answer(
            tool="locate",
            arguments={"address": "Main St 1"},
            result={"result": "served", "stop": "K1", "choices": []},
        ),
        Answer(tool="fare", arguments=FARE, result=FREE),
        Answer(tool="fare", arguments=FARE, after="order_car", result={"available": False}),
    ),
)


@asynccontextmanager
async def running(*sessions):
    domains = role_domains(sessions)
    store = WorldStore(domains)
    try:
        async with (
            serve(build_app(domains, store)) as url,
            httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as client,
        ):
            yield client
    finally:
        store.close()


async def world_of(client, session):
    body = {"id": session.id, "seed": session.seed, "now": session.now.isoformat(), "home": "x"}
    answer = await client.post("/worlds", json=body)
    assert answer.status_code == 201, answer.text
    return {"X-Ossia-World": session.id}


def asked(*requests, session=SESSION):
    """The answers to requests on one world, and its diff."""

    async def body():
        async with running(session) as client:
            world = await world_of(client, session)
            answers = [
                await client.get(f"/{session.role}", params=given, headers=world)
                for given in requests
            ]
            diff = (await client.get(f"/worlds/{session.id}/diff")).json()["changes"]
            return answers, diff

    return asyncio.run(body())


def order(**changed):
    return {"intent": "order_car", **FARE, "passenger": "Lee", **changed}


def test_a_known_call_is_answered_whatever_its_case_and_space():
    (answer,), diff = asked({"intent": "fare", **FARE, "destination": " aiRport ", "car": "VAN"})
    assert answer.json()["data"]["result"] == FREE
    assert diff == []


def test_a_reading_call_that_the_session_does_not_know_is_refused_in_one_sentence():
    (answer,), diff = asked({"intent": "fare", **FARE, "car": "standard"})
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    assert answer.json()["msg"] == "The fare service knows nothing of this."
    assert diff == []


def test_a_changing_call_writes_a_row_and_what_is_read_afterwards_may_differ():
    fare = {"intent": "fare", **FARE}
    (before, made, after, again), diff = asked(fare, order(), fare, order())
    assert before.json()["data"]["result"]["available"] is True
    assert after.json()["data"]["result"] == {"available": False}
    assert [(change["kind"], change["table"]) for change in diff] == [
        ("added", "ride_service.order_car")
    ] * 2
    assert diff[0]["after"] == {
        "id": "order_car-1",
        "tool": "order_car",
        "arguments": {**FARE, "passenger": "Lee"},
        "result": made.json()["data"]["result"],
    }
    assert made.json()["data"]["result"] == again.json()["data"]["result"]


def test_a_world_of_no_session_answers_every_call_by_its_seed():
    def result(seed):
        session = SESSION.model_copy(update={"seed": seed, "answers": ()})
        (answer,), _ = asked({"intent": "fare", **FARE}, session=session)
        return answer.json()["data"]["result"]

    assert result("a").keys() == {"available", "price", "pickup_minutes", "next_free"}
    assert result("a") == result("a") != result("b")


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (order(colour="red"), 400, "no parameter 'colour'"),
        (order(address="Main St 1"), 400, "ride_service.order_car has no parameter 'address'"),
        (order(car="tank"), 400, "'car' is one of standard, van, wheelchair, and not 'tank'"),
        ({**order(), "passenger": "x\x00y"}, 400, "'passenger' holds a control character"),
        ({**order(), "passenger": "x" * 3000}, 400, "longer than 2000 characters"),
        ({**order(), "passenger": "  "}, 400, "'passenger' is empty"),
        ({"intent": "order_car", **FARE}, 400, "order_car needs the parameter 'passenger'"),
        ({"intent": "nothing"}, 400, "no intent 'nothing'"),
    ],
)
def test_a_hostile_call_gets_one_refusal_and_changes_nothing(given, status, said):
    (answer,), diff = asked(given)
    assert answer.status_code == status
    assert said in answer.json()["msg"]
    assert "\n" not in answer.json()["msg"]
    assert diff == []


def test_a_parameter_that_comes_twice_or_as_a_list_is_refused():
    async def body():
        async with running(SESSION) as client:
            world = await world_of(client, SESSION)
            twice = await client.get(
                "/ride_service", params=[*order().items(), ("car", "van")], headers=world
            )
            listed = await client.post(
                "/ride_service", json={**order(), "passenger": ["A", "B"]}, headers=world
            )
            return twice, listed

    twice, listed = asyncio.run(body())
    assert (twice.status_code, listed.status_code) == (400, 400)
    assert "given twice" in twice.json()["msg"]
    assert "neither a text nor a number" in listed.json()["msg"]


def test_every_tool_of_every_scenario_is_described_with_its_types():
    async def body():
        async with running() as client:
            return (await client.get("/openapi.json")).json()["paths"]

    paths = asyncio.run(body())
    for scenario in scenarios().values():
        forms = paths[f"/{scenario.role}"]["post"]["requestBody"]["content"]["application/json"]
        described = {form["title"]: form for form in forms["schema"]["oneOf"]}
        for name, tool in scenario.tools.items():
            needed = {*tool.parameters} - {*tool.optional}
            assert {*described[name]["required"]} == {"intent", *needed}
            assert described[name]["properties"].keys() == {"intent", *tool.parameters}
    assert len([path for path in paths if not path.startswith(("/worlds", "/clock"))]) == 22


def test_two_scenarios_with_one_tool_in_two_meanings_are_no_role():
    booking = scenarios()["ride-booking"]
    fare = booking.tools["fare"].model_copy(update={"changes": True})
    other = booking.model_copy(update={"tools": {"fare": fare}})
    with pytest.raises(ValueError, match="ride_service have a tool fare, and differ"):
        service_domain("ride_service", [booking, other])


@contextmanager
def called(url, session):
    with httpx.Client(base_url=url, trust_env=False, timeout=30) as client:
        body = {"id": session.id, "seed": session.seed, "now": session.now.isoformat(), "home": "x"}
        assert client.post("/worlds", json=body).status_code == 201

        def service(tool, arguments):
            texts = {
                name: str(value).lower() if isinstance(value, bool) else value
                for name, value in arguments.items()
            }
            answer = client.get(
                f"/{session.role}",
                params={"intent": tool, **texts},
                headers={"X-Ossia-World": session.id},
            )
            assert answer.status_code == 200, answer.text
            return answer.json()["data"]["result"]

        yield service


@pytest.mark.slow
def test_a_walk_over_http_and_one_without_agree():
    # The first session of each scenario, and those of several wishes, by the way they go.
    stored = load_set("test", builtin_folder(SUITE), SessionTask)
    firsts = {each.wishes[0].scenario: each for each in reversed(stored) if not each.is_cross}
    assert firsts.keys() == scenarios().keys()
    sessions = (SESSION, *firsts.values(), *[each for each in stored if each.is_cross][::20])

    async def body():
        domains = role_domains(sessions)
        store = WorldStore(domains)

        def over_http(url):
            found = []
            for session in sessions:
                with called(url, session) as service:
                    found.append(walk(session, scenarios(), service))
            return found

        async with serve(build_app(domains, store)) as url:
            return await asyncio.to_thread(over_http, url)

    assert asyncio.run(body()) == [
        walk(session, scenarios(), gold_service(session)) for session in sessions
    ]


def test_a_walk_to_a_call_without_an_answer_says_which():
    lost = SESSION.model_copy(update={"answers": SESSION.answers[:1]})
    with pytest.raises(WalkError, match=r"^fare is refused: The fare service knows nothing"):
        walk(lost, scenarios(), gold_service(lost))


def test_a_walk_to_a_fact_that_no_answer_has_says_which():
    (locate, fare, _) = SESSION.answers
    poor = fare.model_copy(update={"result": {"available": True}})
    lost = SESSION.model_copy(update={"answers": (locate, poor)})
    with pytest.raises(WalkError, match=r"nothing is known of fare\.price"):
        walk(lost, scenarios(), gold_service(lost))
