"""The value parsers of the normal forms."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.normalise import (
    RECURRENCES,
    DateValue,
    TimeValue,
    parse_date_value,
    parse_time_value,
)

MINUTES = st.times().map(lambda moment: moment.replace(second=0, microsecond=0))


@st.composite
def date_values(draw: st.DrawFn) -> DateValue:
    """Any valid date value."""
    kind = draw(st.sampled_from(["single", "closed", "from", "until", "every"]))
    if kind == "every":
        return DateValue(recurrence=draw(st.sampled_from(sorted(RECURRENCES))))
    first, last = sorted((draw(st.dates()), draw(st.dates())))
    if kind == "single":
        return DateValue(first, first)
    return DateValue(None if kind == "until" else first, None if kind == "from" else last)


@st.composite
def time_values(draw: st.DrawFn) -> TimeValue:
    """Any valid time value, ranges over midnight included."""
    first, last = draw(MINUTES), draw(MINUTES)
    kind = draw(st.sampled_from(["single", "closed", "from", "until"]))
    if kind == "single":
        return TimeValue(first, first)
    return TimeValue(None if kind == "until" else first, None if kind == "from" else last)


@given(date_values())
def test_a_date_value_is_read_back_from_its_text(value: DateValue) -> None:
    assert parse_date_value(str(value)) == value


@given(time_values())
def test_a_time_value_is_read_back_from_its_text(value: TimeValue) -> None:
    assert parse_time_value(str(value)) == value


@given(st.text())
def test_other_text_is_refused_with_a_sentence(text: str) -> None:
    for parse in (parse_date_value, parse_time_value):
        try:
            value = parse(text)
        except ValueError as error:
            assert str(error).endswith(".")
        else:
            assert parse(str(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "", "..", "tomorrow", "2026-3-14", "2026-02-30", "2026-13-01", "2026-03-14 ", " 2026-03-14",
        "2026-03-22..2026-03-16", "2026-03-14...", "every",
        "every moon", "Every day", "0000-01-01",
        "2026-03-14..every day",
        "\uff12\uff10\uff12\uff16-03-14", "2026-03-14..2026-03-15..2026-03-16",
    ],
)  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_date_value(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "..",
        "25:99",
        "24:00",
        "9:00",
        "9:00 am",
        "09:60",
        "09:00:00",
        "0900",
        "noon",
        "09:00..x",
    ],
)
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_time_value(text)


def test_a_value_needs_an_end() -> None:
    with pytest.raises(ValueError, match="needs a date"):
        DateValue()
    with pytest.raises(ValueError, match="needs a time"):
        TimeValue()
    with pytest.raises(ValueError, match="hours and minutes"):
        TimeValue(time(1, 2, 3), None)
    with pytest.raises(ValueError, match="has no dates"):
        DateValue(start=date(2026, 3, 14), recurrence="every day")


@pytest.mark.parametrize(
    ("value", "day", "meant"),
    [
        ("2026-03-14", "2026-03-14", True),
        ("2026-03-14", "2026-03-15", False),
        ("2026-03-16..2026-03-22", "2026-03-16", True),
        ("2026-03-16..2026-03-22", "2026-03-22", True),
        ("2026-03-16..2026-03-22", "2026-03-23", False),
        ("2026-03-16..", "2030-01-01", True),
        ("2026-03-16..", "2026-03-15", False),
        ("..2026-03-16", "2026-03-16", True),
        ("every monday", "2026-03-16", True),
        ("every monday", "2026-03-17", False),
        ("every weekday", "2026-03-14", False),
        ("every weekend", "2026-03-14", True),
        ("every month", "2026-03-14", True),
    ],
)
def test_which_days_a_date_means(value: str, day: str, meant: bool) -> None:
    assert parse_date_value(value).contains(date.fromisoformat(day)) is meant


@pytest.mark.parametrize(
    ("value", "moment", "meant"),
    [
        ("18:30", "18:30", True),
        ("18:30", "18:31", False),
        ("06:00..12:00", "12:00", True),
        ("06:00..12:00", "12:01", False),
        ("17:00..", "23:59", True),
        ("..17:00", "17:01", False),
        ("22:00..06:00", "23:00", True),
        ("22:00..06:00", "05:00", True),
        ("22:00..06:00", "12:00", False),
    ],
)
def test_which_times_a_time_means(value: str, moment: str, meant: bool) -> None:
    assert parse_time_value(value).contains(time.fromisoformat(moment)) is meant


def test_a_range_is_told_from_a_single_value() -> None:
    assert parse_date_value("2026-03-16..").is_range
    assert not parse_date_value("2026-03-16").is_range
    assert not parse_date_value("every day").is_range
    assert parse_date_value("every day").single is None
    assert parse_date_value("2026-03-16").single == date(2026, 3, 16)
    assert parse_time_value("06:00..12:00").is_range
    assert parse_time_value("06:00..12:00").single is None
    assert parse_time_value("06:00").single == time(6)
