"""Which roles the rules name, one failure at a time: the right ones, and nobody else."""

import pytest

from ossia_evaluation.assistant.rules import attribute_by_rules
from ossia_evaluation.steps import read_steps
from tests.evaluation.support import (
    BY_NAME,
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


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", TASKS)
def test_a_gold_run_succeeds_and_names_nobody(name, style):
    play = gold_play(TASKS[name], style)
    score = play.score()
    assert (score.verdict, score.faults) == ("success", ())
    trace = play.trace()
    faults = attribute_by_rules(TASKS[name], trace, read_steps(trace), BY_NAME)
    assert [fault.role for fault in faults] == ["framework"]


@pytest.mark.parametrize("style", STYLES)
def test_a_wrong_intent_is_the_intents_alone(style):
    url = "/alarm?intent=alarm_query&time=07%3A30&date=2026-03-14"
    play = Play(WAKE, style).intent("alarm", "alarm_query", **WAKE_SLOTS).time(**WAKE_TIMES)
    score = play.url(url).request(url).response().manager("finish").score()
    assert named(score) == ["intent"]
    assert score.faults[0].reason == "predicted alarm_query, expected alarm_set"


def test_a_domain_alone_may_be_wrong():
    url = "/calendar?intent=alarm_set&time=07%3A30&date=2026-03-14"
    play = Play(WAKE).intent("calendar", "alarm_set", **WAKE_SLOTS).time(**WAKE_TIMES)
    score = play.url(url).request(url).response().score()
    assert named(score) == ["intent"]
    assert score.faults[0].reason == "predicted calendar alarm_set, expected alarm alarm_set"


def test_an_intent_that_cannot_be_read():
    score = Play(WAKE).say("intent", "I think this is about alarms.").score(answer="done")
    assert [(f.role, f.reason) for f in score.faults] == [
        ("intent", "gave no intent that can be read")
    ]


def test_a_dropped_slot_is_the_intents_and_not_the_time_roles():
    play = Play(WAKE).intent("alarm", "alarm_set", time="half past ten").time(time="10:30")
    url = "/alarm?intent=alarm_set&time=10%3A30"
    score = play.url(url).request(url).response().score()
    assert named(score) == ["intent"]
    assert score.faults[0].reason == (
        "alarm_set: gave time=half past ten, expected half past seven; left out date=tomorrow"
    )


@pytest.mark.parametrize("style", STYLES)
def test_a_wrong_time(style):
    url = "/alarm?intent=alarm_set&time=19%3A30&date=2026-03-14"
    play = gold_play(WAKE, style, until="time").time(time="19:30", date="2026-03-14")
    score = play.url(url).request(url).response().manager("finish").score()
    assert [(f.role, f.reason) for f in score.faults] == [
        ("time", "gave time=19:30, expected 07:30")
    ]


def test_a_time_left_out():
    short = "/weather?intent=weather_query&place_name=Dallas%2C+Texas"
    play = gold_play(WEATHER, until="time").time().location(place_name="Dallas, Texas")
    score = play.url(short).request(short).response().score()
    assert [(f.role, f.reason) for f in score.faults] == [("time", "left out date=2026-03-14")]


def test_a_time_made_up():
    undated = task(
        "alarm", "alarm_set", "change", {"time": "half past seven"}, time={"time": "07:30"}
    )
    url = "/alarm?intent=alarm_set&time=07%3A30&date=2026-03-20"
    play = gold_play(undated, until="time").time(time="07:30", date="2026-03-20")
    score = play.url(url).request(url).response().score()
    assert [(f.role, f.reason) for f in score.faults] == [("time", "invented date=2026-03-20")]


def test_a_time_role_that_cannot_be_read():
    url = "/alarm?intent=alarm_set"
    play = gold_play(WAKE, until="time").say("time", "half past seven is 07:30")
    assert named(play.url(url).request(url).response().score()) == ["time"]


def test_the_time_role_answers_for_what_it_received():
    url = "/alarm?intent=alarm_set&time=08%3A30&date=2026-03-14"
    play = Play(WAKE).intent("alarm", "alarm_set", time="half past eight", date="tomorrow")
    play.time(time="08:30", date="2026-03-14").url(url).request(url).response()
    assert named(play.score()) == ["intent"]


def test_the_time_role_does_not_answer_for_an_intent_that_came_later():
    play = gold_play(WAKE, until="url")
    play.intent("alarm", "alarm_set", time="nine", date="tomorrow")
    score = play.url(WAKE_URL + "&event_name=gym").request(WAKE_URL + "&event_name=gym")
    assert "time" not in named(score.response().score())


@pytest.mark.parametrize("style", STYLES)
def test_a_wrong_place(style):
    url = "/weather?intent=weather_query&place_name=Austin%2C+Texas&date=2026-03-14"
    play = gold_play(WEATHER, style, until="location").location(place_name="Austin, Texas")
    score = play.url(url).request(url).response().manager("finish").score()
    assert [(f.role, f.reason) for f in score.faults] == [
        ("location", "gave place_name=Austin, Texas, expected Dallas, Texas")
    ]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (
            "/alarm?intent=alarm_set&time=07%3A30&date=2026-03-15",
            "gave date=2026-03-15, expected 2026-03-14",
        ),
        (
            "/alarm?intent=alarm_set&date=2026-03-14&event_name=gym",
            "left out time=07:30",
        ),
        (
            "/calendar?intent=calendar_set&time=07%3A30&date=2026-03-14&event_name=x",
            "addressed calendar calendar_set, expected alarm_set",
        ),
        ("/alarm", "addressed alarm, expected alarm_set"),
        ("alarm", "gave 'alarm', which is no path of the servers"),
    ],
)
def test_a_wrong_address(url, reason):
    score = gold_play(WAKE, until="url").url(url).request(url).response().score()
    assert [(f.role, f.reason) for f in score.faults] == [("url", reason)]


