"""Every sweep makes behaviours that get the verdict that they should, and is fair to its task."""

from functools import cache
from itertools import islice

import pytest

from ossia.suites import find_suite
from ossia.tasks import find_tasks
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.audit.behaviours import Should, judge
from ossia_evaluation.audit.sweeps import MOST_FALSELY_ACCEPTED, MOST_FALSELY_REFUSED, SWEEPS
from tests.evaluation.support import CHAT, DENTIST, LIST, SCORER, WAKE, WEATHER, task

BY_NAME = {sweep.name: sweep for sweep in SWEEPS}


def message(words):
    slots = {"to_person": "sarah", "content": words}
    return task("email", "email_sendemail", "change", slots).model_copy(update={"id": words})


OWN = tuple(
    (message(words), SCORER)
    for words in (
        "i'll be late, you can start without me",
        "i'm on my way to the station",
        "we can't come on friday, but i love the idea",
        "you're right about the morning train",
    )
)
"""Messages with contractions, of which the built-in tasks hold few."""


@cache
def scored():
    """All tasks on which a sweep may be tried, each with the scorer of its suite."""
    found = []
    for suite in ("assistant", "assistant-compound", "workbench"):
        made = find_suite(suite)
        scorer = made.grader(made.domains("test"))
        found += [(one, scorer) for one in find_tasks("test", suite)]
    return (*found, *OWN)


def made_by(sweep, count):
    """The behaviours of the first tasks on which a sweep makes any, task by task."""
    every = ((one, scorer, list(sweep.behaviours(one, scorer.runner))) for one, scorer in scored())
    return list(islice((each for each in every if each[2]), count))


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda sweep: sweep.name)
def test_what_a_sweep_makes_gets_the_verdict_that_it_should(sweep):
    made = made_by(sweep, 3)
    assert len(made) == 3
    for one, scorer, behaviours in made:
        for behaviour in behaviours:
            found = judge(behaviour, one, scorer)
            assert found.agrees, (one.id, behaviour, found.score.reason)


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda sweep: sweep.name)
def test_behaviours_name_their_task_and_are_labelled(sweep):
    for one, _, behaviours in made_by(sweep, 3):
        for behaviour in behaviours:
            assert (behaviour.suite, behaviour.task) == (one.suite, one.id)
            assert (behaviour.kind, behaviour.should) == (sweep.name, sweep.should)
            assert behaviour.reply is None or behaviour.reply.strip()


@pytest.mark.parametrize(
    ("sweep", "own", "requests", "reply"),
    [
        ("all done, and denied", WAKE, ("G",), "Sorry, I could not do that."),
        ("the server asks back, 'done' is said", DENTIST, ("G",), "Done, it is all set."),
        ("name: 'fake' put before", LIST, ("fake soap", "packing"), None),
        ("name: an article put before", LIST, ("the soap", "packing"), None),
    ],
)
def test_what_a_sweep_makes_of_one_task(sweep, own, requests, reply):
    made = [
        ("".join(one.requests), one.reply) for one in BY_NAME[sweep].behaviours(own, SCORER.runner)
    ]
    plain = [(said.replace("%20", " ").replace("+", " "), told) for said, told in made]
    assert any(all(part in said for part in requests) and told == reply for said, told in plain)


@pytest.mark.parametrize(
    ("sweep", "own"),
    [
        ("nothing to do, and all claimed", WAKE),
        ("the server asks back, 'done' is said", WAKE),
        ("the gold answer, without looking", WAKE),
        ("reads the clock besides", WAKE),
        ("acts before it looks", WAKE),
        ("acts without looking", WEATHER),
        ("message: another last word", WEATHER),
        ("message: i and you swapped", LIST),
        ("name: 'fake' put before", WEATHER),
        ("asks in words what is missing", WEATHER),
        ("a wider question, narrowed", CHAT),
    ],
)
def test_a_sweep_makes_nothing_where_it_makes_no_sense(sweep, own):
    assert not list(BY_NAME[sweep].behaviours(own, SCORER.runner))


def test_a_message_is_changed_in_one_word():
    own = message("i love the early train")
    for name, words in {
        "message: one word reversed": "i hate the early train",
        "message: i and you swapped": "you love the early train",
        "message: another last word": "i love the early penguins",
        "message: greeting and thanks": "Hi! I just wanted to let you know: i love the early train."
        " Thanks!",
    }.items():
        (found,) = BY_NAME[name].behaviours(own, SCORER.runner)
        (changed,) = found.requests
        assert words in changed.replace("%20", " ").replace("+", " ").replace("%21", "!").replace(
            "%3A", ":"
        )


def test_a_gold_answer_without_looking_makes_no_request():
    (found,) = BY_NAME["the gold answer, without looking"].behaviours(WEATHER, SCORER.runner)
    assert found.requests == ()
    assert found.reply


def test_sweeps_are_told_apart_and_have_both_labels():
    assert len(BY_NAME) == len(SWEEPS)
    assert {sweep.should for sweep in SWEEPS} == set(Should) - {Should.DEBATABLE}
    assert 0 < MOST_FALSELY_ACCEPTED <= MOST_FALSELY_REFUSED < 0.1


@pytest.mark.slow
def test_every_kind_of_task_but_chat_is_swept():
    kinds = {one.gold.kind for sweep in SWEEPS for one, _, _ in made_by(sweep, 40)}
    assert kinds >= set(GoldKind) - {GoldKind.CHAT}
