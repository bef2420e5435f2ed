"""The domain servers over real HTTP."""

import asyncio
from contextlib import asynccontextmanager
from datetime import datetime

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia_servers.assistant.catalogue import catalogue_text, load_domains
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import serve
from ossia_servers.http.token import demand_token
from ossia_servers.worlds import WorldStore

NOW = datetime(2026, 3, 13, 10)


@asynccontextmanager
async def running(path=None, token=None):
    store = WorldStore(load_domains(), path)
    app = build_app(load_domains(), store)
    try:
        async with (
            serve(app if token is None else demand_token(app, token)) as url,
            httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as client,
        ):
            yield client
    finally:
        store.close()


async def make_world(client, name):
    body = {"id": name, "now": "2026-03-13T10:00", "home": "New York, New York"}
    answer = await client.post("/worlds", json=body)
    assert answer.status_code == 201, answer.text
    return {"X-Ossia-World": name}


def json_of(headers):
    return {**headers, "Content-Type": "application/json"}


def set_alarm(time, name="tea"):
    return {"intent": "alarm_set", "time": time, "date": "2026-03-14", "event_name": name}


def test_a_request_changes_its_world_and_the_diff_says_so():
    async def body():
        async with running() as client:
            world = await make_world(client, "w")
            answer = await client.get("/alarm", params=set_alarm("07:30"), headers=world)
            assert answer.json()["code"] == "SUCCESS"
            assert answer.json()["data"]["query"]["time"] == "07:30"
            diff = (await client.get("/worlds/w/diff")).json()["changes"]
            assert [(c["kind"], c["table"], c["after"]["time"]) for c in diff] == [
                ("added", "alarm.alarms", "07:30")
            ]
            requests = (await client.get("/worlds/w/requests")).json()
            assert [r["params"]["event_name"] for r in requests] == ["tea"]
            clock = (await client.get("/clock", headers=world)).json()
            assert clock["weekday"] == "Friday"
            assert clock["home"] == "New York, New York"
            assert (await client.delete("/worlds/w")).status_code == 200
            assert (await client.get("/worlds/w/diff")).status_code == 404

    asyncio.run(body())


def test_post_takes_json_alone():
    """A browser asks nobody before it posts a form or a plain text to another site."""

    async def body():
        async with running() as client:
            world = await make_world(client, "w")
            as_json = await client.post("/alarm", json=set_alarm("07:30"), headers=world)
            assert as_json.status_code == 200
            in_query = await client.post("/alarm", params=set_alarm("08:30"), headers=world)
            assert in_query.status_code == 200
            as_form = await client.post("/alarm", data=set_alarm("09:30"), headers=world)
            assert (as_form.status_code, as_form.json()["code"]) == (415, "NOT_JSON")
            assert len((await client.get("/worlds/w/diff")).json()["changes"]) == 2

    asyncio.run(body())


def test_bad_requests_get_one_sentence_and_change_nothing():
    cases = [
        ({"params": {"intent": "alarm_fly"}}, "has no intent 'alarm_fly'"),
        ({"params": {}}, "'intent' is missing; it is one of: alarm_set, "),
        ({"params": {**set_alarm("07:30"), "colour": "red"}}, "has no parameter 'colour'"),
        ({"params": set_alarm("25:99")}, "is not a time"),
        ({"params": {**set_alarm("07:30"), "date": "2026-02-30"}}, "is not a date"),
        ({"params": {**set_alarm("07:30"), "date": "9999-12-31"}}, "outside the years"),
        ({"params": {**set_alarm("07:30"), "date": "0001-01-01.."}}, "outside the years"),
        ({"params": {**set_alarm("07:30"), "event_name": " "}}, "is empty"),
        ({"params": {**set_alarm("07:30"), "event_name": "x" * 3000}}, "longer than"),
        ({"params": [("intent", "alarm_set"), ("intent", "alarm_set")]}, "given twice"),
    ]

    async def body():
        async with running() as client:
            world = await make_world(client, "w")
            for arguments, sentence in cases:
                answer = await client.get("/alarm", headers=world, **arguments)
                assert answer.status_code == 400, arguments
                assert sentence in answer.json()["msg"]
            posts = [
                (b"{", "not JSON"),
                (b"[1]", "not a JSON object"),
                (b'{"time": null}', "'time'"),
            ]
            for content, sentence in posts:
                answer = await client.post("/alarm", headers=json_of(world), content=content)
                assert answer.status_code == 400
                assert sentence in answer.json()["msg"]
            large = await client.post("/alarm", headers=json_of(world), content=b"x" * 70_000)
            assert large.status_code == 413
            assert (await client.get("/alarm", params=set_alarm("07:30"))).status_code == 400
            stranger = await client.get("/alarm", headers={"X-Ossia-World": "nobody's"})
            assert stranger.status_code == 404
            assert (await client.get("/worlds/w/diff")).json() == {"changes": []}

    asyncio.run(body())


