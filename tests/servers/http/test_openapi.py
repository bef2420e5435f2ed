"""schemathesis over the OpenAPI description of every domain: never a 5xx, never off the schema."""

import asyncio
import threading
from datetime import datetime

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import serve
from ossia_servers.worlds import WorldStore

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# Shrinking through real HTTP takes minutes; a failing request is printed as a curl command anyway.
FUZZING = settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def schema():
    """The description as the running servers give it."""
    ready, stop = threading.Event(), threading.Event()
    found = []

    async def run():
        store = WorldStore(load_domains())
        store.create("fuzzed", seed="home", now=datetime(2026, 3, 13, 10), home="Austin, Texas")
        async with serve(build_app(load_domains(), store)) as url:
            found.append(url)
            ready.set()
            while not stop.is_set():
                await asyncio.sleep(0.05)
        store.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        assert ready.wait(30)
        yield schemathesis.openapi.from_url(f"{found[0]}/openapi.json")
    finally:
        stop.set()
        thread.join()


def test_every_domain_is_described(schema):
    described = {path.strip("/") for path in schema.raw_schema["paths"]}
    assert {domain.name for domain in load_domains()} <= described


@pytest.mark.slow
@pytest.mark.parametrize("domain", [domain.name for domain in load_domains()])
def test_a_domain_keeps_its_description(schema, domain):
    operations = [found.ok() for found in schema.include(path=f"/{domain}").get_all_operations()]
    assert {operation.method.upper() for operation in operations} == {"GET", "POST"}
    for operation in operations:

        @FUZZING
        @given(case=operation.as_strategy())
        def fuzz(case):
            case.headers["X-Ossia-World"] = "fuzzed"
            case.call_and_validate(checks=CHECKS)

        fuzz()


def test_what_an_intent_needs_is_described(schema):
    """Required parameters as schema, questions in the description and as data, for both methods."""
    for method in ("get", "post"):
        needs = schema.raw_schema["paths"]["/alarm"][method]["x-ossia-intents"]
        assert needs["alarm_query"] == {"required": [], "asks": []}
        assert needs["alarm_set"]["asks"][0]["any_of"] == ["time", "to_time", "from_time"]
    (intent,) = (
        found
        for found in schema.raw_schema["paths"]["/alarm"]["get"]["parameters"]
        if found["name"] == "intent"
    )
    assert (
        "asks back unless 'time', 'to_time' or 'from_time' comes"
        in (intent["schema"]["description"])
    )
    content = schema.raw_schema["paths"]["/qa"]["post"]["requestBody"]["content"]
    form = content["application/json"]["schema"]
    assert is_valid(form, {"intent": "qa_factoid", "query": "capital"})
    assert is_valid(form, {"intent": "qa_maths"})
    assert not is_valid(form, {"intent": "qa_factoid"})
    assert not is_valid(form, {"intent": "qa_maths", "sum": "1"})


def is_valid(form, given):
    return jsonschema_rs.Draft202012Validator(form).is_valid(given)
