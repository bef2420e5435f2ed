"""Which step made which request."""

import pytest

from ossia_evaluation.asked import asked_by
from ossia_evaluation.steps import read_steps

from .support import STYLES, WAKE, WAKE_URL, Play, gold_play

OTHER = WAKE_URL.replace("07", "08")


def asked(play):
    steps = read_steps(play.trace())
    found = asked_by(steps, play.requests)
    made = {
        steps[number].situation: [request.params["time"] for request in requests]
        for number, requests in enumerate(found.by_step)
        if requests
    }
    return made, [request.params["time"] for request in found.untold]


@pytest.mark.parametrize("style", STYLES)
def test_each_request_stands_with_the_step_that_made_it(style):
    play = gold_play(WAKE, style, until="request").request(WAKE_URL, OTHER)
    play.url(OTHER).request(OTHER).response()
    assert asked(play) == ({"request#1": ["07:30", "08:30"], "request#2": ["08:30"]}, [])


def test_a_call_that_reached_no_server_has_no_request():
    play = gold_play(WAKE, until="request").request("https://elsewhere/", WAKE_URL)
    assert asked(play) == ({"request#1": ["07:30"]}, [])


def test_a_request_that_no_call_asks_for_stands_apart():
    play = Play(WAKE).intent("alarm", "alarm_set")
    play.http(WAKE_URL)
    assert asked(play) == ({}, ["07:30"])
