"""The typed schemas of the tools, against the gold requests and against the tools themselves."""

from typing import Any

import jsonschema_rs
import pytest
from fastapi.testclient import TestClient

from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_dataset.workbench.generator import TASK_SETS, generate_tasks
from ossia_servers.http.app import build_app
from ossia_servers.http.openapi import intent_schema
from ossia_servers.workbench import office_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.execute import Executed, execute

DOMAINS = office_domains(generated_database)
SEED = office_seed(1)
VALUES = {
    "event_id": "00000042",
    "email_id": "00000042",
    "task_id": "00000042",
    "customer_id": "00000042",
    "assigned_to_email": None,
    "customer_email": "a@b.test",
    "participant_email": "a@b.test",
    "recipient": "a@b.test",
}


def tools() -> list[Any]:
    return [
        pytest.param(domain, intent, id=f"{domain.name}.{intent.name}")
        for domain in DOMAINS
        for intent in domain.intents
    ]


def checker(domain: Domain, intent: Intent) -> jsonschema_rs.Draft202012Validator:
    schema = intent_schema(domain, intent)
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def assignee() -> str:
    row = generated_database(SEED).tables["project_management.tasks"][0]
    return row["assigned_to_email"] or ""


def correct(domain: Domain, intent: Intent) -> dict[str, str]:
    """A call that keeps its schema and that the tool serves."""
    given = {"intent": intent.name}
    for item in intent.fields or ():
        value = VALUES.get(item.name, "a")
        shown = item.schema.get("enum") or item.schema.get("examples")
        if item.name == "field":
            value = next(name for name in item.schema["enum"] if name.endswith(("name", "body")))
        elif shown and item.name not in VALUES:
            value = shown[0]
        given[item.name] = value or assignee()
    if intent.name == "get_visitor_information_by_id":
        visit = generated_database(SEED).tables["analytics.visits"][0]
        given["visitor_id"] = visit["visitor_id"] or ""
    return given


def ask(domain: Domain, given: dict[str, str]) -> Executed:
    store = WorldStore(DOMAINS)
    world = store.create("w", seed=SEED, now=NOW, home="x")
    return execute(store, world, domain, given)


@pytest.mark.parametrize(("domain", "intent"), tools())
def test_a_call_that_keeps_its_schema_is_served(domain, intent):
    given = correct(domain, intent)
    checker(domain, intent).validate(given)
    done = ask(domain, given)
    assert done.status == 200, done.body
    assert bool(done.record.changes) is intent.writes


@pytest.mark.parametrize(("domain", "intent"), tools())
def test_what_a_schema_forbids_is_refused(domain, intent):
    given, check = correct(domain, intent), checker(domain, intent)
    broken = [{n: v for n, v in given.items() if n != needed} for needed in intent.needed]
    broken += [given | {needed: ""} for needed in intent.needed]
    broken += [
        given | {item.name: "no, not this"}
        for item in intent.fields or ()
        if {"enum", "pattern"} & item.schema.keys()
    ]
    broken.append(given | {"another": "x"})
    for wrong in broken:
        assert not check.is_valid(wrong), wrong
        done = ask(domain, wrong)
        assert done.status in (400, 404), wrong
        assert not done.record.changes


def test_every_gold_request_keeps_its_schema():
    known = {
        (domain.name, intent.name): checker(domain, intent)
        for domain in DOMAINS
        for intent in domain.intents
    }
    requests = [
        request
        for name in TASK_SETS
        for task in generate_tasks(name)
        for request in task.gold.gold_requests()
    ]
    assert len(requests) > 1000
    for request in requests:
        known[request.domain, request.params["intent"]].validate(dict(request.params))


def test_the_description_has_a_form_for_each_tool():
    paths = TestClient(build_app(DOMAINS, WorldStore(DOMAINS))).get("/openapi.json").json()["paths"]
    post = paths["/customer_relationship_manager"]["post"]
    forms = post["requestBody"]["content"]["application/json"]["schema"]["oneOf"]
    by_name = {form["title"]: form for form in forms}
    verbs = ("update_customer", "add_customer", "delete_customer")
    assert tuple(by_name) == ("search_customers", *verbs)
    update = by_name["update_customer"]
    assert update["required"] == ["intent", "customer_id", "field", "new_value"]
    assert "status" in update["properties"]["field"]["enum"]
    assert update["additionalProperties"] is False
    asked = paths["/project_management"]["get"]["parameters"]
    (board,) = (item["schema"] for item in asked if item["name"] == "board")
    # A search takes a pattern where a new task takes one of three boards.
    assert [form.get("enum") for form in board["anyOf"]] == [
        None,
        ["Back end", "Front end", "Design"],
    ]
