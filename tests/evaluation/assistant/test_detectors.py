"""Each failure mode in a trace that shows it, and silence in traces that are as they should be."""

import json
from random import Random

import pytest

from ossia_evaluation.assistant.detectors.detect import DETECTORS, detect
from ossia_evaluation.assistant.detectors.modes import MODES
from ossia_evaluation.detectors import Coverage, mode_table
from ossia_evaluation.steps import read_steps
from ossia_servers.assistant.offline.faults import Catalogue, FaultMaker, FaultType, Scene
from ossia_servers.wire.names import user_says
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
    Play,
    gold_play,
    task,
)

TASKS = [WAKE, WEATHER, LIST, CHAT, DENTIST]
QUESTION = "When is the dentist?"


def told(episode, trace, forget=()):
    """The trace with each prompt holding what was said before, but for the roles forgotten."""
    heard = [{"role": "user", "content": user_says(episode.utterance)}]
    exchanges = []
    for exchange in trace.gateway.exchanges:
        last = exchange.request["messages"][-1]
        messages = [*heard, *([last] if last["role"] == "tool" else [])]
        request = {"model": f"ossia-{exchange.role}", "messages": messages}
        exchanges.append(exchange.model_copy(update={"request": request}))
        text = (exchange.response or {}).get("content")
        if text and exchange.role not in ("manager", *forget):
            heard.append({"role": "user", "name": exchange.role, "content": text})
    gateway = trace.gateway.model_copy(update={"exchanges": tuple(exchanges)})
    return trace.model_copy(update={"gateway": gateway})


def found(play, forget=(), **ending):
    trace = told(play.task, play.trace(**ending), forget)
    return detect(play.task, trace, read_steps(trace), BY_NAME)


def modes(*arguments, **named):
    return [detection.mode for detection in found(*arguments, **named)]


def wake(until):
    return gold_play(WAKE, until=until)


def test_every_mode_has_a_detector_or_is_not_applicable():
    applicable = [mode.number for mode in MODES if mode.coverage is not Coverage.NONE]
    assert applicable == list(DETECTORS)
    assert len(MODES) == 14


