"""What the roles of an office team owe, without any framework."""

import json

from ossia_dataset.workbench.generator import generate_tasks
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.workbench.contracts import (
    OfficeContracts,
    actions_in,
    as_action,
    facts_in,
)
from ossia_servers.gateway.records import Exchange, GatewayRecord, Timing
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_workflows.workbench import TeamKind

TESTS = {task.id: task for task in generate_tasks("test")}
RETRIEVAL = {task.id: task for task in generate_tasks("retrieval")}


def saying(text):
    return {"role": "assistant", "content": text}


def asking(*urls):
    calls = [
        {"id": str(n), "function": {"name": "http_request", "arguments": json.dumps({"url": url})}}
        for n, url in enumerate(urls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def trace(*turns):
    """An episode from the roles' messages; a message after a call brings the tool's answer."""
    exchanges, called = [], False
    for number, (role, message) in enumerate(turns):
        last = {"role": "tool", "content": "{}"} if called else {"role": "user", "content": "go"}
        exchanges.append(
            Exchange(
                seq=number,
                role=role,
                model="m",
                request={"model": f"ossia-{role}", "messages": [last]},
                forced={},
                response=message,
                finish_reason="stop",
                usage=None,
                price_usd=None,
                status="ok",
                error=None,
                attempts=1,
                streamed=False,
                timing=Timing(started_s=0.0, latency_s=0.0),
            )
        )
        called = "tool_calls" in message
    return Trace(
        episode=EpisodeKey(id="e", task="t", framework="f", model="m", repeat=1),
        ending=Ending(kind="answered"),
        answer="Done.",
        gateway=GatewayRecord(episode="e", exchanges=tuple(exchanges)),
        requests=(),
        timing=EpisodeTiming(wall_s=0.0, cpu_s=0.0),
    )


def findings(contracts, *turns):
    return {
        name: finding.fault for name, finding in contracts.record(trace(*turns)).findings.items()
    }


def letter():
    task = TESTS["test-em-send-5"]
    (request,) = task.gold.gold_requests()
    return OfficeContracts(task, TeamKind.SPECIALISTS), request


START, END = ("manager", saying("email")), ("response", saying("Done."))
AFTER = ("manager", saying("response"))


def test_a_good_run_has_no_findings():
    contracts, request = letter()
    looked = "/company_directory?intent=find_email_address&name=a"
    loud = request.url.replace("Our+plans", "OUR+PLANS")
    for url in (request.url, loud):
        made = [("email", asking(looked)), ("email", asking(url)), ("email", saying("Sent."))]
        assert findings(contracts, START, *made, AFTER, END) == {}


def test_what_a_specialist_does_besides_or_leaves_out():
    contracts, request = letter()
    other = "/email?intent=delete_email&email_id=00000001"
    both = [("email", asking(request.url, other)), ("email", saying("Sent."))]
    (fault,) = findings(contracts, START, *both, AFTER, END).values()
    assert fault.startswith("did email.delete_email(")
    (fault,) = findings(contracts, START, ("email", saying("Sent.")), AFTER, END).values()
    assert fault.startswith("left out email.send_email(")


def test_work_done_in_a_later_turn_is_no_omission():
    contracts, request = letter()
    first = [START, ("email", saying("I look.")), START]
    later = [("email", asking(request.url)), ("email", saying("Sent.")), AFTER, END]
    assert findings(contracts, *first, *later) == {}


def test_a_manager_that_ends_too_early():
    contracts, _ = letter()
    assert findings(contracts, AFTER, END) == {"manager@start": "called response, expected email"}


def test_a_response_owes_the_facts_that_were_reported():
    task = next(t for t in RETRIEVAL.values() if t.gold.intent == "rt-last-subject")
    assert task.gold.kind is GoldKind.ANSWER
    contracts = OfficeContracts(task, TeamKind.SPECIALISTS)
    told = f"It is: {', '.join(task.gold.facts)}."
    look = ("email", asking(task.gold.gold_requests()[0].url))
    reported, silent = ("email", saying(told)), ("email", saying("I do not know."))
    assert findings(contracts, START, look, reported, AFTER, ("response", saying(told))) == {}
    assert list(findings(contracts, START, look, reported, AFTER, END)) == ["response#1"]
    other = ("response", saying(f"{told} Or is it 'New badge system'?"))
    (fault,) = findings(contracts, START, look, reported, AFTER, other).values()
    assert fault == f"told the user New badge system beside {task.gold.facts[0]}"
    # Who was told nothing cannot tell it.
    assert list(findings(contracts, START, look, silent, AFTER, END)) == ["email#1"]
    # Nobody knows without having looked.
    assert findings(contracts, START, reported, AFTER, END)["email#1"] == "looked nothing up"


def test_a_response_is_keyed_by_the_facts_that_it_heard():
    task = next(t for t in RETRIEVAL.values() if t.gold.intent == "rt-status")
    contracts = OfficeContracts(task, TeamKind.SPECIALISTS)
    kit, (first, second) = task.gold.domain, task.gold.facts
    for said, heard in (
        ("I do not know.", ()),
        (f"It is {first}.", (first,)),
        (f"It is {first}, about {second}.", (first, second)),
    ):
        start = ("manager", saying(kit))
        steps = contracts.record(trace(start, (kit, saying(said)), AFTER, END)).by_situation
        assert facts_in(steps["response#1"].keys[0]) == heard
        assert steps[f"{kit}#1"].keys == ("",)


def test_contracts_need_one_role_that_does_all_the_work():
    for task in TESTS.values():
        assert OfficeContracts(task, TeamKind.REACT).supported
        single = task.gold.domain != "multi_domain"
        assert OfficeContracts(task, TeamKind.SPECIALISTS).supported is single


def test_questions_are_no_actions():
    assert as_action("email", {"intent": "search_emails", "query": "a"}) is None
    assert actions_in(asking("/email?intent=search_emails&query=a", "nonsense", "")) == []
    loud = as_action("email", {"intent": "reply_email", "email_id": "1", "body": "YES"})
    assert loud == as_action("email", {"intent": "reply_email", "email_id": "1", "body": "yes"})
    update = {"intent": "update_task", "task_id": "1", "field": "board"}
    design = as_action("project_management", {**update, "new_value": "Design"})
    assert design != as_action("project_management", {**update, "new_value": "design"})
