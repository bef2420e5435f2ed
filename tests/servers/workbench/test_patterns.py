"""Search patterns: what is searched as published, what is refused, and how long it may take."""

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_servers.workbench.patterns import MAX_PATTERN, read_pattern
from ossia_servers.worlds.schema import Refusal

EVENTS = generated_database(office_seed(1)).tables["calendar.events"]
CELLS = [str(row[name]) for row in EVENTS for name in ("event_name", "participant_email")]


def found(text, cells):
    wanted = read_pattern(text, ignore_case=True)
    return [cell for cell in cells if wanted.found_in(cell)]


@pytest.mark.parametrize(
    "text",
    [
        *(".*review.*", ".*e.*review.*", r"\d{2}-\d{2}-\d{4}", r"^\w+ \w+$", "re+view|sync?"),
        *(r"[a-z.]+@\w+\.test", "(re|sy){1,2}", "(?:ab)+|r", "a{2,}|l+", ".*", "a.*?e", "(?:a?)*e"),
        *("a.*e.*i", "^.{5,20}$", ".*|x", "^.*$", "(?i:REVIEW)", r"\.*test$", "", "(a+)+|r"),
    ],
)
def test_a_harmless_pattern_finds_what_the_expression_finds(text):
    wanted = re.compile(text, re.IGNORECASE)
    assert found(text, CELLS) == [cell for cell in CELLS if wanted.search(cell)]
    assert found(text, CELLS) or "{" in text


HOSTILE = [
    *("(a+)+$", "(a|a)*b", "(a|b|ab)*c", "(a?){30}a{30}", "(a*)*", "(?:){9999999}", "a*a{900}b"),
    *("(a{1,9}){1,9}b", "(x+x+)+y", "(?:^){99999}", "((a{1,99}){1,99}){1,99}b", "(.*a){20}b"),
    *("(?=(a+)+$)b", "(?>(a+)+$)b", "((a{1000}){1000}){1000}", "a*a*a*a*a*a*b", ".{1000}" * 42),
    *(r"(a*)a*\1b", "(?:.?){999}" * 24 + "b", "(?:é?a?){500}" * 18 + "z", "(.*.*)*" * 40 + "b"),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:20])
@pytest.mark.parametrize("cells", [["a" * 20_000] * 3, ["a" * 53] * 1500], ids=["long", "many"])
def test_a_hostile_pattern_ends_soon(text, cells):
    started = time.process_time()
    with suppress(Refusal):
        found(text, cells)
    # A second at most; the engine of Python's own takes hours for some, and all memory for others.
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "text", ["(", "[", "*", "(?P<a", "a{3,2}", "é(", "(?=a)b", "(?<!a)b", r"(\w)\1", "(?>a)"]
)
def test_what_is_no_expression_of_re2_cannot_be_read(text):
    with pytest.raises(Refusal, match=r"cannot be read: [a-z ]+.*: .*\.$"):
        read_pattern(text, ignore_case=True)


def test_a_pattern_of_any_length_but_too_long_a_one_is_read():
    assert found("a" * MAX_PATTERN, ["a" * MAX_PATTERN])
    with pytest.raises(Refusal, match="is too long"):
        read_pattern("a" * (MAX_PATTERN + 1), ignore_case=True)


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "É"])
def test_what_is_odd_or_no_valid_text_is_searched_like_any_other(text):
    assert found("needle", [f"{text} needle"])
    assert found("é", ["É", text, "\ud800"]) == ["É", *(["É"] if text == "É" else [])]
    with suppress(Refusal):
        found(text, [text])


def test_a_long_cell_is_searched_to_its_end():
    cell = "x" * 19_990 + "needle"
    assert found("needle", [cell]) == [cell]
    assert found(".*needle.*", [cell]) == [cell]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("a*a{900}b", ["a" * 20_000] * 3),
        ("a*b", ["a" * 20_000] * 400),
        ("(?:é?a?){500}" * 18 + "z", ["a" * 53] * 300),
    ],
)
def test_a_search_that_would_take_long_is_refused_instead_of_cut_short(text, cells):
    with pytest.raises(Refusal, match="would take too long"):
        found(text, cells)


PARTS = st.sampled_from(
    [
        *"abc.",
        "a*",
        "b+",
        "c?",
        ".*",
        "[ab]{1,3}",
        "(ab)*",
        "(a|bc)",
        "^",
        "$",
        r"\b",
        "(?:a.)?",
        "|",
    ]
)


@given(st.lists(PARTS, max_size=5).map("".join), st.lists(st.text("abc", max_size=9), max_size=4))
def test_any_pattern_that_is_taken_finds_what_the_expression_finds(text, cells):
    assert found(text, cells) == [cell for cell in cells if re.search(text, cell, re.IGNORECASE)]
