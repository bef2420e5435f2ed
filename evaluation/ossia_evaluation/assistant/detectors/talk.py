"""MAST's second category: how the roles work with one another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ossia_evaluation.assistant.case import ROLES, Address, Case
from ossia_evaluation.assistant.contract import differing_parameters, expected_parameters
from ossia_evaluation.assistant.detectors.found import (
    MANAGER,
    Sign,
    is_idle,
    of_round,
    served,
    works_in_rounds,
)
from ossia_evaluation.assistant.detectors.specification import lost_sources
from ossia_evaluation.assistant.outputs import output_of
from ossia_evaluation.steps import Step
from ossia_evaluation.urls import asked_urls, calls_of, read_url
from ossia_evaluation.worlds.match import plain
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.names import role_of
from ossia_workflows.assistant import CHAT_DOMAIN, NOTHING_LEFT, PLACE_SLOTS, TIME_SLOTS


def conversation_reset(case: Case) -> Iterator[Sign]:
    """2.1: the intent role works again after others have built on its answer.

    In a task of several wishes a new round begins with it, once the request was made.
    """
    since: list[str] = []
    begun = False
    for step in case.steps:
        if step.role == "intent":
            if begun and since and not (works_in_rounds(case) and "request" in since):
                yield step, f"restarted after {', '.join(since)} had worked"
            begun, since = begun or step.answered, []
        elif step.role in ROLES and step.answered and step.role not in since:
            since.append(step.role)


def task_derailment(case: Case) -> Iterator[Sign]:
    """2.3: a role first turns to a domain that the task is not about."""
    meant = {case.task.gold.domain, *case.task.domains}
    for step in case.steps:
        domain = _domain(step)
        if domain and domain not in meant | {NOTHING_LEFT}:
            about = " and ".join(sorted(meant))
            yield step, f"turned to {domain} in a task about {about}"
            return


def information_withholding(case: Case) -> Iterator[Sign]:
    """2.4: the request role's report does not hold what the server answered."""
    for step in case.steps:
        if step.role != "request" or not step.text:
            continue
        records = [found for url in asked_urls(step) if (found := served(case, url)) is not None]
        if not records or not records[-1].response:
            continue
        reported, record = plain(_unescaped(step.text)), records[-1]
        if plain(record.response) in reported:
            continue
        body = (output_of(step) or {}).get("body")
        data = body.get("data") if isinstance(body, Mapping) else None
        result = data.get("result") if isinstance(data, Mapping) else None
        if record.result is None or result != record.result:
            yield step, f"kept back what the {record.domain} server answered: '{record.response}'"


def ignored_input(case: Case) -> Iterator[Sign]:
    """2.5: the url or the request role departs from what it was given.

    What a role was not told it cannot ignore: that is a loss of history.
    """
    for step in case.steps:
        if step.role == "url" and output_of(step) is not None:
            yield from ((step, clause) for clause in _ignored_by_url(of_round(case, step), step))
        elif step.role == "request":
            address = case.address(step)
            if address is None or "url" in lost_sources(case, step):
                continue
            for url in asked_urls(step):
                if _differs(case, Address(url, *read_url(url)), address):
                    yield step, f"asked {url} where url had given {address.text}"


def reasoning_action_mismatch(case: Case) -> Iterator[Sign]:
    """2.6: a report of a request that was not made like that, or words unlike the call made."""
    for step in case.steps:
        if step.role == "request" and (output := output_of(step)) is not None:
            yield from ((step, clause) for clause in _misreported(case, step, output))
        elif step.role == MANAGER:
            called = {
                role for name, _ in calls_of(step) if (role := role_of(name, MEMBERS)) is not None
            }
            named = {
                r for word in step.text.split() if (r := role_of(word.strip(".,:;`'*\""), MEMBERS))
            }
            native = any(
                exchange.response and exchange.response.get("tool_calls")
                for exchange in step.exchanges
            )
            if native and len(called) == 1 == len(named) and called != named:
                yield step, f"spoke of {named.pop()} and called {called.pop()}"


def _domain(step: Step) -> str:
    """The domain that a step's output is about; empty where it says none, or is chit-chat."""
    output = output_of(step) or {}
    if step.role == "intent":
        domain = str(output.get("domain", ""))
        return "" if domain == CHAT_DOMAIN else domain
    address = Address.of(output) if step.role == "url" and output else None
    if address is not None:
        return address.domain
    urls = asked_urls(step)
    return read_url(urls[0])[0] if urls else ""


def _ignored_by_url(case: Case, step: Step) -> Iterator[str]:
    if is_idle(case, step):
        return
    frame, address = case.frame(step), Address.of(output_of(step))
    lost = lost_sources(case, step)
    if frame is None or address is None or "intent" in lost:
        return
    if (address.domain, address.intent) != (frame.domain, frame.intent):
        asked = f"{address.domain or 'nobody'} for {address.intent or 'nothing'}"
        yield f"asks {asked} where intent had given {frame.domain} {frame.intent}"
        return
    times = case.values("time", "time_slots", step) or {}
    places = case.values("location", "place_slots", step) or {}
    wanted = expected_parameters(frame, times, places)
    known = case.domains.get(address.domain)
    for name in differing_parameters(known, wanted, address.params, lenient=case.lenient):
        source = "time" if name in times else "location" if name in places else "intent"
        if name not in wanted or source in lost:
            continue
        if source == "intent" and name in TIME_SLOTS | PLACE_SLOTS:
            # Nobody has given a normal form, so the role is free in it.
            continue
        got = address.params.get(name)
        done = f"left out {name}" if got is None else f"put {got} for {name}"
        yield f"{done} where {source} had given {wanted[name]}"


def _differs(case: Case, asked: Address, given: Address) -> bool:
    known = case.domains.get(given.domain)
    return (asked.domain, asked.intent) != (given.domain, given.intent) or bool(
        differing_parameters(known, given.params, asked.params, lenient=False)
    )


def _misreported(case: Case, step: Step, output: Mapping[str, object]) -> Iterator[str]:
    urls = asked_urls(step)
    if is_idle(case, step):
        return
    scope = of_round(case, step) if works_in_rounds(case) else case
    if not urls and any(asked_urls(s) for s in scope.steps if s.index < step.index):
        # The contract forbids a second call for one address, and a report of the first is right.
        return
    if not urls:
        yield f"reported status {output['status']} of a request that it never made"
        return
    record = served(case, urls[-1])
    if record is not None and str(record.status) != str(output["status"]):
        yield f"reported status {output['status']} where the server had answered {record.status}"


def _unescaped(text: str) -> str:
    """A text with the escapes of JSON strings inside it undone, as far as that goes."""
    try:
        return f"{text} {json.dumps(json.loads(text), ensure_ascii=False)}"
    except ValueError:
        return text.replace('\\"', '"').replace("\\n", " ")
