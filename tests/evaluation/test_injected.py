"""One role's answer is made wrong in gold runs of built-in tasks: it is named, and nobody else."""

from collections import Counter

import pytest

from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.reply.judgement import TOLD_NOTHING
from ossia_servers.worlds.schema import Kind

from .support import BY_NAME, SCORER, STYLES, Play, gold_play, named

TASKS = [task for task in assistant_tasks("test") if task.gold.requests is None][::5]
WRONG = {
    Kind.NUMBER: "77",
    Kind.DATE: "2026-11-03",
    Kind.TIME: "02:13",
    Kind.PLACE: "Reykjavik, Iceland",
}


def other_words(task, request):
    """Return the request with its last parameter changed, or with another intent."""
    domain = BY_NAME[request.domain]
    name = list(request.params)[-1]
    declared = domain.field(name)
    if declared is None:
        names = [intent.name for intent in domain.intents]
        index = (names.index(request.params["intent"]) + 1) % len(names)
        return Request(domain=request.domain, params={**request.params, "intent": names[index]})
    wrong = WRONG.get(declared.kind, "zyzzyva quux")
    return Request(domain=request.domain, params={**request.params, name: wrong})


def wrong_intent(play, task):
    play.intent(task.gold.domain, "alarm_snooze", **task.gold.slots)
    if task.gold.time:
        play.time(**task.gold.time)
    if task.gold.place:
        play.location(**task.gold.place)
    (gold,) = task.gold.gold_requests()
    return Request(domain=gold.domain, params={**gold.params, "intent": "alarm_snooze"})


def wrong_time(play, task):
    if not task.gold.time:
        return None
    name = next(iter(task.gold.time))
    wrong = WRONG[Kind.DATE] if name == "date" else WRONG[Kind.TIME]
    play.time(**{**task.gold.time, name: wrong})
    if task.gold.place:
        play.location(**task.gold.place)
    return replaced(task, name, wrong)


def wrong_location(play, task):
    if not task.gold.place:
        return None
    name = next(iter(task.gold.place))
    play.location(**{**task.gold.place, name: WRONG[Kind.PLACE]})
    return replaced(task, name, WRONG[Kind.PLACE])


def replaced(task, name, value):
    (gold,) = task.gold.gold_requests()
    return Request(domain=gold.domain, params={**gold.params, name: value})


def spoiled(task, role, style):
    """Play a task whose role answers wrongly while all others do as they are told."""
    if role in ("intent", "time", "location"):
        play = gold_play(task, style, until=role)
        address = {"intent": wrong_intent, "time": wrong_time, "location": wrong_location}[role](
            play, task
        )
        if address is None:
            return None
        play.url(address.url).request(address.url)
    elif role == "url":
        (gold,) = task.gold.gold_requests()
        play = gold_play(task, style, until="url")
        url = other_words(task, gold).url
        play.url(url).request(url)
    elif role == "function call":
        (gold,) = task.gold.gold_requests()
        play = gold_play(task, style, until="request").request(other_words(task, gold).url)
    elif role == "manager":
        play = gold_play(task, style, until="request")
    else:
        return gold_play(task, style, until="response").response("").manager("finish")
    return play.response().manager("finish")


@pytest.mark.slow
@pytest.mark.parametrize(
    "role", ["intent", "time", "location", "url", "manager", "function call", "response"]
)
@pytest.mark.parametrize("style", STYLES)
def test_the_spoiled_role_alone_is_named(role, style):
    found, failed = Counter(), 0
    for task in TASKS:
        if task.gold.kind is GoldKind.CHAT:
            continue
        play = spoiled(task, role, style)
        if play is None:
            continue
        score = SCORER.score(task, play.trace())
        # A spoiled value that makes no difference leaves nothing to be attributed.
        if score.verdict == "failure":
            failed += 1
            found[tuple(named(score))] += 1
            assert (score.reason == TOLD_NOTHING) is (role == "response")
    assert failed >= 3
    assert found == {(role,): failed}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_gold_run_of_a_built_in_task_succeeds(task):
    score = gold_play(task).score()
    assert (score.verdict, score.faults) == ("success", ())
    assert score.slots is not None
    assert score.slots.correct


def test_plays_start_where_their_task_starts():
    for task in TASKS:
        assert Play(task).requests == ()
