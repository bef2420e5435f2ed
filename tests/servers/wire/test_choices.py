"""How a manager's choice is asked for, and how it ends the work."""

import pytest

from ossia_servers.wire.choices import last_words, offered_names
from ossia_servers.wire.conversation import Speech


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Select the next role from ['intent', 'url'] to play.", ["intent", "url"]),
        ("select the next agent from [a] ... select the next agent from [b, c]", ["b", "c"]),
        ("Which role works next?", []),
        ("select the next role from []", []),
    ],
)
def test_the_names_of_the_last_question_are_offered(text, names):
    assert offered_names(text) == names


def test_the_work_ends_with_the_answer_as_it_was_last_told():
    speeches = [Speech("response", "First."), Speech("response", "Last."), Speech("url", "/x")]
    assert last_words(speeches) == "Last."
    assert last_words([Speech("url", "/x")]) == "The work is finished."