def test_modes_told_by_some_roles_or_by_a_list_of_words_are_told_in_part():
    partial = [mode.number for mode in MODES if mode.coverage is Coverage.PARTIAL]
    assert partial == ["2.3", "2.4", "2.5", "2.6", "3.2", "3.3"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("episode", TASKS, ids=lambda one: one.id)
def test_a_gold_run_shows_no_mode(episode, style):
    play = gold_play(episode, style)
    answer = QUESTION if episode is DENTIST else "Here you are."
    assert found(play, answer=answer) == ()


def test_an_episode_without_a_step_shows_no_mode():
    assert found(Play(WAKE), ending="framework_error") == ()


class TestSpecification:
    def test_an_answer_without_the_agreed_form(self):
        (one,) = found(Play(WAKE).say("intent", "They want an alarm."), ending="timeout")
        assert (one.mode, one.step, one.role) == ("1.1", 1, "intent")
        assert one.sentence == "intent gave no answer that has intent and slots"

    def test_a_turn_that_was_cut_before_its_answer_is_no_answer(self):
        play = wake("request").manager("request")
        play.call("request", 'http_request[{"method": "GET", "url": "/alarm"}]')
        assert "1.1" not in modes(play, ending="timeout")

    @pytest.mark.parametrize("role", ["time", "url", "request"])
    def test_a_role_that_was_given_nothing_has_no_form_to_keep(self, role):
        play = Play(WAKE).say(role, "There is nothing to work on.")
        assert "1.1" not in modes(play, ending="timeout")

    def test_the_users_words_in_place_of_a_normal_form(self):
        (one, *_) = found(wake("time").time(time="half past seven"), ending="timeout")
        assert (one.mode, one.role) == ("1.1", "time")
        assert "'half past seven', which is no normal form" in one.sentence

    def test_an_address_elsewhere(self):
        play = wake("url").url("https://example.com" + WAKE_URL)
        assert "1.1" in modes(play, ending="timeout")

    @pytest.mark.parametrize("answer", ['{"status": 200}', f"See {WAKE_URL}"])
    def test_an_answer_to_the_user_in_the_servers_form(self, answer):
        assert modes(gold_play(WAKE), answer=answer) == ["1.1"]

    def test_a_role_with_the_work_of_another(self):
        play = Play(WAKE).say("intent", {"url": WAKE_URL})
        told_of = {one.mode: one.sentence for one in found(play, ending="timeout")}
        assert told_of["1.2"] == "intent gave the result of url"

    def test_a_role_with_the_tool_of_another(self):
        play = wake("url").manager("url")
        play.call("url", None, tool=("http_request", {"method": "GET", "url": WAKE_URL}))
        play.call("url", json.dumps({"url": WAKE_URL}), after_tool=True)
        (one,) = found(play, ending="timeout")
        assert (one.mode, one.step) == ("1.2", 5)
        assert one.sentence == "url called http_request, which is a tool of request"

    def test_a_manager_that_does_the_work(self):
        play = wake("url").manager(json.dumps({"url": WAKE_URL}))
        assert modes(play, ending="timeout") == ["1.2"]

    def test_a_manager_that_hands_over_what_is_known(self):
        call = ("transfer_to_request", {"task": json.dumps({"url": WAKE_URL})})
        play = wake("request").call("manager", None, tool=call)
        assert modes(play, ending="timeout") == []

    def test_the_same_said_again(self):
        play = wake("url").time(**WAKE.gold.time)
        (one,) = found(play, ending="timeout")
        assert (one.mode, one.step, one.sentence) == ("1.3", 5, "time said the same as in step 3")

    def test_another_answer_is_no_repetition(self):
        play = wake("url").time(time="19:30")
        assert "1.3" not in modes(play, ending="timeout")

    def test_a_second_try_after_a_call_that_failed_is_no_repetition(self):
        play = Play(WAKE).manager("intent").call("intent", None, status="budget")
        assert modes(play, ending="timeout") == []

    def test_the_same_asked_twice_in_one_turn(self):
        play = wake("request").request(WAKE_URL, WAKE_URL)
        assert "1.3" in modes(play, ending="timeout")

    def test_two_wishes_may_have_the_same_time(self):
        other = LIST_URL.replace("soap", "milk")
        twice = task("lists", "lists_createoradd", "change", requests=[LIST_URL, other])
        play = Play(twice)
        for item, url in (("soap", LIST_URL), ("milk", other)):
            play.intent("lists", "lists_createoradd", item_name=item, list_name="packing")
            play.time(date="2026-03-14").url(url).request(url)
        play.response().manager("finish")
        assert not {"1.3", "2.1", "3.1"} & set(modes(play))

    def test_an_earlier_result_that_was_not_passed_on(self):
        play = gold_play(WAKE)
        one, *rest = found(play, forget=("time",))
        assert (one.mode, one.role) == ("1.4", "url")
        assert one.sentence == "url was told nothing of what time had found"
        assert rest == []

    def test_work_after_the_reply(self):
        play = wake("finish").time(time="08:00")
        assert "1.5" in modes(play)

    def test_a_budget_spent_after_the_reply(self):
        play = gold_play(WAKE).manager("finish").call("manager", None, status="budget")
        assert modes(play, ending="framework_error") == ["1.5"]


class TestTalk:
    def test_the_work_begins_anew(self):
        play = wake("request").intent("alarm", "alarm_query")
        (one,) = [one for one in found(play, ending="timeout") if one.mode == "2.1"]
        assert one.sentence == "intent restarted after time, url had worked"

    def test_a_second_try_of_the_first_step_is_no_reset(self):
        play = Play(WAKE).say("intent", "what?").intent("alarm", "alarm_query")
        assert "2.1" not in modes(play, ending="timeout")

    def test_another_domain_is_told_once(self):
        play = Play(WAKE).intent("calendar", "calendar_set", event_name="wake up")
        play.url("/calendar?intent=calendar_set&event_name=wake+up")
        (one,) = [one for one in found(play, ending="timeout") if one.mode == "2.3"]
        assert one.sentence == "intent turned to calendar in a task about alarm"

    def test_another_intent_of_the_domain_is_no_derailment(self):
        assert "2.3" not in modes(Play(WAKE).intent("alarm", "alarm_query"), ending="timeout")

    def request_saying(self, report):
        play = wake("request").manager("request")
        play.call("request", None, tool=("http_request", {"method": "GET", "url": WAKE_URL}))
        play.http(WAKE_URL)
        return play.call("request", json.dumps(report), after_tool=True)

    def test_a_report_without_the_answer(self):
        play = self.request_saying({"status": 200, "body": {}})
        (one,) = found(play, ending="timeout")
        assert one.mode == "2.4"
        assert one.sentence.startswith("request kept back what the alarm server answered: '")

    def test_a_report_of_another_status(self):
        play = self.request_saying({"status": 404, "body": {}})
        assert "2.6" in modes(play, ending="timeout")

    def test_a_value_that_was_given_is_left_out(self):
        play = wake("url").url("/alarm?intent=alarm_set&date=2026-03-14")
        (one,) = found(play, ending="timeout")
        assert one.mode == "2.5"
        assert one.sentence == "url left out time where time had given 07:30"

    def test_a_stale_value(self):
        play = gold_play(WEATHER, until="url")
        play.url("/weather?intent=weather_query&place_name=boston&date=2026-03-14")
        (one,) = found(play, ending="timeout")
        assert "put boston for place_name where location had given Dallas" in one.sentence

    def test_the_same_value_in_other_words_is_not_ignored(self):
        play = gold_play(WEATHER, until="url")
        play.url("/weather?intent=weather_query&place_name=dallas&date=2026-03-14")
        assert modes(play, ending="timeout") == []

    def test_what_was_not_told_is_not_ignored(self):
        play = wake("url").url("/alarm?intent=alarm_set&date=2026-03-14")
        assert modes(play, forget=("time",), ending="timeout") == ["1.4"]

    def test_another_address_is_asked(self):
        play = wake("request").request(WAKE_URL.replace("07", "08"))
        assert "2.5" in modes(play, ending="timeout")

    def test_success_of_a_call_that_was_never_made(self):
        play = wake("request").request(WAKE_URL, invent=True)
        (one,) = found(play, ending="timeout")
        assert (one.mode, one.role) == ("2.6", "request")

    def test_the_report_of_an_earlier_call_is_no_invention(self):
        play = wake("response").request(WAKE_URL, invent=True)
        assert "2.6" not in modes(play, ending="timeout")

    def test_a_manager_that_speaks_of_one_and_calls_another(self):
        call = ("transfer_to_url", {})
        play = wake("time").call("manager", "The time agent is next.", tool=call)
        assert modes(play, ending="timeout") == ["2.6"]

    def test_a_manager_that_does_what_it_says(self):
        call = ("transfer_to_time", {})
        play = wake("time").call("manager", "The time agent is next.", tool=call)
        assert modes(play, ending="timeout") == []


class TestEnding:
    def test_the_end_while_roles_are_due(self):
        (one,) = found(wake("request").manager("finish"), answer="I could not do it, sorry.")
        assert one.mode == "3.1"
        assert one.sentence == (
            "manager was the last to work where request and response were still due"
        )

    def test_an_end_by_force_is_not_premature(self):
        assert modes(wake("request"), ending="timeout") == []

    def test_an_end_after_an_answer_that_nobody_can_read(self):
        assert "3.1" in modes(Play(WAKE).say("intent", "what?"), answer="Sorry, what?")

    def test_success_without_any_server(self):
        play = wake("url").response("Your alarm is set.").manager("finish")
        assert "3.2" in modes(play)

    def test_an_apology_without_any_server(self):
        play = wake("url").response("I could not set it.").manager("finish")
        assert "3.2" not in modes(play)

    def test_success_after_a_refusal(self):
        refused = "/alarm?intent=alarm_fly"
        play = wake("url").url(refused).request(refused).response("Your alarm is set.")
        told_of = {one.mode: one.sentence for one in found(play)}
        assert "although the alarm server refused with 4" in told_of["3.3"]

    def test_a_refusal_that_a_later_request_made_good(self):
        refused = "/alarm?intent=alarm_fly"
        play = wake("request").request(refused).request(WAKE_URL).response("Your alarm is set.")
        assert "3.3" not in modes(play)

    def test_success_where_the_server_asked_back(self):
        play = gold_play(DENTIST)
        assert modes(play, answer="It is in your calendar.") == ["3.3"]


FAULTS = {
    FaultType.INTENT_WRONG_DOMAIN: "2.3",
    FaultType.INTENT_MALFORMED: "1.1",
    FaultType.TIME_UNCONVERTED: "1.1",
    FaultType.TIME_MALFORMED: "1.1",
    FaultType.URL_WRONG_ENDPOINT: "2.5",
    FaultType.URL_DROPPED_PARAM: "2.5",
    FaultType.URL_ALTERED_PARAM: "2.5",
    FaultType.URL_STALE_VALUE: "2.5",
    FaultType.URL_MALFORMED: "1.1",
}
ANSWERS = {
    "intent": {"domain": "alarm", "intent": "alarm_set", "slots": WAKE.gold.slots},
    "time": {"time_slots": WAKE.gold.time},
    "url": {"url": WAKE_URL},
}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_made_faults_are_seen(fault):
    # As the faulty role knew it: the roles before it have answered.
    scene = Scene(
        utterance=WAKE.utterance,
        intent=None if fault.role == "intent" else ANSWERS["intent"],
        time_slots=dict(WAKE.gold.time) if fault.role == "url" else None,
    )
    right = json.dumps(ANSWERS[fault.role])
    maker = FaultMaker(Catalogue.of(list(BY_NAME.values())))
    wrong = maker.make(fault, right, scene, Random(1))
    assert wrong is not None
    assert FAULTS[fault] in modes(wake(fault.role).say(fault.role, wrong), ending="timeout")


def test_the_table_counts_episodes_by_framework():
    clean = found(gold_play(WAKE))
    twice = found(wake("url").time(**WAKE.gold.time).time(**WAKE.gold.time), ending="timeout")
    assert [one.mode for one in twice] == ["1.3", "1.3"]
    table = mode_table(MODES, [("camel", clean), ("camel", twice), ("autogen", clean)])
    rows = {row.mode: row for row in table.rows}
    assert table.frameworks == ("camel", "autogen")
    repeated = rows["1.3"].episodes
    assert (repeated["camel"].count, repeated["camel"].of) == (1, 2)
    assert repeated["camel"].low < 0.5 < repeated["camel"].high
    assert repeated["autogen"].count == 0
    assert rows["2.2"].episodes == {}
    assert [row.mode for row in table.rows] == [mode.number for mode in MODES]
