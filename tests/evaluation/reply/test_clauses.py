"""A reply is cut into clauses, and of each is read whether it denies, affirms or asks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.reply.clauses import (
    Polarity,
    asked_for,
    asks,
    clauses,
    denied_change,
    denies_rows,
    denies_the_act,
    is_negative,
    is_question,
    offers_the_act,
    polarity,
    says_nothing_is_there,
    says_unable,
    spoken_polarity,
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ()),
        ("  \n ", ()),
        ("Done.", ("done.",)),
        ("Done. It is set!", ("done.", "it is set!")),
        ("I looked, but it was gone.", ("i looked", "it was gone.")),
        ("I tried; it failed", ("i tried;", "it failed")),
        ("first line\nsecond line", ("first line", "second line")),
        ("the lamp \u2013 it is off", ("the lamp", "it is off")),
        ("it costs 3.50 dollars", ("it costs 3.50 dollars",)),
        ("a well-known song", ("a well-known song",)),
        ("It was full, so I went on", ("it was full", "i went on")),
        ("I added it although it rains", ("i added it", "it rains")),
        ("don\u2019t stop", ("don't stop",)),
    ],
)
def test_a_text_is_cut_into_clauses(text, wanted):
    assert clauses(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "No problem, it is set.",
        "No worries, it is done.",
        "Don't worry, the taxi is booked.",
        "Don't hesitate to ask.",
        "I can't wait to hear it.",
        "It is no longer on your list.",
        "It is there no later than nine.",
        "That is fine, why not?",
        "If not, tell me.",
    ],
)
def test_idioms_are_no_denials(text):
    assert not any(map(is_negative, clauses(text)))


@pytest.mark.parametrize(
    "clause",
    [
        "it is not set",
        "i didn't send it",
        "there is nothing on your list",
        "no alarms are set",
        "nobody answered",
        "i could never find it",
        "neither of them came",
        "it is on without you",
        "i cannot do that",
        "i dont know",
        "none of them is open",
    ],
)
def test_a_negation_is_heard(clause):
    assert is_negative(clause)


@pytest.mark.parametrize(
    "clause",
    ["it is set", "the note is sent", "nothings", "a knot", "another one", "noted", "nobel prize"],
)
def test_no_negation_is_heard(clause):
    assert not is_negative(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "sorry, i could not do that.",
        "i can't set an alarm",
        "i was unable to send the email",
        "unfortunately that is not possible",
        "i'm afraid i cannot help with that",
        "the request failed",
        "there was an error",
        "something went wrong",
        "the message was not sent",
        "it wasn't possible to book the taxi",
        "nothing was changed",
        "we failed to reach them",
        "the server refused it",
        "i have not added it",
        "the email could not be delivered because of an error",
    ],
)
def test_a_clause_denies_the_act(clause):
    assert denies_the_act(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "your alarm is set for seven.",
        "i sent the email to anna",
        "the taxi comes at nine",
        "you can relax now",
        "done",
        "the lamp is off",
        "sorry for the delay",
        "it is a pleasure",
    ],
)
def test_a_clause_denies_no_act(clause):
    assert not denies_the_act(clause)


@pytest.mark.parametrize(
    ("clause", "wanted"),
    [
        ("i'm unable to do that", True),
        ("sorry, that did not go through", True),
        ("i can't do that", True),
        ("the call failed", True),
        ("i couldn't find any meeting", False),
        ("you have no meetings", False),
        ("it is sunny", False),
    ],
)
def test_who_is_unable_says_so(clause, wanted):
    assert says_unable(clause) is wanted


@pytest.mark.parametrize(
    ("clause", "wanted"),
    [
        ("the lamp was already off", True),
        ("it is still on your list, still there", True),
        ("i left the list unchanged", True),
        ("i saved it as a draft", True),
        ("the show is sold out", True),
        ("all but one are gone", True),
        ("the lamp is off now", False),
        ("i set the alarm", False),
        ("the list is new", False),
    ],
)
def test_who_says_that_all_is_as_it_was_denies_a_change(clause, wanted):
    assert (denied_change(clause) is not None) is wanted


@pytest.mark.parametrize(
    ("clause", "wanted"),
    [
        ("your calendar is empty", True),
        ("you have no meetings tomorrow", True),
        ("there's nothing planned", True),
        ("there are no emails from anna", True),
        ("you have a meeting at nine", False),
        ("the list is long", False),
        ("it is not raining", False),
    ],
)
def test_no_rows_are_told_as_such(clause, wanted):
    assert denies_rows(clause) is wanted
    assert not wanted or says_nothing_is_there(clause)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Shall I post it?", "post it"),
        ("Would you like me to book the taxi?", "book the taxi"),
        ("It is ready. Do you want me to send it?", "send it"),
        ("What shall it say?", None),
        ("I posted it.", None),
        ("", None),
    ],
)
def test_an_offer_is_known(text, wanted):
    assert offers_the_act(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yes, it will rain.", "yes"),
        ("Yep.", "yes"),
        ("Indeed, at nine.", "yes"),
        ("It does.", "yes"),
        ("You have a meeting at nine.", "yes"),
        ("It will rain all day.", "yes"),
        ("No, it stays dry.", "no"),
        ("Nope", "no"),
        ("None of them.", "no"),
        ("It will not rain.", "no"),
        ("You don't have any meetings.", "no"),
        ("Your calendar shows nothing.", "no"),
        ("It won't be cold.", "no"),
        ("", "yes"),
    ],
)
def test_a_reply_affirms_or_denies(text, wanted):
    assert polarity(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yes, it rains.", Polarity.YES),
        ("No, it is dry.", Polarity.NO),
        ("Nah.", Polarity.NO),
        ("It rains.", None),
        ("Nobody came.", None),
        ("Yesterday it rained.", None),
        ("", None),
    ],
)
def test_a_yes_or_no_in_so_many_words(text, wanted):
    assert spoken_polarity(text) is wanted


@pytest.mark.parametrize(
    "text",
    [
        "When?",
        "Which list shall I use?",
        "Sure! At what time should I wake you?",
        "Please tell me the time.",
        "Could you please specify the date",
        "Let me know which one you mean.",
        "I need to know who should get it.",
        "Tell me when the taxi should come.",
        "I would need the name of the song.",
    ],
)
def test_a_text_asks(text):
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Done.",
        "Your alarm is set.",
        "I asked her when she comes.",
        "You asked for the weather: it is sunny.",
        "Thanks for the question.",
    ],
)
def test_a_text_asks_nothing(text):
    assert not asks(text)
    assert asked_for(text) == frozenset()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("When shall I wake you?", {"when?"}),
        ("At what time?", {"when?"}),
        ("On which day is it?", {"when?"}),
        ("Who should get the email?", {"who?"}),
        ("To whom shall I send it?", {"who?"}),
        ("Where do you want to go?", {"where?"}),
        ("Which city?", {"where?"}),
        ("What should the message say?", {"what?", "which?", "how?"}),
        ("How loud?", {"what?", "which?", "how?"}),
        ("When and where?", {"when?", "where?"}),
        ("I know who it is. When shall it be?", {"when?"}),
        ("It is set.", set()),
    ],
)
def test_what_a_question_asks_for(text, wanted):
    assert asked_for(text) == wanted


@given(st.text())
def test_any_text_can_be_read(text):
    for part in clauses(text):
        assert part == part.strip() != ""
        assert {type(f(part)) for f in (is_negative, denies_the_act, denies_rows, says_unable)} == {
            bool
        }
        assert denied_change(part) is None or denied_change(part) in part
    assert polarity(text) in Polarity
    assert asks(text) in (True, False)
    assert not asked_for(text) or asks(text)
    assert is_question(text + "?")
