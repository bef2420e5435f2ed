"""Deviations: where a step's output is not what its contract demands of the input it got."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ossia_evaluation.assistant.attribution.addresses import address_edit, address_fault
from ossia_evaluation.assistant.attribution.beyond import judge_beyond
from ossia_evaluation.assistant.attribution.edits import values_edit
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.assistant.contract import Frame, unlike_intents
from ossia_evaluation.assistant.report import judge_retelling
from ossia_evaluation.attribution.findings import Finding, last_text, says_something, spoken
from ossia_evaluation.attribution.received import (
    ASSIGN,
    CHECK,
    FACTS,
    MEND,
    OUTLINE,
    PLAN,
    ROUTE,
)
from ossia_evaluation.urls import called_urls, read_url
from ossia_evaluation.words import shortened
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.names import role_of
from ossia_servers.wire.routing import ends_with_answer, heard, read_choice
from ossia_servers.wire.ways import leaves
from ossia_workflows import json_objects, text_slots
from ossia_workflows.assistant import FINISH, role_output, stages

_short = partial(shortened, most=80)

_TASK = re.compile(r"<task>(.*?)</task>", re.DOTALL)
_WORKER = re.compile(r"[Aa]s the (\w+) worker|the (\w+) (?:worker|agent)")
_SUBTASK = re.compile(r"^Task ID: *(\S+)\s*\nContent: *(.*?)\n---", re.MULTILINE | re.DOTALL)


def judge(
    received: Sequence[Heard],
    messages: Sequence[Mapping[str, Any]],
    oracle: Oracle,
    *,
    to_the_letter: bool = False,
) -> Finding | None:
    """Return how a step leaves its contract, or None where it keeps it.

    Args:
        received: the input of each of its calls.
        messages: the answer to each.
        oracle: the contracts of the task.
        to_the_letter: take every difference for a deviation, not only those of meaning.
    """
    given = received[0]
    if given.role == "manager":
        return _judge_manager(given, messages[0], oracle)
    owed = _judge_member(given, messages, oracle, to_the_letter=to_the_letter)
    return owed or judge_beyond(given, messages)


def _judge_member(
    given: Heard,
    messages: Sequence[Mapping[str, Any]],
    oracle: Oracle,
    *,
    to_the_letter: bool,
) -> Finding | None:
    """How a member leaves what it owes; whatever it says beyond that is judged apart."""
    text = last_text(messages)
    if given.role == "intent":
        finding = _judge_intent(given, text, oracle, to_the_letter)
        other = given.conversation.utterance != oracle.task.utterance
        # Who was told another sentence is right about that one.
        return replace(finding, bound=True) if finding is not None and other else finding
    if given.role == "time":
        return _judge_values(given, text, oracle, "time_slots", to_the_letter)
    if given.role == "location":
        return _judge_values(given, text, oracle, "place_slots", to_the_letter)
    if given.role == "url":
        return _judge_url(given, text, oracle, to_the_letter)
    if given.role == "request":
        return _judge_request(given, messages, oracle, to_the_letter)
    return _judge_response(given, text, oracle) if given.role == "response" else None


def _judge_response(given: Heard, text: str, oracle: Oracle) -> Finding | None:
    if not says_something(text):
        return Finding("nothing", "an answer", "told the user nothing", "with an answer")
    body = (given.conversation.results.answer or {}).get("body")
    if not isinstance(body, Mapping):
        return None
    data = body.get("data")
    said = {
        "code": body.get("code"),
        "msg": body.get("msg"),
        **(data if isinstance(data, Mapping) else {}),
    }
    judgement = judge_retelling(oracle.task, spoken(text), said)
    if judgement.accepted:
        return None
    told = str(said.get("response") or body.get("msg") or "")
    return Finding(
        _short(text), _short(told), judgement.reason, "with what it was told", bound=True
    )


def _judge_intent(given: Heard, text: str, oracle: Oracle, to_the_letter: bool) -> Finding | None:
    gold, output = oracle.gold, role_output("intent", text)
    meant = f"{gold.intent} {_pairs(gold.slots)}".strip()
    if output is None:
        return Finding(_short(text), meant, "gave no intent that can be read", f"with {meant}")
    frame = Frame(
        str(output.get("domain") or ""),
        str(output.get("intent") or ""),
        text_slots(output.get("slots")),
    )
    differing = oracle.differing_intent(frame, to_the_letter=to_the_letter)
    untold = oracle.untold_slots(given)
    wrong = tuple(name for name in differing if name not in untold or name in frame.slots)
    if not wrong:
        return None
    said = f"{frame.intent} {_pairs(frame.slots)}".strip()
    if wrong[0] in ("domain", "intent"):
        fault = f"predicted {unlike_intents(frame, gold)}"
        return Finding(said, meant, fault, f"with {gold.intent}")
    fault = "; ".join(_slot_fault(name, gold.slots, frame.slots) for name in wrong)
    return Finding(said, meant, fault, _slot_remedy(wrong, gold.slots))


def _judge_values(
    given: Heard, text: str, oracle: Oracle, key: str, to_the_letter: bool
) -> Finding | None:
    right = oracle.times(given) if given.role == "time" else oracle.places(given)
    frame = oracle.frame(given)
    output = role_output(given.role, text)
    if output is None:
        if not right:
            return None
        fault, remedy = f"gave no {given.role} slots that can be read", f"with {_pairs(right)}"
        bound = given.frame is None and not any(value in text for value in right.values())
        return Finding(_short(text), _pairs(right), fault, remedy, bound=bound)
    said = text_slots(output[key])
    wrong = oracle.differing_values(frame.domain, right, said, to_the_letter=to_the_letter)
    if not wrong:
        return None
    edit = values_edit(right, said, wrong, frame.slots)
    fault = "; ".join(_value_fault(name, right, said, frame.slots) for name in wrong)
    remedy = _value_remedy(wrong, right)
    return Finding(_pairs(said), _pairs(right), fault, remedy, edit)


def _judge_url(given: Heard, text: str, oracle: Oracle, to_the_letter: bool) -> Finding | None:
    right = oracle.url(given)
    if right is None:
        return None
    output = role_output("url", text)
    if output is None:
        fault, remedy = "gave no address that can be read", f"with {right}"
        # Who names the right intent all the same has read the sentence, and errs by itself.
        bound = given.frame is None and oracle.gold.intent not in text
        return Finding(_short(text), right, fault, remedy, bound=bound)
    said = str(output["url"]).strip()
    if not to_the_letter and said.startswith("/") and oracle.is_gold_url(said):
        return None
    edit = address_edit(given, right, said, oracle, to_the_letter=to_the_letter)
    if not edit:
        return None
    bound = given.frame is None and read_url(said)[1].get("intent") != oracle.gold.intent
    fault = address_fault(right, said, edit)
    return Finding(said, right, fault, f"with {right}", edit, bound=bound)


def _judge_request(
    given: Heard, messages: Sequence[Mapping[str, Any]], oracle: Oracle, to_the_letter: bool
) -> Finding | None:
    right = given.url
    if right is None:
        return None
    asked = called_urls(messages)
    if not asked:
        said = _short(last_text(messages))
        return Finding(said, right, f"did not request {right}", "with the request made")
    for url in asked:
        edit = address_edit(given, right, url, oracle, to_the_letter=to_the_letter)
        if edit:
            fault = f"requested {url} instead of {right}"
            return Finding(url, right, fault, f"with {right}", edit)
    if len(asked) > 1:
        times = f"{right}, {len(asked)} times"
        return Finding(times, right, f"requested {times}", "with one request")
    return None


def _judge_manager(given: Heard, message: Mapping[str, Any], oracle: Oracle) -> Finding | None:
    if given.turn.duty != ROUTE:
        return _judge_planner(given, message, oracle)
    allowed, said = oracle.allowed(given), read_choice(message, given.conversation)
    if said in allowed:
        return _judge_last_words(given, message, oracle) if said == FINISH else None
    meant = " or ".join(sorted(allowed))
    if not said:
        fault = f"named no role, expected {meant}"
        return Finding(_short(last_text([message])), meant, fault, f"with {meant} called")
    verb = "stopped" if said == FINISH else f"called {said}"
    repeats = said in given.turn.done
    remedy = "with an end there" if allowed == {FINISH} else f"with {meant} called"
    fault = f"{verb}, expected {meant}"
    return Finding(said, meant, fault, remedy, repeats=repeats)


def _judge_last_words(given: Heard, message: Mapping[str, Any], oracle: Oracle) -> Finding | None:
    """How a manager that tells the user the answer itself leaves what response had told it."""
    asked = heard(given.conversation)
    if not ends_with_answer(asked) or any(map(leaves, asked.tools)):
        return None
    told = [speech.text for speech in asked.speeches if speech.role == "response"]
    said = last_text([message])
    if not told or spoken(said) == spoken(told[-1]) or _judge_response(given, told[-1], oracle):
        return None
    finding = _judge_response(given, said, oracle)
    if finding is None:
        return None
    meant, remedy = _short(told[-1]), "with what response said"
    return replace(finding, meant=meant, remedy=remedy, bound=False)


def _judge_planner(given: Heard, message: Mapping[str, Any], oracle: Oracle) -> Finding | None:
    if given.turn.duty in (FACTS, OUTLINE):
        # Nobody is bound by what a ledger's prose says; what comes of it is a choice.
        return None
    text, right = last_text([message]), last_text([oracle.message(given)])
    read = {PLAN: _planned, ASSIGN: _assigned, CHECK: _verdict, MEND: _verdict}[given.turn.duty]
    said, meant = read(text, given), read(right, given)
    if said == meant:
        return None
    if given.turn.duty == PLAN and _same_plan(said, oracle):
        return None
    words = {
        PLAN: f"planned {said or 'nothing'} instead of {meant}",
        ASSIGN: f"assigned {said or 'nobody'} instead of {meant}",
        CHECK: f"judged a result '{said}', expected '{meant}'",
        MEND: f"answered a failure with '{said}', expected '{meant}'",
    }
    return Finding(said, meant, words[given.turn.duty], f"with {meant}")


def _planned(text: str, given: Heard) -> str:
    return ", ".join(_owner(task) or "nobody" for task in _TASK.findall(text))


def _same_plan(said: str, oracle: Oracle) -> bool:
    """Whether a plan differs by the order of time and location only."""
    wanted = list(stages(oracle.gold.domain, oracle.gold.slots))
    swap = {"time": "location", "location": "time"}
    swapped = [swap.get(role, role) for role in wanted]
    return sorted(swapped) == sorted(wanted) and said.split(", ") == swapped


def _assigned(text: str, given: Heard) -> str:
    owners = {task: _owner(words) for task, words in _SUBTASK.findall(given.conversation.prompt)}
    found = []
    for item in json_objects(text):
        for entry in item.get("assignments") or ():
            if isinstance(entry, Mapping):
                task, worker = str(entry.get("task_id")), str(entry.get("assignee_id"))
                role = role_of(worker, MEMBERS) or worker
                found.append(f"{owners.get(task) or task}:{role}")
        if found:
            break
    return ", ".join(found)


def _verdict(text: str, given: Heard) -> str:
    for item in json_objects(text):
        if "recovery_strategy" in item:
            strategy = item["recovery_strategy"]
            return str(strategy) if strategy else "accepted"
    return "unreadable"


def _owner(task: str) -> str | None:
    match = _WORKER.search(task)
    return None if match is None else role_of(match.group(1) or match.group(2), MEMBERS)


def _slot_fault(name: str, meant: Mapping[str, str], said: Mapping[str, str]) -> str:
    if name not in said:
        return f"left out {name}='{meant.get(name)}'"
    if name not in meant:
        return f"invented {name}='{said[name]}'"
    return f"gave {name}='{said[name]}', expected '{meant[name]}'"


def _slot_remedy(wrong: Sequence[str], meant: Mapping[str, str]) -> str:
    right = [f"{name} '{meant[name]}'" for name in wrong if name in meant]
    return f"with {' and '.join(right)}" if right else "without it"


def _value_remedy(wrong: Sequence[str], right: Mapping[str, str]) -> str:
    values = [right[name] for name in wrong if name in right]
    return f"with {' and '.join(values)}" if values else "without it"


def _value_fault(
    name: str, right: Mapping[str, str], said: Mapping[str, str], words: Mapping[str, str]
) -> str:
    heard = f"'{words[name]}'" if name in words else name
    if name not in said:
        return f"left out {name}={right.get(name)}"
    if name not in right:
        return f"invented {name}={said[name]}"
    if words.get(name) == said[name]:
        return f"did not normalise {heard}"
    return f"turned {heard} into {said[name]}"


def _pairs(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items()) or "nothing"


def dump(value: Mapping[str, Any]) -> str:
    """Return an object as a role says it."""
    return json.dumps(value, ensure_ascii=False)