def test_a_missing_required_parameter_is_refused_in_one_sentence():
    cases = {
        "/qa": ("qa_factoid", "'content', 'definition_word' or 'query'"),
        "/music": ("music_settings", "'player_setting', 'descriptor' or 'query'"),
    }

    async def body():
        async with running() as client:
            world = await make_world(client, "w")
            for path, (intent, names) in cases.items():
                given = {"intent": intent}
                for answer in (
                    await client.get(path, params=given, headers=world),
                    await client.post(path, json=given, headers=world),
                ):
                    assert answer.status_code == 400
                    assert answer.json() == {
                        "code": "MISSING_PARAMETER",
                        "msg": f"{intent} needs the parameter {names}.",
                        "data": None,
                    }
            assert (await client.get("/worlds/w/diff")).json() == {"changes": []}
            served = (await client.get("/worlds/w/requests")).json()
            assert [record["code"] for record in served] == ["MISSING_PARAMETER"] * 4

    asyncio.run(body())


def test_what_is_not_served_is_refused_in_the_same_form():
    async def body():
        async with running() as client:
            for method, path, status in (
                ("GET", "/calender", 404),
                ("PUT", "/calendar", 405),
                ("PUT", "/calender", 404),
                ("GET", "/worlds", 405),
                ("POST", "/clock", 405),
                ("GET", "/worlds/", 404),
                ("GET", "/calendar/", 404),
                ("POST", "/calendar/", 404),
            ):
                answer = await client.request(method, path)
                assert answer.status_code == status
                assert answer.json()["code"] == "NOT_SERVED"
                assert path in answer.json()["msg"]
                assert answer.json()["data"] is None

    asyncio.run(body())


def test_a_look_at_the_head_alone_does_nothing():
    async def body():
        async with running() as client:
            world = await make_world(client, "w")
            answer = await client.head("/alarm", params=set_alarm("07:30"), headers=world)
            assert answer.status_code == 405
            assert (await client.get("/worlds/w/requests")).json() == []

    asyncio.run(body())


def test_who_hangs_up_before_the_end_changes_nothing_and_is_no_error(caplog):
    async def body():
        async with running() as client:
            world = await make_world(client, "w")
            for path in ("/alarm", "/worlds"):
                _, writer = await asyncio.open_connection(
                    client.base_url.host, client.base_url.port
                )
                head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Ossia-World: w\r\n"
                head += "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
                writer.write(head.encode())
                await writer.drain()
                await asyncio.sleep(0.05)
                writer.close()
                await writer.wait_closed()
            await asyncio.sleep(0.05)
            assert (await client.get("/worlds/w/requests")).json() == []
            assert (await client.get("/clock", headers=world)).status_code == 200

    asyncio.run(body())
    assert not caplog.records


def test_worlds_are_refused_without_sense():
    async def body():
        async with running() as client:
            bad = [
                {"now": "soon", "home": "x"},
                {"now": "2026-03-13T10:00Z", "home": "x"},
                {"now": "0001-01-01T00:00", "home": "x"},
                {"now": "9999-12-31T23:59", "home": "x"},
                {"now": "2026-03-13T10:00", "home": "x", "id": "../etc"},
                {"now": "2026-03-13T10:00", "home": "x", "extra": 1},
            ]
            for content in bad:
                assert (await client.post("/worlds", json=content)).status_code == 400
            await make_world(client, "w")
            again = await client.post(
                "/worlds", json={"id": "w", "now": "2026-03-13T10:00", "home": "x"}
            )
            assert again.status_code == 409

    asyncio.run(body())


plans = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 23), st.sampled_from(["tea", "run", "call"])),
    min_size=1,
    max_size=40,
)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(plans)
def test_worlds_never_see_each_other(plan):
    """Many clients at once: every world ends as if it had been alone."""

    async def play(worlds):
        async with running() as client:
            headers = {n: await make_world(client, f"w{n}") for n in worlds}
            await asyncio.gather(
                *(
                    client.get(
                        "/alarm", params=set_alarm(f"{hour:02}:00", name), headers=headers[n]
                    )
                    for n, hour, name in plan
                    if n in worlds
                )
            )
            found = {}
            for n in worlds:
                changes = (await client.get(f"/worlds/w{n}/diff")).json()["changes"]
                found[n] = sorted((c["after"]["time"], c["after"]["name"]) for c in changes)
            return found

    together = asyncio.run(play([0, 1, 2, 3, 4]))
    for n in together:
        wanted = sorted((f"{hour:02}:00", name) for m, hour, name in plan if m == n)
        assert together[n] == wanted


def test_a_world_outlives_the_server(tmp_path):
    path = tmp_path / "worlds.sqlite"

    async def first():
        async with running(path) as client:
            world = await make_world(client, "w")
            await client.get("/alarm", params=set_alarm("07:30"), headers=world)

    async def second():
        async with running(path) as client:
            return (await client.get("/worlds/w/diff")).json()["changes"]

    asyncio.run(first())
    assert len(asyncio.run(second())) == 1


def test_a_token_is_demanded_where_one_is_set():
    async def body():
        async with running(token="secret") as client:
            assert (await client.get("/openapi.json")).status_code == 401
            wrong = await client.get("/openapi.json", headers={"Authorization": "Bearer no"})
            assert wrong.status_code == 401
            right = await client.get("/openapi.json", headers={"Authorization": "Bearer secret"})
            assert right.status_code == 200

    asyncio.run(body())


def test_the_catalogue_names_every_domain_and_intent():
    text = catalogue_text(load_domains())
    for domain in load_domains():
        assert f"\n{domain.name}: " in f"\n{text}"
        assert all(intent.name in text for intent in domain.intents)
    assert "general: general_greet" in text
