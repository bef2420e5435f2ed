"""Auto-SLURP's slot-level score: is the executed request the gold request?

Reported beside the outcome. Unlike the published evaluator the intent is checked exactly, the last
request counts (so that a team may correct itself), and POST requests are judged like GET requests.
Source: arXiv 2504.18373, section 4 and the published judge prompts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from ossia_dataset.normalise import half_day_free
from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.assistant.contract import differing_parameters
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.records import ServerRequest
from ossia_workflows.assistant import TIME_SLOTS


class SlotScore(BaseModel):
    """How far the executed request agrees with the gold request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    correct: bool
    intent_correct: bool
    wrong: tuple[str, ...] = ()
    """Parameters that are missing, surplus or different."""


def score_slots(
    task: WorldTask,
    requests: Sequence[ServerRequest],
    answer: str,
    domains: Mapping[str, Domain],
) -> SlotScore:
    """Score the requests of an episode on the level of slots.

    Args:
        task: the task with its gold requests.
        requests: every request of the episode, in order.
        answer: the final answer; chit-chat needs one.
        domains: declarations of the domain servers, for the match rules.
    """
    if task.gold.kind is GoldKind.CHAT:
        silent = not requests
        return SlotScore(correct=silent and bool(answer.strip()), intent_correct=silent)
    if task.gold.parts:
        return _score_parts(task, requests, answer, domains)
    wrong: list[str] = []
    wanted = task.gold.gold_requests()
    # One gold request is compared with the last request of all: what a team settles on counts.
    candidates = requests[-1:] if len(wanted) == 1 else requests
    for gold in wanted:
        actual = _counterpart(gold, candidates)
        if actual is None:
            return SlotScore(correct=False, intent_correct=False)
        wrong += _wrong(task, gold, actual, domains)
    return SlotScore(correct=not wrong, intent_correct=True, wrong=tuple(wrong))


def _score_parts(
    task: WorldTask,
    requests: Sequence[ServerRequest],
    answer: str,
    domains: Mapping[str, Domain],
) -> SlotScore:
    """Score each part against the request of its domain and intent that is most like it."""
    left, wrong = list(requests), []
    for single in task.due():
        if single.gold.kind is GoldKind.CHAT:
            continue
        (gold,) = single.gold.gold_requests()
        alike = [
            (_wrong(single, gold, actual, domains), actual)
            for actual in reversed(left)
            if (actual.domain, actual.intent) == (gold.domain, gold.params["intent"])
        ]
        if not alike:
            return SlotScore(correct=False, intent_correct=False)
        names, taken = min(alike, key=lambda item: len(item[0]))
        left.remove(taken)
        wrong += names
    told = bool(answer.strip()) or not task.gold.parts[-1].is_chat
    return SlotScore(correct=not wrong and told, intent_correct=True, wrong=tuple(wrong))


def _counterpart(gold: Request, requests: Sequence[ServerRequest]) -> ServerRequest | None:
    """The request to be compared with a gold request: the last one of its domain and intent."""
    return next(
        (
            request
            for request in reversed(requests)
            if (request.domain, request.intent) == (gold.domain, gold.params["intent"])
        ),
        None,
    )


def _wrong(
    task: WorldTask, gold: Request, actual: ServerRequest, domains: Mapping[str, Domain]
) -> list[str]:
    names = differing_parameters(domains.get(gold.domain), gold.params, actual.params)
    return [name for name in names if not _excused(task, name, gold.params, actual.params)]


def _excused(
    task: WorldTask, name: str, gold: Mapping[str, str], actual: Mapping[str, str]
) -> bool:
    today = task.now.date().isoformat()
    if gold["intent"] == "datetime_query" and name == "date":
        return {gold.get(name, today), actual.get(name, today)} == {today}
    raw = task.gold.slots.get(name, "")
    if name in TIME_SLOTS and name in gold and name in actual and half_day_free(raw):
        return _same_half_day(gold[name], actual[name])
    return False


def _same_half_day(first: str, second: str) -> bool:
    """Whether two clock times differ by twelve hours at most in am and pm."""
    hours = [text.split(":") for text in (first, second)]
    if any(len(parts) != 2 or not all(p.isdigit() for p in parts) for parts in hours):
        return False
    (hour_1, minute_1), (hour_2, minute_2) = hours
    return minute_1 == minute_2 and int(hour_1) % 12 == int(hour_2) % 12
