import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.assistant.offline.understanding.markup import (
    MarkupError,
    Span,
    parse_examples,
    parse_gazetteers,
    parse_utterance,
    render_utterance,
)

WORDS = st.text(alphabet="abc xyz'", min_size=1, max_size=12)
SLOTS = st.sampled_from(["time", "date", "place_name", "time2"])


@given(st.lists(st.tuples(WORDS, st.none() | SLOTS), max_size=8))
def test_what_is_rendered_is_parsed_back(pieces):
    text, spans = "", []
    for words, slot in pieces:
        if slot is not None:
            spans.append(Span(len(text), len(text) + len(words), slot))
        text += words
    assert parse_utterance(render_utterance(text, spans)) == (text, tuple(spans))


@given(st.text(alphabet="ab[]() \n#", max_size=40))
def test_any_text_is_parsed_or_refused(content):
    try:
        examples = parse_examples("## some_intent\n" + content, "some")
    except MarkupError:
        return
    for example in examples:
        for span in example.spans:
            assert example.text[span.start : span.end]


def test_an_utterance_is_split_into_text_and_spans():
    text, spans = parse_utterance("wake me at [half past six](time) [tomorrow](date)")
    assert text == "wake me at half past six tomorrow"
    assert [(text[s.start : s.end], s.slot) for s in spans] == [
        ("half past six", "time"),
        ("tomorrow", "date"),
    ]


def test_a_stray_bracket_is_named_with_its_line():
    with pytest.raises(MarkupError, match="line 2"):
        parse_examples("## alarm_set\nwake me at [six", "alarm")


def test_text_before_a_heading_is_refused():
    with pytest.raises(MarkupError, match="line 1"):
        parse_gazetteers("milk, eggs")


def test_gazetteers_are_split_at_commas():
    assert parse_gazetteers("## item_name\nmilk, eggs,\nbread\n") == {
        "item_name": ("milk", "eggs", "bread")
    }
