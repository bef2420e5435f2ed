"""What the user was told is judged by rules: a table for each rule, and nothing makes them fail."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.reply.judge import (
    judge_answer,
    judge_chat,
    judge_inaction,
    judge_question,
    judge_report,
    own_words,
)
from ossia_evaluation.reply.judgement import Done, Judgement, Truth
from ossia_evaluation.reply.support import support_of

from .scenes import (
    ALARMS,
    EMAIL,
    EMPTY,
    FORECASTS,
    MEETING,
    NO_RAIN,
    NOW,
    PRICE,
    REMOVED,
    UMBRELLA,
    WAKE,
    WEATHER,
    cases,
    fact,
)

ANSWERS_ACCEPTED = {
    "what was asked": [
        (WEATHER, "Tomorrow it will be partly cloudy in Dallas."),
        (WEATHER, "Expect a high of 71 and clouds."),
        (WEATHER, "Cloudy, between 52 and 71 degrees."),
        (PRICE, "Toyota stands at $199.84."),
        (PRICE, "About 200 dollars."),
        (PRICE, "It costs 199.84 dollars, down 1.22 percent"),
        (MEETING, "It is next Friday, March 20, at 2:30 pm."),
        (MEETING, "On the 20th at half past two."),
        (MEETING, "You meet Anna on 2026-03-20 at 14:30."),
        (UMBRELLA, "No, it stays dry."),
        (UMBRELLA, "It will not rain tomorrow."),
        (UMBRELLA, "It won't."),
        (EMPTY, "No, you have no meetings on Monday."),
        (EMPTY, "Your calendar is empty that day."),
        (EMPTY, "There is nothing planned on March 16."),
    ],
    "rivals": [
        (ALARMS, "At nine in the evening."),
        (ALARMS, "Your medicine alarm is at 21:00."),
        (ALARMS, "It rings at 9 pm. There is another at 7 am, but only for work."),
    ],
    "rows": [
        (FORECASTS, "It is 71 in Dallas and 48 in Boston."),
        (FORECASTS, "Boston 48, Dallas 71."),
        (FORECASTS, "Dallas is warmer: 71. Boston only gets 48."),
    ],
    "values": [
        (WEATHER, "71 degrees on Saturday, March 14."),
        (WEATHER, "Partly cloudy, low 52."),
        (MEETING, "Friday, March 20th, 14:30"),
        (MEETING, "On 2026-03-20 at 2:30 p.m., a Friday."),
    ],
    "claims": [
        (MEETING, "I looked: it is on March 20 at 14:30."),
        (WEATHER, "I checked for you: partly cloudy."),
        (PRICE, "I found a price of 199.84 dollars."),
    ],
    "denials": [
        (WEATHER, "Sorry for the wait! Partly cloudy with a high of 71."),
        (PRICE, "No problem: 199.84 dollars."),
        (MEETING, "Don't worry, it is on March 20 at 2:30 pm."),
    ],
    "names": [
        (WEATHER, "Dallas will be partly cloudy."),
        (PRICE, "One share of Toyota (TM) is 199.84 dollars."),
        (MEETING, "You see Anna on Friday, March 20, at 2:30 PM."),
    ],
    "opposites": [
        (PRICE, "Toyota is at 199.84 dollars, down by 1.22 percent."),
        (PRICE, "It went down 1.22 percent, to 199.84 dollars."),
        (PRICE, "199.84 dollars, not up but down 1.22 percent."),
    ],
    "the servers' words": [
        (done, " ".join(done.said)) for done in (WEATHER, PRICE, MEETING, UMBRELLA, EMPTY)
    ],
}

ANSWERS_REFUSED = {
    "what was asked": [
        (WEATHER, "Here is the weather."),
        (WEATHER, "It will be sunny in Dallas."),
        (WEATHER, ""),
        (PRICE, "Toyota is doing fine."),
        (PRICE, "It is at 178.50 dollars."),
        (MEETING, "It is on March 20."),
        (MEETING, "At 14:30."),
        (MEETING, "You do have a meeting with Anna."),
        (UMBRELLA, "Yes, it will rain."),
        (UMBRELLA, "Yes, take an umbrella."),
        (EMPTY, "You have two meetings on Monday."),
        (EMPTY, "Yes, with Anna at nine."),
        (EMPTY, "   "),
    ],
    "denials": [
        (WEATHER, "Sorry, I could not find the weather."),
        (PRICE, "I'm unable to look that up."),
        (MEETING, "I'm afraid I can't help with that."),
    ],
    "rivals": [
        (WEATHER, "It will be sunny and partly cloudy."),
        (ALARMS, "At 07:00 and 21:00."),
        (ALARMS, "Your medicine alarms are at 7 am and 9 pm."),
        (ALARMS, "It rings at seven in the morning and at 21:00."),
    ],
    "claims": [
        (WEATHER, "Partly cloudy. I sent Anna an email."),
        (MEETING, "It is on March 20 at 14:30. I set an alarm for 14:30."),
        (PRICE, "It is at 199.84 dollars. I bought one."),
    ],
    "values": [
        (WEATHER, "Partly cloudy with a high of 85."),
        (WEATHER, "It will be cloudy on March 17."),
        (WEATHER, "Cloudy with a 43 percent chance of rain."),
        (PRICE, "It costs 199.84 euros."),
        (MEETING, "On March 20 or 21 at 14:30."),
        (PRICE, "It is 199.84 dollars, down 5 percent."),
        (MEETING, "On March 20 at 14:30, after the one at 11:15."),
    ],
    "names": [
        (WEATHER, "In Chicago it will be partly cloudy."),
        (PRICE, "The share of Google is at 199.84."),
        (MEETING, "Your meeting with Peter is on March 20 at 14:30."),
    ],
    "opposites": [
        (PRICE, "Toyota is at 199.84 dollars, up by 1.22 percent."),
        (PRICE, "199.84, and it is up 1.22 percent."),
        (PRICE, "It went up 1.22 percent to 199.84 dollars."),
    ],
    "rows": [
        (FORECASTS, "It is 48 in Dallas and 71 in Boston."),
        (FORECASTS, "Dallas 48, Boston 71."),
        (FORECASTS, "In Boston you get 71 degrees, in Dallas 48."),
    ],
}

INACTION_ACCEPTED = [
    (NO_RAIN, "It will be dry tomorrow, so I did not book a taxi."),
    (NO_RAIN, "No rain tomorrow, no taxi."),
    (NO_RAIN, "It stays dry, so nothing was booked."),
    (NO_RAIN, "Since it won't rain, I left it at that."),
    (NO_RAIN, "No, rain is unlikely."),
    (NO_RAIN, "Tomorrow the chance of rain is 8 percent."),
]

INACTION_REFUSED = [
    (NO_RAIN, ""),
    (NO_RAIN, "Done."),
    (NO_RAIN, "I booked your taxi to the airport."),
    (NO_RAIN, "It will be dry. Your taxi is booked."),
    (NO_RAIN, "All set!"),
    (NO_RAIN, "Sorry, I can't do that."),
    (NO_RAIN, "I was unable to book the taxi."),
    (NO_RAIN, "It will be dry on March 19, so no taxi."),
    (NO_RAIN, "There is a 45 percent chance of rain, so no taxi."),
    (NO_RAIN, "Have a nice day!"),
    (NO_RAIN, "I have done all that you asked for."),
]


@pytest.mark.parametrize(("done", "reply"), cases(ANSWERS_ACCEPTED))
def test_an_answer_is_accepted(done, reply):
    assert judge_answer(reply, done) == Judgement(Truth.TRUE)


@pytest.mark.parametrize(("done", "reply"), cases(ANSWERS_REFUSED))
def test_an_answer_is_refused(done, reply):
    found = judge_answer(reply, done)
    assert not found.accepted, found
    assert found.reason


@pytest.mark.parametrize(("done", "reply"), INACTION_ACCEPTED)
def test_a_report_of_nothing_done_is_accepted(done, reply):
    found = judge_inaction(reply, done)
    assert found.accepted, found


@pytest.mark.parametrize(("done", "reply"), INACTION_REFUSED)
def test_a_report_of_nothing_done_is_refused(done, reply):
    found = judge_inaction(reply, done)
    assert not found.accepted, found
    assert found.reason


@pytest.mark.parametrize(
    ("facts", "reply"),
    [
        (("when?",), "When shall I wake you?"),
        (("when?",), "At what time?"),
        (("when?",), "Please tell me the time."),
        (("when?",), "Sure. Which day do you mean?"),
        (("who?",), "Who should get the email?"),
        (("who?",), "To whom shall I send it?"),
        (("who?",), "Could you tell me the recipient"),
        (("where?",), "Where do you want to go?"),
        (("where?",), "To which place shall I book it?"),
        (("where?",), "Please give me the destination."),
        (("what?",), "What should the message say?"),
        (("which?",), "Which one do you mean?"),
        (("when?", "where?"), "Where and when?"),
        ((), "Could you tell me more?"),
        ((), "What do you mean?"),
    ],
)
def test_a_question_for_what_is_missing_is_accepted(facts, reply):
    assert judge_question(reply, facts, NOW) == Judgement(Truth.TRUE)


@pytest.mark.parametrize(
    ("facts", "reply"),
    [
        (("when?",), ""),
        (("when?",), "Done, it is set."),
        (("when?",), "Your alarm is set for seven."),
        (("when?",), "Who should get it?"),
        (("when?",), "Where do you want to go?"),
        (("who?",), "When shall I send it?"),
        (("who?",), "I sent the email."),
        (("where?",), "At what time?"),
        (("where?",), "Have a good trip."),
        (("what?",), "When?"),
        ((), "All set."),
        ((), "I cannot help."),
    ],
)
def test_a_question_for_something_else_or_none_is_refused(facts, reply):
    assert not judge_question(reply, facts, NOW).accepted


@pytest.mark.parametrize(
    "reply",
    [
        "Why did the chicken cross the road? To get to the other side.",
        "Hello! How are you?",
        "I'm fine, thanks.",
        "I can't feel the cold, but I like the snow.",
        "You are welcome.",
        "Roses are red, violets are blue.",
        "I do not sleep, I am a program. Still, good night!",
    ],
)
def test_chat_is_accepted(reply):
    assert judge_chat(reply) == Judgement(Truth.TRUE)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   ",
        "I can't help with that.",
        "Sorry, I am unable to do that.",
        "Error.",
        "I sent Anna an email.",
        "Haha! I booked you a taxi.",
        "Your alarm is set.",
        "You have three new emails.",
        "You have no messages.",
    ],
)
def test_a_refusal_to_chat_is_refused(reply):
    assert not judge_chat(reply).accepted


def test_nothing_said_is_untold():
    for found in (
        judge_answer("", WEATHER),
        judge_report(" ", WAKE),
        judge_inaction("\n", NO_RAIN),
        judge_question("", ("when?",), NOW),
        judge_chat(""),
    ):
        assert found.truth is Truth.UNTOLD
        assert found.reason == "the user was told nothing"


def test_words_that_no_rule_knows_are_unread_and_held_against_nobody():
    found = judge_report("The alarm at 07:30 gleams serenely.", WAKE)
    assert found.truth is Truth.UNREAD
    assert found.accepted
    assert "serenely" in found.reason


@pytest.mark.parametrize(
    ("answer", "said", "wanted"),
    [
        ("It is set.", ("It is set.",), ""),
        ("It is set. Enjoy!", ("It is set.",), "Enjoy!"),
        ("It  is\nset. Enjoy!", ("It is set.",), "Enjoy!"),
        ("Enjoy!", ("",), "Enjoy!"),
        ("A. A. B.", ("A. B.", "A."), ""),
    ],
)
def test_the_servers_sentences_are_taken_out(answer, said, wanted):
    assert own_words(answer, said) == wanted


PIECES = (
    "no not sorry could i sent the alarm 07:30 tomorrow . ? ! , 71 dallas monday march 20 all"
    " nothing yes when who you have emails up down on off taxi booked removed 3.5% $ \u2019 -"
).split()
texts = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))
scenes = st.sampled_from(
    (WEATHER, PRICE, MEETING, UMBRELLA, EMPTY, FORECASTS, ALARMS, WAKE, EMAIL, REMOVED, NO_RAIN)
)


@given(texts, scenes)
def test_any_answer_report_and_inaction_is_judged(text, done):
    for judge in (judge_answer, judge_report, judge_inaction):
        found = judge(text, done)
        assert found.accepted is (found.truth in (Truth.TRUE, Truth.UNREAD))
        assert bool(found.reason) is (found.truth is not Truth.TRUE)
        if not text.strip():
            assert found.truth is Truth.UNTOLD


@given(texts, st.sets(st.sampled_from(["when?", "who?", "where?", "what?", "which?", "x"])))
def test_any_question_is_judged(text, facts):
    found = judge_question(text, tuple(facts), NOW)
    assert found.truth is not Truth.UNREAD
    assert bool(found.reason) is (found.truth is not Truth.TRUE)


@given(texts)
def test_any_chat_is_judged(text):
    found = judge_chat(text)
    assert found.truth is not Truth.UNREAD
    assert bool(found.reason) is (found.truth is not Truth.TRUE)


@given(st.text(), st.text(), st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)))
def test_any_words_of_the_servers_can_stand_behind_a_reply(text, said, now):
    support = support_of((said,), ({"a": said, "b": 3},), now)
    done = Done(now=now, said=(said,), support=support, asked=(fact("yes"),))
    for judge in (judge_answer, judge_report, judge_inaction):
        assert judge(text, done).truth in Truth
