"""Control and bidirectional characters, written out."""

import json

import pytest

from ossia_evaluation.visible import is_visible, visible

STEERING = "\x00\x07\x08\x1b\x7f\x85\x9b\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028\ud800"
WIDTHLESS = "\u00ad\u180e\u200b\u2060\u2064\ufeff\ufffb"
HIDDEN = STEERING + WIDTHLESS


@pytest.mark.parametrize("character", HIDDEN)
def test_what_steers_a_terminal_is_written_out(character):
    assert visible(f"a{character}b") == f"a\\u{ord(character):04x}b"
    assert not is_visible(character)


# The joiners are part of how some letters and emoji are written.
@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "a\tb\nc",
        "grüße 世界 🙂",
        "שלום",
        "👨\u200d👩",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "",
    ],
)
def test_other_text_stays(text):
    assert visible(text) == text
    assert is_visible(text)


def test_line_ends_of_two_characters_become_one_and_others_are_written_out():
    assert visible("a\r\nb\rc") == "a\nb\\u000dc"


def test_a_json_text_stays_the_same_document():
    document = {"said": "\x9b31m\u202eabc\x1b[2J\U000e0041\u200b"}
    assert json.loads(visible(json.dumps(document, ensure_ascii=False))) == document


def test_a_tag_is_written_as_json_writes_it():
    assert visible("a\U000e0041") == "a\\udb40\\udc41"


def test_twice_is_once():
    assert visible(visible(HIDDEN)) == visible(HIDDEN)
