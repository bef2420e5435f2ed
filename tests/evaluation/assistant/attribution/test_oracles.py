"""What a correct role says: words that the scorer accepts, and plans that need nobody's reading."""

import json

import pytest

from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.received import Heard, supported
from ossia_evaluation.assistant.report import judge_retelling
from ossia_evaluation.attribution.received import PLAN, Turns
from ossia_evaluation.reply.judge import judge_chat
from ossia_evaluation.worlds.gold import GoldRunner
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.members import MEMBERS
from ossia_workflows.assistant import stages

DOMAINS = load_domains()
TASKS = [task for task in assistant_tasks("test") if supported(task)]
WORKERS = "".join(
    f"<{number}>:<{role} agent: works.>:<>\n"
    for number, role in enumerate(("intent", "time", "location", "url", "request", "response"), 11)
)


def oracle_of(task):
    return Oracle(task, {domain.name: domain for domain in DOMAINS})


def told(task, intent=None, answer=None):
    """Return what the oracle's response says after the turns of others."""
    said = [{"role": "user", "content": f"The user says: {json.dumps(task.utterance)}"}]
    for name, result in (("intent", intent), ("request", answer)):
        if result is not None:
            said.append({"role": "user", "name": name, "content": json.dumps(result)})
    request = {"model": "ossia-response", "messages": said}
    message = oracle_of(task).message(Heard.of("response", request, Turns(MEMBERS)))
    return message["content"]


def replied(**body):
    return {"status": 200, "body": body}


def test_every_right_answer_of_a_server_is_passed_on_as_the_scorer_wants_it():
    runner = GoldRunner(DOMAINS)
    judged = 0
    for task in TASKS:
        for served in runner.gold(task).requests[:1]:
            data = {"response": served.response, "result": served.result}
            words = told(task, answer=replied(code=served.code, msg="ok", data=data))
            judgement = judge_retelling(task, words, {"code": served.code, **data})
            assert judgement.accepted, (task.id, judgement)
            judged += 1
    assert judged > 300


def test_chit_chat_is_answered_with_words_that_the_scorer_takes():
    chats = [task for task in TASKS if task.gold.kind is GoldKind.CHAT]
    assert chats
    for task in chats:
        intent = {"domain": "general", "intent": task.gold.intent, "slots": {}}
        assert judge_chat(told(task, intent=intent)).accepted


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (replied(msg="ok", data={"response": "Your  alarm\nis set."}), "Your alarm is set."),
        (replied(msg="The intent is missing.", data=None), "The intent is missing."),
        (replied(msg="No.", data={"response": " "}), "No."),
        ({"status": 502, "body": "bad gateway"}, "bad gateway"),
    ],
)
def test_what_an_answer_says_is_told(answer, words):
    assert told(TASKS[0], answer=answer) == words


@pytest.mark.parametrize(
    "answer", [None, replied(), replied(msg=3, data=[]), {"status": 200, "body": None}]
)
def test_where_there_is_nothing_to_tell_no_result_is_made_up(answer):
    words = told(TASKS[0], answer=answer)
    assert words and not judge_chat(words).accepted


def test_a_plan_holds_the_roles_of_the_gold_frame():
    for task in TASKS:
        text = (
            f"Answer with <tasks><task>...</task></tasks>.\n"
            f"The user says: {json.dumps(task.utterance)}\n{WORKERS}"
        )
        request = {"model": "ossia-manager", "messages": [{"role": "user", "content": text}]}
        received = Heard.of("manager", request, Turns(MEMBERS))
        assert received.turn.duty == PLAN
        lines = oracle_of(task).message(received)["content"].splitlines()[1:-1]
        planned = [line.split(" worker: ")[1].split()[0] for line in lines]
        assert planned == list(stages(task.gold.domain, task.gold.slots))


@pytest.mark.parametrize(
    ("worker", "result", "strategy"),
    [
        ("intent", '{"domain": "a", "intent": "b", "slots": {}}', None),
        ("intent", '{"url": "/a"}', "retry"),
        ("time", '{"time_slots": {}}', None),
        ("location", "I could not do it.", "retry"),
        ("url", 'Here: {"url": "/a"}', None),
        ("response", "Done.", None),
        ("response", " ", "retry"),
    ],
)
def test_a_worker_is_held_to_the_form_that_its_role_owes(worker, result, strategy):
    text = (
        "1. **retry** - Retry with the same worker\n\nquality_score\n"
        f"- Task Content: As the {worker} worker: do it.\n"
        f"- Task Result: {result}\n- Failure Count: 0\n"
    )
    request = {"model": "ossia-manager", "messages": [{"role": "user", "content": text}]}
    message = oracle_of(TASKS[0]).message(Heard.of("manager", request, Turns(MEMBERS)))
    assert json.loads(message["content"])["recovery_strategy"] == strategy