def test_an_address_that_cannot_be_read():
    play = gold_play(WAKE, until="url").say("url", "Ask the alarm server!")
    score = play.request(WAKE_URL.replace("07", "08"), invent=True).response().score()
    assert [(f.role, f.reason) for f in score.faults] == [
        ("url", "gave no address that can be read")
    ]


def test_an_address_of_no_server_is_not_the_request_roles():
    url = "/alarms?intent=alarm_set&time=07%3A30&date=2026-03-14"
    score = gold_play(WAKE, until="url").url(url).request(url).response().score()
    assert named(score) == ["url"]


def test_a_url_role_that_corrects_a_wrong_intent_is_right():
    play = Play(WAKE).intent("alarm", "alarm_query", **WAKE_SLOTS).time(**WAKE_TIMES).url(WAKE_URL)
    score = play.request(WAKE_URL.replace("07", "08")).response().score()
    assert named(score) == ["function call"]


def test_a_url_role_that_corrects_slots_as_well_is_right():
    play = Play(LIST).intent("lists", "lists_query", list_name="packing").url(LIST_URL)
    assert named(play.request(invent=True).response().score()) == ["function call"]


@pytest.mark.parametrize("style", STYLES)
def test_a_wrong_call(style):
    other = WAKE_URL.replace("2026-03-14", "2026-03-15")
    play = gold_play(WAKE, style, until="request").request(other).response().manager("finish")
    assert [(f.role, f.reason) for f in play.score().faults] == [
        (
            "function call",
            f"requested alarm alarm_set, expected {WAKE_URL}",
        )
    ]


@pytest.mark.parametrize("style", STYLES)
def test_an_invented_answer(style):
    play = gold_play(WAKE, style, until="request").request(invent=True).response()
    assert [(f.role, f.reason) for f in play.manager("finish").score().faults] == [
        ("function call", f"did not request {WAKE_URL}")
    ]


def test_a_call_more_than_was_told():
    play = gold_play(WAKE, until="request").request(LIST_URL, WAKE_URL).response()
    score = play.score()
    assert named(score) == ["function call"]
    assert score.faults[0].reason.startswith("also requested lists lists_createoradd")


@pytest.mark.parametrize("style", STYLES)
def test_the_same_call_twice(style):
    play = gold_play(WAKE, style, until="request").request(WAKE_URL, WAKE_URL).response()
    score = play.manager("finish").score()
    assert score.side_effects
    assert [(f.role, f.reason) for f in score.faults] == [
        ("function call", "made the same request more than once")
    ]


def test_the_same_question_twice_harms_nobody():
    play = gold_play(WEATHER, until="request").request(WEATHER_URL, WEATHER_URL).response()
    assert play.score().verdict == "success"


