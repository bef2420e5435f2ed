"""What counts as words of a role, and what as an envelope around them."""

import pytest

from ossia_evaluation.attribution.findings import says_something, spoken


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It is seven.", "It is seven."),
        ('{"content": "It is seven.", "failed": false}', "It is seven."),
        ('Finish[{"response": "It is seven."}]', "It is seven."),
        (
            "I am sorry, that did not work: '2026-03-14 get_date {}' is not a date.",
            "I am sorry, that did not work: '2026-03-14 get_date {}' is not a date.",
        ),
    ],
)
def test_an_envelope_is_opened_and_a_sentence_that_quotes_an_object_is_not(text, words):
    assert spoken(text) == words
    assert says_something(text)


@pytest.mark.parametrize("text", ["", "  ", "{}", 'Finish[{"response": ""}]'])
def test_an_empty_envelope_says_nothing(text):
    assert not says_something(text)
