"""Whom the rules leave out, and when they are read to the letter."""

import json

import pytest

from ossia_evaluation.assistant.outputs import output_of
from ossia_evaluation.steps import read_steps
from tests.evaluation.support import (
    CHAT,
    DENTIST,
    LIST,
    LIST_URL,
    STYLES,
    WAKE,
    WAKE_URL,
    WEATHER,
    WEATHER_URL,
    Play,
    frame,
    gold_play,
    named,
    task,
)

TASKS = {"wake": WAKE, "weather": WEATHER, "list": LIST, "chat": CHAT, "dentist": DENTIST}
WAKE_SLOTS = {"time": "half past seven", "date": "tomorrow"}
WAKE_TIMES = {"time": "07:30", "date": "2026-03-14"}


@pytest.mark.parametrize("status", ["budget", "bad_request", "abandoned"])
@pytest.mark.parametrize("role", ["intent", "time", "location", "url", "request", "response"])
def test_a_role_without_an_answer_of_its_model_is_not_named(role, status):
    play = gold_play(WEATHER, until=role).manager(role).call(role, None, status=status)
    score = play.score(ending="framework_error", detail="APIError: refused")
    wanted = {
        "budget": "the episode's budget of calls was spent",
        "bad_request": f"refused: the endpoint did not take a request of {role} (as told)",
        "abandoned": "ended in framework error: APIError: refused",
    }[status]
    assert [(f.role, f.reason) for f in score.faults] == [("framework", wanted)]


def test_a_time_role_cut_after_its_tool_is_not_named():
    play = gold_play(WAKE, until="time").manager("time").call("time", None, tool=("get_date", {}))
    play.call("time", None, after_tool=True, status="budget")
    assert named(play.score(ending="framework_error")) == ["framework"]


def test_what_the_published_judge_neglects_is_named_when_nothing_else_explains_it():
    url = LIST_URL.replace("packing", "shopping")
    play = Play(LIST).intent("lists", "lists_createoradd", item_name="soap", list_name="shopping")
    score = play.url(url).request(url).response().score()
    assert [(f.role, f.reason) for f in score.faults] == [
        ("intent", "lists_createoradd: gave list_name=shopping, expected packing")
    ]


def test_what_the_published_judge_neglects_is_not_named_beside_another():
    other = LIST_URL.replace("packing", "books")
    play = Play(LIST).intent("lists", "lists_createoradd", item_name="soap", list_name="shopping")
    url = LIST_URL.replace("packing", "shopping")
    score = play.url(url).request(other).response().score()
    assert named(score) == ["function call"]


def test_several_roles_may_be_named():
    play = Play(WEATHER).intent("weather", "weather_query", place_name="austin", date="tomorrow")
    play.time(date="2026-03-15").location(place_name="Austin, Texas")
    url = "/weather?intent=weather_query&place_name=Austin%2C+Texas&date=2026-03-15"
    score = play.url(url).request(url).response().score()
    assert named(score) == ["intent", "time"]


def test_slots_that_mean_the_same_are_the_same():
    play = Play(WAKE).intent("alarm", "alarm_set", time="at half past seven", date="tomorrow")
    play.time(time="07:35", date="2026-03-14")
    url = WAKE_URL.replace("30", "35")
    assert named(play.url(url).request(url).response().score()) == ["time"]


def test_a_correction_by_a_second_turn_counts():
    url = WAKE_URL.replace("07", "08")
    play = gold_play(WAKE, until="url").url("/alarm").url(url)
    score = play.request(url).response().score()
    assert named(score) == ["url", "manager"]
    assert score.faults[0].reason == "gave time=08:30, expected 07:30"


def test_a_task_of_two_requests_lets_the_manager_go_round_again():
    both = task(
        "alarm", "alarm_set", "change", dict(WAKE_SLOTS), time=WAKE_TIMES,
        requests=[WEATHER_URL, WAKE_URL],
    )  # fmt: skip
    play = Play(both).intent("alarm", "alarm_set", **WAKE_SLOTS).time(**WAKE_TIMES)
    play.url(WEATHER_URL).request(WEATHER_URL).url(WAKE_URL)
    assert named(play.request(WAKE_URL.replace("07", "08")).response().score()) == ["function call"]


def test_a_success_is_never_attributed():
    play = Play(WAKE).intent("alarm", "alarm_query", **WAKE_SLOTS).time(**WAKE_TIMES)
    score = play.url(WAKE_URL).request(WAKE_URL).response().score()
    assert (score.verdict, score.faults) == ("success", ())


def test_a_word_for_json_in_the_answers_of_all_styles():
    for style, wrap in STYLES.items():
        play = Play(WAKE, style).say("intent", json.dumps(frame(WAKE)))
        (step,) = (s for s in read_steps(play.trace()) if s.role == "intent")
        assert step.text == wrap(json.dumps(frame(WAKE)))
        assert output_of(step) == frame(WAKE)


def test_free_text_that_misled_the_server_is_the_intents_when_nobody_else_deviates():
    """Alike under the match rule, but not what the user said: read to the letter then."""
    asked = task("qa", "qa_maths", "answer", {"content": "divide nine hundred by twelve"})
    said = "twelve people so divide nine hundred by twelve"
    url = "/qa?intent=qa_maths&content=twelve+people+so+divide+nine+hundred+by+twelve"
    play = Play(asked).intent("qa", "qa_maths", content=said).url(url).request(url)
    score = play.response("What shall I work out?").manager("finish").score()
    assert named(score) == ["intent"]