def test_the_same_call_twice_in_two_turns_is_the_managers():
    play = gold_play(WAKE, until="request").request(WAKE_URL).request(WAKE_URL).response()
    assert [(f.role, f.reason) for f in play.score().faults] == [
        ("manager", "called request, expected response")
    ]


def test_a_manager_that_skips():
    play = Play(WAKE).intent("alarm", "alarm_set", **WAKE_SLOTS)
    url = "/alarm?intent=alarm_set&time=half+past+seven&date=tomorrow"
    score = play.url(url).request(url).response().score()
    assert [(f.role, f.reason) for f in score.faults] == [("manager", "called url, expected time")]


@pytest.mark.parametrize(
    ("until", "wanted"),
    [("time", "time"), ("url", "url"), ("request", "request"), ("response", "response")],
)
def test_a_manager_that_stops_early(until, wanted):
    score = gold_play(WAKE, until=until).manager("finish").score(answer="done")
    if until == "response":
        assert score.verdict == "success"
        score = gold_play(WAKE, until=until).manager("finish").score(answer="")
    assert [(f.role, f.reason) for f in score.faults] == [
        ("manager", f"stopped, expected {wanted}")
    ]


def test_a_manager_that_repeats_until_the_framework_stops():
    play = gold_play(WAKE, until="time")
    for _ in range(5):
        play.intent("alarm", "alarm_set", **WAKE_SLOTS)
    score = play.score(ending="framework_error", detail="recursion limit")
    assert [(f.role, f.reason) for f in score.faults] == [
        ("manager", "called intent, expected time")
    ]


def test_a_manager_that_has_a_server_act_for_chit_chat():
    url = "/alarm?intent=alarm_set&time=07%3A30"
    play = Play(CHAT).intent("general", "general_joke").url(url)
    score = play.request(url).response().score()
    assert "manager" in named(score)
    assert "intent" not in named(score)


def test_a_manager_that_names_no_role():
    play = gold_play(WAKE, until="time").manager("I would ask the clock specialist.")
    score = play.score(ending="framework_error", detail="RoutingError: no role")
    assert [(f.role, f.reason) for f in score.faults] == [
        ("manager", "named no role, expected time")
    ]


def test_a_turn_that_changes_nothing_is_not_the_managers_fault():
    url = "/lists?intent=lists_createoradd&item_name=soap&list_name=shopping"
    play = gold_play(LIST, until="url").time().location().url(url).request(url).response()
    assert named(play.score()) == ["url"]


def test_workers_side_by_side_are_in_order():
    play = Play(WEATHER, "camel").manager("plan").manager("assign")
    play.say("intent", frame(WEATHER), called=False)
    play.call("time", None, tool=("get_date", {})).say(
        "location", {"place_slots": {"place_name": "Dallas, Texas"}}, called=False
    )
    play.call("time", STYLES["camel"]('{"time_slots": {"date": "2026-03-15"}}'), after_tool=True)
    url = WEATHER_URL.replace("14", "15")
    play.manager("good").say("url", {"url": url}, called=False).manager("good")
    play.request(url).response()
    steps = [step.situation for step in read_steps(play.trace()) if step.role != "manager"]
    assert steps == ["intent#1", "time#1", "location#1", "url#1", "request#1", "response#1"]
    assert named(play.score()) == ["time"]


@pytest.mark.parametrize("style", STYLES)
def test_a_silent_response(style):
    play = gold_play(WAKE, style, until="response").response("").manager("finish")
    assert [(f.role, f.reason) for f in play.score().faults] == [
        ("response", "told the user nothing")
    ]


@pytest.mark.parametrize("style", STYLES)
def test_a_framework_that_loses_the_answer(style):
    score = gold_play(WAKE, style).score(answer="")
    assert [(f.role, f.reason) for f in score.faults] == [
        ("framework", "lost the answer of the response role")
    ]


def test_nobody_who_led_to_a_right_outcome_is_named_for_a_lost_answer():
    play = Play(WAKE).intent("alarm", "alarm_set", time="half past seven")
    play.time(time="07:30").url("/alarm?intent=alarm_set&time=07%3A30")
    play.request("/alarm?intent=alarm_set&time=07%3A30").response("")
    assert named(play.score()) == ["response"]
