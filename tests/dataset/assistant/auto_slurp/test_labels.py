"""The slot column with all the ways in which it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.assistant.auto_slurp import LabelError, parse_labels

NAMES = st.from_regex(r"[a-z][a-z_]{0,12}", fullmatch=True)
VALUES = st.text(
    st.characters(codec="ascii", categories=("L", "N"), include_characters=" "),
    min_size=1,
    max_size=20,
).filter(str.strip)
COLONS = st.sampled_from([":", " : ", ": ", " :"])


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("[]", ()),
        ("[ ]", ()),
        ("['date : today']", (("date", "today"),)),
        ("['date: today','Time:six']", (("date", "today"), ("time", "six"))),
        ("""["list_name : anna's list"]""", (("list_name", "anna's list"),)),
        ("['content : a:b']", (("content", "a:b"),)),
        ("['query :  two   blanks ']", (("query", "two blanks"),)),
    ],
)
def test_well_formed_columns_need_no_repair(text: str, labels: tuple[tuple[str, str], ...]) -> None:
    found = parse_labels(text)
    assert found.groups == (labels,)
    assert found.repairs == ()


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("['content:it's late']", (("content", "it's late"),)),
        (
            "['content:it's late', 'to_person:ann']",
            (("content", "it's late"), ("to_person", "ann")),
        ),
        (
            "['to_person : ann','content: i'm late, don't wait']",
            (("to_person", "ann"), ("content", "i'm late, don't wait")),
        ),
        ("[''content:old songs]", (("content", "old songs"),)),
        ("[weather_descriptor:warm]", (("weather_descriptor", "warm"),)),
        (
            "['setting: archive, descriptor: old ones']",
            (("setting", "archive"), ("descriptor", "old ones")),
        ),
    ],
)
def test_broken_columns_are_repaired_and_say_so(
    text: str, labels: tuple[tuple[str, str], ...]
) -> None:
    found = parse_labels(text)
    assert found.groups == (labels,)
    assert len(found.repairs) == 1


def test_the_lists_of_a_compound_row_are_groups() -> None:
    found = parse_labels("[],['content : weather', 'to_person : ann']")
    assert found.groups == ((), (("content", "weather"), ("to_person", "ann")))


def test_a_comma_inside_a_text_begins_no_slot() -> None:
    found = parse_labels("['content : bring milk, note: no sugar']")
    assert found.groups == ((("content", "bring milk, note: no sugar"),),)


@pytest.mark.parametrize(
    "text", ["", "date : today", "['today']", "['date :']", "[1, 2]", "[['a:b']]x", "{'a': 'b'}"]
)
def test_other_columns_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(LabelError, match=r"\.$"):
        parse_labels(text)


@given(st.lists(st.tuples(NAMES, VALUES, COLONS), max_size=5))
def test_any_list_of_labels_is_read_back(labels: list[tuple[str, str, str]]) -> None:
    found = parse_labels(repr([f"{name}{colon}{value}" for name, value, colon in labels]))
    assert found.groups == (tuple((name, " ".join(value.split())) for name, value, _ in labels),)
    assert found.repairs == ()


@given(st.text(alphabet="[]'\",: ab_;{}()\\", max_size=40).map(lambda inner: f"[{inner}]"))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_labels(text)
    except LabelError as error:
        assert str(error).endswith(".")
    else:
        assert all(name and value for group in found.groups for name, value in group)
