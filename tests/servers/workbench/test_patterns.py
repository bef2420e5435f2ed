"""Search patterns: what is searched as published, what is refused, and how long it may take."""

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_servers.schema import Refusal
from ossia_servers.workbench.patterns import MAX_PATTERN, MAX_STEPS, read_pattern

EVENTS = generated_database(office_seed(1)).tables["calendar.events"]
CELLS = [str(row[name]) for row in EVENTS for name in ("event_name", "participant_email")]


def found(text, cells):
    wanted = read_pattern(text, ignore_case=True)
    return [cell for cell in cells if wanted.found_in(cell)]


@pytest.mark.parametrize(
    "text",
    [
        *(".*review.*", ".*e.*review.*", r"\d{2}-\d{2}-\d{4}", r"^\w+ \w+$", "re+view|sync?"),
        *(r"[a-z.]+@\w+\.test", "(re|sy){1,2}", "(?:ab)+|r", "a{2,}|l+", r"(\w)\1", ".*", "a.*?e"),
        *("a.*e.*i", "(?=.*e)r", "^.{5,20}$", ".*|x", "^.*$", "(?i:REVIEW)", r"\.*test$", ""),
    ],
)
def test_a_harmless_pattern_finds_what_the_expression_finds(text):
    wanted = re.compile(text, re.IGNORECASE)
    assert found(text, CELLS) == [cell for cell in CELLS if wanted.search(cell)]
    assert found(text, CELLS) or "{" in text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "(a+)+$",
            "(a|a)*b",
            "(a|b|ab)*c",
            "(a?){30}a{30}",
            "(a*)*",
            "(?:){9999999}",
        ),
        *("(a{1,9}){1,9}b", "(x+x+)+y", "(?:^){99999}", "a" * (MAX_PATTERN + 1)),
        *("(?=(a+)+$)b", "(?>(a+)+$)b", "((a{1,99}){1,99}){1,99}b"),
    ],
)
def test_a_pattern_without_a_bound_is_refused(text):
    with pytest.raises(Refusal, match="too long or too involved"):
        read_pattern(text, ignore_case=True)


@pytest.mark.parametrize(
    "text", ["(", "[", "*", "a**", ".*{2", ".**", "(?P<a", "a{3,2}", ".*(?i)a"]
)
def test_what_is_no_expression_cannot_be_read(text):
    try:
        re.compile(text, re.IGNORECASE)
    except re.error:
        with pytest.raises(Refusal, match="cannot be read"):
            read_pattern(text, ignore_case=True)
    else:
        assert found(text, CELLS) == [c for c in CELLS if re.search(text, c, re.IGNORECASE)]


def test_a_long_cell_is_searched_to_its_end():
    cell = "x" * 19_990 + "needle"
    assert found("needle", [cell]) == [cell]
    assert found(".*needle.*", [cell]) == [cell]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("a*a*b", ["a" * 2000]),
        ("a*b", ["a" * 20_000]),
        ("a*a*b", ["a" * 300] * 300),
        ("a*a*a*a*a*a*b", ["a" * 60]),
        (r"(a*)a*\1b", ["a" * 900]),
        ("(.*a){20}b", ["a" * 60]),
        ("a*a{900}b", ["a" * 2000]),
    ],
)
def test_a_search_that_would_take_long_is_refused_instead_of_cut_short(text, cells):
    with pytest.raises(Refusal, match="would take too long"):
        found(text, cells)


@pytest.mark.parametrize(
    ("text", "length"),
    [("a*b", 500), ("a*a*b", 60), ("a*a*a*b", 40), (r"a*(a*)\1b", 40), ("(a?){12}a{12}b", 20)],
)
def test_what_is_searched_ends_soon(text, length):
    started, cells = time.process_time(), ["a" * length] * (MAX_STEPS // 10**6)
    with suppress(Refusal):
        found(text, cells * 20)
    # On a slow machine the longest of them takes a second; without a bound it is hours.
    assert time.process_time() - started < 20


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
    try:
        ours = found(text, cells)
    except Refusal as refusal:
        assert "cannot be read" not in str(refusal)
        return
    assert ours == [cell for cell in cells if re.search(text, cell, re.IGNORECASE)]
