import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.flowbench.spoken import says, spoken, starts_of, text_pattern


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
        ("it starts at 12:15 a.m.", "00:15"),
        ("it starts at 9 pm", "21:00"),
        ("on Monday at 8:30 am", "Monday at 8:30"),
        ("on Monday at 8:30", "Monday at 08:30"),
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
        ("at 9:05 pm", "09:05"),
        ("at 12:15 am", "12:15"),
        ("on Monday at 8:30 p.m.", "Monday at 8:30"),
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


SCRAPS = ["the ", "room", "1", "12", "-", "/", ".", ", ", ": ", " ", "v", "is", "_", "\u00e9"]
SCRAPPY = st.lists(st.sampled_from(SCRAPS), min_size=1, max_size=8).map("".join)


@given(SCRAPPY.filter(str.strip), SCRAPPY, SCRAPPY, st.booleans(), st.booleans())
def test_a_text_is_found_where_its_pattern_finds_it(text, before, after, there, whole):
    said = f"{before}{text if there else ''}{after}"
    found = {each.start() for each in text_pattern(text, whole=whole).finditer(said)}
    seen = set(starts_of(text, said, whole=whole))
    assert found <= seen
    assert bool(found) == bool(seen)
