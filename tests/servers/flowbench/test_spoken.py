import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.flowbench import spoken as room
from ossia_servers.flowbench.spoken import says, spoken, text_pattern


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("It costs 1,250.50 EUR.", 1250.5),
        ("It costs 18.50.", 18.5),
        ("That makes 6 minutes", 6),
        ("on 20 March 2026", "2026-03-20"),
        ("on March 20th", "2026-03-20"),
        ("on the 3rd of May", "2026-05-03"),
        ("at 5:45 p.m.", "17:45"),
        ("at 9:05", "09:05"),
        ("it starts at 12:15 pm", "12:15"),
        ("Your number is r-8820.", "R-8820"),
        ("Your number is R - 8820.", "R-8820"),
        ("It has no start at all", "no_start"),
        ("There is the Old Mill, too", ["Star Inn", "Old Mill"]),
        ("Dr. Sato is free", "Dr Sato"),
        ("We have **green curry**.", "a green curry"),
        ("Your number is R\u20118820.", "R-8820"),
    ],
)
def test_a_value_is_said(words, value):
    assert says(words, value)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("It costs 185.", 18.5),
        ("It costs 18.50.", 50),
        ("number R-88201", "R-8820"),
        ("number R-8820-2", "R-8820"),
        ("on 21 March", "2026-03-20"),
        ("at 5:45 am", "17:45"),
        ("yes, true", True),
        ("nothing", ""),
        ("nothing", []),
    ],
)
def test_a_value_is_not_said(words, value):
    assert not says(words, value)


def test_values_are_spoken_plainly():
    assert [spoken(value) for value in (True, 20.0, 7.5, ["a", "b"], "2026-03-20")] == [
        "yes",
        "20",
        "7.5",
        "a, b",
        "2026-03-20",
    ]


WORDS = ("room", "the", "is", "a", "V", "1", "R", "8820", "15:20", "20", "March", "in", "mill")
SIGNS = (*" -/.,:'_!", " ", " ", "\u2011", "p.m.")
PIECES = st.lists(st.sampled_from((*WORDS, *SIGNS)), max_size=9).map("".join)


@given(PIECES, PIECES, PIECES)
def test_what_is_decided_without_a_pattern_is_what_the_pattern_says(before, value, after):
    words = f"{before}{value}{after}"
    apart = f"{before} {' '.join(value)} {after}"
    for text in (words, f"{before} {value.lower()}{after}", apart, before + after):
        said, whole = room._plain(text), "_" in value
        by_pattern = any(
            text_pattern(each, whole=whole).search(said) for each in room._spellings(value)
        )
        assert says(text, value) == (by_pattern and value != ""), (text, value)
