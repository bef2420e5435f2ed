"""A fact is found in the forms in which people tell it, and not where it is not told."""

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.reply.told import QUESTIONS, is_told, share_told

NOW = datetime(2026, 3, 13, 10, 0)
MONTHS = (
    "January February March April May June July August September October November December"
).split()


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        ("07:30", "Your alarm is set for 7:30 AM tomorrow."),
        ("07:30", "Your alarm is set for 07:30."),
        ("19:00", "See you at 7 pm"),
        ("19:00", "See you at 7:00 p.m."),
        ("12:00", "It is at noon."),
        ("00:00", "It starts at midnight."),
        ("11:00..13:00", "from 11 am to 1 pm"),
        ("2026-03-14", "I will wake you tomorrow."),
        ("2026-03-13", "It rains tonight."),
        ("2026-03-12", "It came yesterday."),
        ("2026-03-16", "on Monday at nine"),
        ("2026-03-20", "on March 20th"),
        ("2026-03-20", "on the 20th of march"),
        ("2026-04-09", "Thursday, Apr. 9 at 14:30"),
        ("2026-04-09", "on 2026-04-09"),
        ("2026-07-01..2026-07-02", "from July 1 to July 2"),
        ("every weekday", "It rings every weekday at 7."),
        ("29962", "That makes 29,962 yen."),
        ("0.9207", "The rate is 0.9207."),
        ("-1.22", "Toyota is down 1.22 percent."),
        ("102", "That is 102."),
        ("the Town Library", "at the town library!"),
        ("Mario's Pizzeria", "I ordered at Mario's pizzeria"),
        ("lasting only a very short time", "It means lasting for a very short time only."),
        ("when?", "At what time shall the taxi come?"),
        ("when?", "Sure, which day do you mean?"),
        ("who?", "To whom shall I send it?"),
        ("where?", "Where do you want to go?"),
        ("what?", "What shall the text say?"),
    ],
)
def test_a_fact_is_told(fact: str, answer: str) -> None:
    assert is_told(fact, answer, NOW)


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        ("07:30", "Your alarm is set for 7:30 pm."),
        ("19:30", "Your alarm is set for 7:30 am."),
        ("07:30", "Your alarm is set for 17:30."),
        ("07:00", "It costs 7 dollars."),
        ("2026-03-14", "I will wake you on March 15."),
        ("2026-03-20", "on Monday"),
        ("2026-03-13", "You have it on Saturday."),
        ("2026-03-01", "on March 10"),
        ("2026-07-01..2026-07-02", "on July 1"),
        ("7", "at 17:07 it was 77 degrees on 2026-07-07"),
        ("102", "That is 1020."),
        ("9.5", "It is 9 to 5."),
        ("Sarah Johnson", "I wrote to Sarah Miller."),
        ("lasting only a very short time", "It means very old."),
        ("when?", "I set it."),
        ("when?", "What is the name of the list?"),
        ("who?", "The email is sent."),
        ("when?", ""),
        ("Dune", ""),
    ],
)
def test_a_fact_is_not_told(fact: str, answer: str) -> None:
    assert not is_told(fact, answer, NOW)


def test_the_share_is_over_all_facts() -> None:
    assert share_told(("07:30", "2026-03-14"), "at 7:30 am", NOW) == 0.5
    assert share_told(("07:30",), "at 7:30 am", NOW) == 1.0
    assert share_told(("07:30",), "", NOW) == 0.0
    assert share_told((), "anything", NOW) is None


@given(st.times().map(lambda moment: moment.replace(second=0, microsecond=0)))
def test_every_clock_time_is_told_by_both_clocks(moment: time) -> None:
    fact = moment.strftime("%H:%M")
    other = time((moment.hour + 12) % 24, moment.minute)
    for form in ("%H:%M", "%I:%M %p"):
        assert is_told(fact, f"at {moment.strftime(form)} sharp", NOW)
        # "10:30" without am and pm may be either half of the day.
        if form != "%H:%M" or other.hour not in (10, 11, 12):
            assert not is_told(fact, f"at {other.strftime(form)} sharp", NOW)


@given(st.dates(date(2024, 1, 1), date(2028, 12, 31)))
def test_every_day_is_told_by_its_month_and_number(day: date) -> None:
    told = f"on {MONTHS[day.month - 1]} {day.day}, if you like"
    assert is_told(day.isoformat(), told, NOW)
    assert is_told(day.isoformat(), f"{day.day} {MONTHS[day.month - 1]}", NOW)
    other = day + timedelta(days=1)
    assert not is_told(other.isoformat(), told, NOW)


@given(st.integers(-(10**9), 10**9))
def test_every_whole_number_is_told_with_and_without_commas(number: int) -> None:
    for told in (str(abs(number)), f"{abs(number):,}"):
        assert is_told(str(number), f"It is {told}.", NOW)
        assert not is_told(str(abs(number) + 1), f"It is {told}.", NOW)


@given(st.text(), st.sampled_from(["when?", "07:30", "2026-03-14", "12", "some words", "?"]))
def test_any_answer_can_be_read(answer: str, fact: str) -> None:
    assert is_told(fact, answer, NOW) in (True, False)


@given(st.text(min_size=1))
def test_any_fact_is_told_by_itself_or_not_but_never_fails(fact: str) -> None:
    assert is_told(fact, fact, NOW) in (True, False)


def test_every_question_has_its_words() -> None:
    for question in QUESTIONS:
        assert question.endswith("?")
        assert is_told(question, f"{question.capitalize()}", NOW)
