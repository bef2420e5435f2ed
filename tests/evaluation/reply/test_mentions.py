"""Days, times and numbers in the forms in which people write them."""

from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.reply.mentions import read_mentions

NOW = datetime(2023, 11, 30)


def values(mentions):
    return [set(mention.values) for mention in mentions]


@given(st.dates(date(2023, 6, 15), date(2024, 5, 15)))
def test_every_day_is_read_in_each_form(day):
    for form in (
        day.isoformat(),
        f"{day:%B} {day.day}",
        f"{day.day}. {day:%B} {day.year}",
        f"{day:%b} {day.day}th, {day.year}",
        f"{day.day}.{day.month}.{day.year}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day:%d/%m/%Y}",
    ):
        read = read_mentions(f"It is {form}!", NOW)
        (found,) = values(read.dates)
        assert day.isoformat() in found and len(found) <= 2
        assert (read.times, read.numbers) == ((), ())


@given(st.times().map(lambda moment: moment.replace(second=0, microsecond=0)))
def test_every_time_is_read_by_both_clocks(moment):
    for form in ("%H:%M", "%I:%M %p", "%I.%M%p"):
        (found,) = values(read_mentions(f"at {moment.strftime(form)} sharp", NOW).times)
        assert f"{moment:%H:%M}" in found
        if form != "%H:%M":
            assert len(found) == 1


@given(st.integers(0, 99))
def test_every_number_is_read_in_digits(number):
    assert values(read_mentions(f"There are {number} of them.", NOW).numbers) == [{str(number)}]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("forty two", {"42"}),
        ("Thirty-one visits.", {"31"}),
        ("ninety", {"90"}),
        ("1,024", {"1024"}),
        ("2.50", {"2.5"}),
    ],
)
def test_numbers(text, numbers):
    assert values(read_mentions(text, NOW).numbers) == [numbers]


@pytest.mark.parametrize(
    "text", ["50 %", "#12", "Q4", "00000300", "2023", "3)", "not 3", "24-hour", "2023-11-14 13:30"]
)
def test_what_is_no_number(text):
    found = read_mentions(text.replace("50 %", "50%"), NOW).numbers
    assert found == ()


def test_a_weekday_counts_only_alone():
    assert values(read_mentions("on Monday", NOW).dates) == [{"2023-12-04", "2023-11-27"}]
    assert values(read_mentions("on Thursday", NOW).dates) == [{"2023-11-30"}]
    assert values(read_mentions("on Monday, December 5", NOW).dates) == [{"2023-12-05"}]


def test_no_day_and_no_time():
    for text in ("on 2023-02-30", "32 December", "at 25:00", "at 13 pm", "at 10:75"):
        read = read_mentions(text, NOW)
        assert (read.dates, read.times) == ((), ())


def test_the_end_of_a_meeting_is_no_other_beginning():
    for text in ("13:30-14:00", "from 13:30 until 14:00", "1:30 pm to 2 pm"):
        (found,) = values(read_mentions(text, NOW).times)
        assert f"{time(13, 30):%H:%M}" in found
    assert len(read_mentions("13:30 or 14:00", NOW).times) == 2
