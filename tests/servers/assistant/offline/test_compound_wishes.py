"""Sentences are cut into steps by their words, and conditions become questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.assistant.offline.compound.questions import as_question
from ossia_servers.assistant.offline.compound.wishes import Step, cut

RAIN = "it rains tomorrow"
CUTS = {
    "play some jazz": [Step("play some jazz")],
    "wake me at six and tell me the weather": [
        Step("wake me at six"),
        Step("tell me the weather"),
    ],
    "put milk and eggs on my list, then dim the lights": [
        Step("put milk and eggs on my list"),
        Step("dim the lights"),
    ],
    "find a cafe nearby. what time does it close?": [
        Step("find a cafe nearby"),
        Step("what time does it close"),
    ],
    "if it rains tomorrow, cancel my picnic and tell anna": [
        Step(RAIN),
        Step("cancel my picnic", 0, RAIN),
        Step("tell anna", 0, RAIN),
    ],
    "if it rains tomorrow cancel my picnic": [Step(RAIN), Step("cancel my picnic", 0, RAIN)],
    "cancel my picnic if it rains tomorrow": [Step(RAIN), Step("cancel my picnic", 0, RAIN)],
    "unless it rains tomorrow remind me to water the plants": [
        Step(RAIN),
        Step("remind me to water the plants", 0, RAIN, wanted=False),
    ],
    "what does gold cost? if it is above ninety, text dad": [
        Step("what does gold cost"),
        Step("text dad", 0, "it is above ninety"),
    ],
    "check if i am free on monday and if so call a taxi": [
        Step("i am free on monday"),
        Step("call a taxi", 0, "so"),
    ],
    "if i am free on monday book a table otherwise order sushi": [
        Step("i am free on monday"),
        Step("book a table", 0, "i am free on monday"),
        Step("order sushi", 0, "i am free on monday", wanted=False),
    ],
    "am i free on monday? if not, order sushi": [
        Step("am i free on monday"),
        Step("order sushi", 0, "not"),
    ],
    "turn up the radio. if it rains tomorrow, wake me at nine. dim the lights": [
        Step("turn up the radio"),
        Step(RAIN),
        Step("wake me at nine", 1, RAIN),
        Step("dim the lights"),
    ],
}


@pytest.mark.parametrize("sentence", CUTS)
def test_a_sentence_is_cut(sentence: str) -> None:
    assert list(cut(sentence)) == CUTS[sentence]


WORDS = st.sampled_from(
    "if unless otherwise and then also but play text it rains tomorrow my milk , . ? so not".split()
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=14).map(" ".join) | st.text(
    min_size=1, max_size=60
)


@given(SENTENCES)
def test_any_sentence_has_steps_that_hang_on_earlier_ones(sentence: str) -> None:
    steps = cut(sentence)
    assert steps
    for place, step in enumerate(steps):
        assert step.text in sentence
        assert step.under is None or 0 <= step.under < place


@pytest.mark.parametrize(
    ("condition", "question"),
    [
        ("it rains tomorrow", "will it rain tomorrow"),
        ("it is going to snow", "will it snow"),
        ("it will be sunny in dallas", "will it be sunny in dallas"),
        ("there is a concert on friday", "is there any concert on friday"),
        ("there are more than five emails", "is there any emails"),
        ("i have nothing on monday", "do i have anything on monday"),
        ("i have more than two meetings today", "do i have any meetings today"),
        ("i am free tonight", "am i free tonight"),
        ("apple is above two hundred dollars", "what is apple"),
        ("do i have mail", "do i have mail"),
        ("anna has written", "anna has written"),
    ],
)
def test_a_condition_becomes_a_question(condition: str, question: str) -> None:
    assert as_question(condition) == question
