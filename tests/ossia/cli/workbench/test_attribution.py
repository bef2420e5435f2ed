"""Attributing runs of the office: each role by its gold actions, in real frameworks."""

import json

import pytest

from ossia_dataset.workbench.generator import generate_tasks

from ....adapters.support.environments import installed

pytestmark = pytest.mark.framework("control")

LETTER = "test-em-send-5"
CHOICES = ("email", "response", "finish")


def rules(*email):
    manager = [{"role": "manager", "times": 1, "answer": choice} for choice in CHOICES]
    told = {"role": "response", "answer": "It is done."}
    return {"rules": [*manager, *email, told]}


def play(ossia, tmp_path, script):
    (tmp_path / "script.json").write_text(json.dumps(script), "utf-8")
    done = ossia(
        *("run", "control", "--suite", "workbench", "--task", LETTER),
        *("--model", "scripted:script.json", "--json"),
    )
    return json.loads(done.stdout)["run"]


def send(**changed):
    (task,) = (task for task in generate_tasks("test") if task.id == LETTER)
    (request,) = task.gold.gold_requests()
    return request.model_copy(update={"params": {**request.params, **changed}}).url


def asking(url):
    return {
        "role": "email",
        "times": 1,
        "tools": [{"name": "http_request", "arguments": {"method": "GET", "url": url}}],
    }


def test_a_wrong_letter_is_repaired_by_the_right_one(ossia, tmp_path):
    said = {"role": "email", "answer": "I have sent it."}
    run = play(ossia, tmp_path, rules(asking(send(recipient="nobody@else.test")), said))
    episode = f"control.{LETTER}.1"
    found = json.loads(ossia("blame", episode, "--run", run, "--json").stdout)
    assert (found["status"], found["families"]) == ("attributed", [["email#1"]])
    (cause,) = found["causes"]
    assert cause["fault"].startswith("did email.send_email(")
    assert "nobody@else.test" in cause["said"]
    assert cause["necessary"] and cause["sufficient"]
    refused = ossia("replay", episode, "--run", run, "--set", "email=script.json")
    assert refused.returncode == 2
    assert "have no fixed form of text" in refused.stderr
    unverified = ossia("attribute", run, "--verify")
    assert unverified.returncode == 2
    assert "--verify cannot be used with the suite 'workbench'" in unverified.stderr
    assert len(unverified.stderr.strip().splitlines()) == 1


def test_a_letter_sent_twice_and_a_manager_that_calls_nobody(ossia, tmp_path):
    said = {"role": "email", "answer": "I have sent it."}
    twice = play(ossia, tmp_path, rules(asking(send()), asking(send()), said))
    found = json.loads(ossia("attribute", twice, "--json").stdout)
    (one,) = found["attributions"]
    assert one["families"] == [["email#1"]]

    lazy = {"rules": [{"role": "manager", "answer": "finish"}]}
    (one,) = json.loads(ossia("attribute", play(ossia, tmp_path, lazy), "--json").stdout)[
        "attributions"
    ]
    assert one["families"] == [["manager@start"]]
    assert one["causes"][0]["fault"] == "called finish, expected email"


def idle(ossia, framework, suite, *more):
    if framework != "control":
        installed(framework)
    done = ossia(
        *("compare", "-f", framework, "--suite", suite, "--model", "idle"),
        *("--limit", "4", "--jobs", "4", "--json", *more),
    )
    run = json.loads(done.stdout)
    failed = run["frameworks"][0]["episodes"] - run["frameworks"][0]["success"]["count"]
    told = ossia("attribute", run["run"], "--json")
    assert told.returncode == 0, told.stderr
    return failed, json.loads(told.stdout)


def test_an_agent_that_does_nothing_is_the_cause(ossia):
    failed, found = idle(ossia, "control", "workbench-react")
    assert failed > 1
    assert [item["families"] for item in found["attributions"]] == [[["agent#1"]]] * failed
    (whole,) = (table for table in found["summary"]["tables"] if table["by"] == "all")
    causes = {row["role"]: row["causes"]["count"] for row in whole["roles"]}
    assert causes == {"agent": failed}


QUESTION = next(t for t in generate_tasks("retrieval") if t.gold.intent == "rt-status")
KIT = QUESTION.gold.gold_requests()[0].domain
STATUS, PRODUCT = QUESTION.gold.facts
TRUTH = f"The status is {STATUS}, the product {PRODUCT}."
WRONG = f"The status is {'Lead' if STATUS != 'Lead' else 'Lost'}, the product {PRODUCT}."


@pytest.mark.parametrize(
    ("specialist", "response", "families"),
    [
        (WRONG, WRONG, [[f"{KIT}#1"]]),
        ("I do not know.", "I do not know.", [[f"{KIT}#1"]]),
        (WRONG, TRUTH.replace(STATUS, f"{STATUS} or perhaps Lost"), [[f"{KIT}#1"]]),
        # Who tells the truth without having looked has guessed.
        (TRUTH, "I do not know.", [[f"{KIT}#1", "response#1"]]),
        # Who keeps a fact back goes on keeping it back, when it hears more.
        (f"The product is {PRODUCT}.", "I do not know.", [[f"{KIT}#1", "response#1"]]),
    ],
)
def test_a_response_is_no_cause_of_what_it_was_told_wrongly(
    ossia, tmp_path, specialist, response, families
):
    choices = (KIT, "response", "finish")
    manager = [{"role": "manager", "times": 1, "answer": choice} for choice in choices]
    told = [{"role": KIT, "answer": specialist}, {"role": "response", "answer": response}]
    (tmp_path / "script.json").write_text(json.dumps({"rules": [*manager, *told]}), "utf-8")
    done = ossia(
        *("run", "control", "--suite", "workbench", "--tasks", "retrieval"),
        *("--task", QUESTION.id, "--model", "scripted:script.json", "--json"),
    )
    run = json.loads(done.stdout)["run"]
    (found,) = json.loads(ossia("attribute", run, "--json").stdout)["attributions"]
    assert (found["status"], found["families"]) == ("attributed", families)


def test_an_agent_that_knows_no_answer_is_the_only_cause(ossia):
    failed, found = idle(ossia, "control", "workbench-react", "--tasks", "retrieval")
    assert failed == 4
    assert [item["families"] for item in found["attributions"]] == [[["agent#1"]]] * failed


@pytest.mark.parametrize(
    "framework", ["control", pytest.param("agentlite", marks=pytest.mark.framework("agentlite"))]
)
def test_a_specialist_that_knows_no_answer_is_the_only_cause(ossia, framework):
    # AgentLite's manager tells the user the answer, with the end of the work.
    failed, found = idle(ossia, framework, "workbench", "--tasks", "retrieval")
    single = [i for i in found["attributions"] if i["status"] == "attributed"]
    assert failed == 4 and single
    assert all(len(item["families"]) == 1 == len(item["families"][0]) for item in single)
    assert not any(item["families"][0][0].startswith("manager") for item in single)


def test_specialists_are_attributed_where_one_does_all_the_work(ossia):
    _, found = idle(ossia, "control", "workbench")
    for item in found["attributions"]:
        if item["domain"] == "multi_domain":
            assert item["status"] == "unsupported"
            assert "a report has no gold" in item["evidence"]
        else:
            assert item["families"] == [[f"{item['domain']}#1"]]
    assert {item["status"] for item in found["attributions"]} == {"attributed", "unsupported"}
