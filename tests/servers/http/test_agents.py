"""The document for agents: reads and changes apart, nothing of worlds and tokens, flat bodies."""

import asyncio
import json
from datetime import datetime

import httpx
import jsonschema_rs
import pytest

from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.http.agents import agent_document, agent_operations
from ossia_servers.http.app import AGENT_PATH, build_app
from ossia_servers.http.serving import serve
from ossia_servers.workbench import office_servers
from ossia_servers.worlds import WorldStore


def office():
    return office_servers("test")


ALARM = {"intent": "alarm_set", "time": "07:30", "date": "2026-03-14"}


def operations_of(document):
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


def played(ask):
    """Return what `ask` returns, given a client of served domains and the document for agents."""

    async def main():
        store = WorldStore(load_domains())
        store.create("w", seed="home", now=datetime(2026, 3, 13, 10), home="Austin, Texas")
        try:
            async with (
                serve(build_app(load_domains(), store)) as url,
                httpx.AsyncClient(base_url=url, trust_env=False) as client,
            ):
                document = (await client.get(AGENT_PATH)).json()
                client.headers["X-Ossia-World"] = "w"
                return await ask(client, document, store)
        finally:
            store.close()

    return asyncio.run(main())


@pytest.mark.parametrize("domains", [load_domains, office])
def test_an_operation_is_flat_and_says_whether_it_changes_anything(domains):
    document = json.loads(json.dumps(agent_document(domains())))
    writing = {intent.name for domain in domains() for intent in domain.intents if intent.writes}
    seen = set()
    for path, method, operation in operations_of(document):
        assert not path.startswith("/worlds")
        assert (method == "post") == operation["x-ossia-writes"]
        verb = "change" if operation["x-ossia-writes"] else "read"
        assert operation["operationId"] == f"{verb}_{path[1:]}"
        told = "Changes the world." if operation["x-ossia-writes"] else "Changes nothing."
        assert operation["summary"].endswith(told)
        schema = {p["name"]: p["schema"] for p in operation["parameters"] if p["in"] == "query"}
        if method == "post":
            form = operation["requestBody"]["content"]["application/json"]["schema"]
            assert form["type"] == "object"
            assert not form.keys() & {"oneOf", "anyOf", "allOf"}
            assert set(form["required"]) <= form["properties"].keys()
            schema = form["properties"]
        if path != "/clock":
            named = set(schema["intent"]["enum"])
            assert named == operation["x-ossia-intents"].keys()
            assert (named <= writing) if method == "post" else not named & writing
            seen |= named
    assert seen == {intent.name for domain in domains() for intent in domain.intents}
    assert "worlds" not in json.dumps(document)
    assert "oken" not in json.dumps(list(document["paths"]))


@pytest.mark.parametrize("domains", [load_domains, office])
def test_what_an_intent_takes_its_operation_takes(domains):
    for operation in agent_operations(domains()):
        if operation.path == "/clock":
            continue
        (domain,) = (one for one in domains() if f"/{one.name}" == operation.path)
        for intent in domain.intents:
            if intent.writes == operation.writes:
                fields = domain.fields if intent.fields is None else intent.fields
                assert {field.name for field in fields} <= operation.schema["properties"].keys()


def test_an_agent_that_keeps_to_the_document_is_served():
    async def ask(client, document, store):
        change = document["paths"]["/alarm"]["post"]
        form = change["requestBody"]["content"]["application/json"]["schema"]
        assert jsonschema_rs.is_valid(form, ALARM)
        assert not jsonschema_rs.is_valid(form, {"intent": "alarm_query"})
        assert not jsonschema_rs.is_valid(form, {**ALARM, "colour": "red"})
        set_ = await client.post("/alarm", json=ALARM)
        assert set_.json()["code"] == "SUCCESS"
        read = await client.get("/alarm", params={"intent": "alarm_query"})
        assert "07:30" in json.dumps(read.json()["data"]["result"])
        clock = await client.get("/clock")
        told = document["paths"]["/clock"]["get"]["responses"]["200"]
        assert jsonschema_rs.is_valid(told["content"]["application/json"]["schema"], clock.json())

    played(ask)


def test_reading_changes_nothing():
    async def ask(client, document, store):
        for path, method, operation in operations_of(document):
            for intent in operation["x-ossia-intents"] if method == "get" else ():
                await client.get(path, params={"intent": intent})
        assert store.get("w").diff().changes == ()
        assert len(store.records("w")) > 20

    played(ask)


def test_no_page_with_scripts_from_elsewhere_is_served():
    async def ask(client, document, store):
        for path in ("/docs", "/redoc", "/docs/oauth2-redirect"):
            answer = await client.get(path)
            assert answer.status_code == 404
            assert "script" not in answer.text

    played(ask)
