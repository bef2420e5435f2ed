"""Control and bidirectional characters, written out."""

import json

import pytest

from ossia_evaluation.visible import is_visible, visible

HIDDEN = "\x00\x07\x08\x1b\x7f\x85\x9b\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028\u2029\ud800"


@pytest.mark.parametrize("character", HIDDEN)
def test_what_steers_a_terminal_is_written_out(character):
    assert visible(f"a{character}b") == f"a\\u{ord(character):04x}b"
    assert not is_visible(character)


@pytest.mark.parametrize("text", ["plain", "a\tb\nc", "grüße 世界 🙂", "שלום", "\u200d", ""])
def test_other_text_stays(text):
    assert visible(text) == text
    assert is_visible(text)


def test_line_ends_of_two_characters_become_one_and_others_are_written_out():
    assert visible("a\r\nb\rc") == "a\nb\\u000dc"


def test_a_json_text_stays_the_same_document():
    document = {"said": "\x9b31m\u202eabc\x1b[2J"}
    assert json.loads(visible(json.dumps(document, ensure_ascii=False))) == document


def test_twice_is_once():
    assert visible(visible(HIDDEN)) == visible(HIDDEN)
