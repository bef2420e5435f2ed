"""What was seen holds an answer or does not: wider questions do, other places and days do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.assistant.identities import IDENTITIES
from ossia_evaluation.worlds.evidence import (
    Identity,
    Look,
    asks_as_much,
    extra_rows,
    holds_answer,
    is_empty,
    rows_of,
)
from ossia_evaluation.worlds.gold import GoldRunner
from tests.evaluation.support import BY_NAME, DOMAINS, request, task

RUNNER = GoldRunner(DOMAINS)
ANY = task("weather", "weather_query", "answer")
LOOK = Look(ANY.now, ANY.home)
"""Friday, 2026-03-13, 10:00, in New York."""


def served(*urls):
    """What the servers answer to some addresses on a fresh world."""
    return RUNNER.run(ANY, tuple(map(request, urls))).requests


def holds(wanted, *urls):
    """Whether some addresses saw what one address sees."""
    (question,) = served(wanted)
    assert question.code == "SUCCESS", question
    return holds_answer(question, served(*urls), BY_NAME, IDENTITIES, LOOK)


def as_much(wanted, given):
    (question,), (asked,) = served(wanted), served(given)
    return asks_as_much(question, asked, BY_NAME[question.domain], LOOK)


TOMORROW = "/weather?intent=weather_query&date=2026-03-14"
DALLAS = "/weather?intent=weather_query&place_name=Dallas, Texas&date=2026-03-14"
MONDAY = "/alarm?intent=alarm_query&date=2026-03-16"
EVENING = "/alarm?intent=alarm_query&date=2026-03-14&time=18:00..22:00"
PACKING = "/lists?intent=lists_query&list_name=packing"
YEN = "/currency?intent=qa_currency&currency=dollars&currency2=yen&amount=200"
RATE = "/currency?intent=qa_currency&currency=dollars&currency2=yen"
APPLE = "/stock?intent=qa_stock&business_name=apple"
TOKYO = "/datetime?intent=datetime_query&place_name=Tokyo, Japan"
MAIL = "/email?intent=email_query&from_person=alice&date=2026-03-09..2026-03-15"
NOW = "/weather?intent=weather_query&date=2026-03-13"
MEETINGS = "/calendar?intent=calendar_query&date=2026-03-14"
TRAIN = (
    "/transport?intent=transport_query&descriptor=next&transport_type=train"
    "&to_place_name=Newark, New Jersey"
)
PHONE = "/email?intent=email_querycontact&person=peter&personal_info=home phone number"
MISSED = "/phone?intent=phone_notification&event_name=missed calls"
EPHEMERAL = "/qa?intent=qa_definition&definition_word=ephemeral"
NOTHING = "/calendar?intent=calendar_query&date=2031-01-01"


HELD = [
    # The same question, also in other words.
    (TOMORROW, TOMORROW),
    (DALLAS, "/weather?intent=weather_query&place_name=Dallas&date=2026-03-14"),
    (DALLAS, "/weather?intent=weather_query&place_name=dallas tx&date=2026-03-14"),
    (PACKING, "/lists?intent=lists_query&list_name=Packing"),
    (APPLE, "/stock?intent=qa_stock&business_name=Apple"),
    (APPLE, "/stock?intent=qa_stock&symbol=AAPL"),
    # Wider spans.
    (TOMORROW, "/weather?intent=weather_query&date=2026-03-13..2026-03-16"),
    (DALLAS, "/weather?intent=weather_query&place_name=Dallas, Texas&date=2026-03-14..2026-03-20"),
    (MONDAY, "/alarm?intent=alarm_query"),
    (MONDAY, "/alarm?intent=alarm_query&date=2026-03-16..2026-03-18"),
    (EVENING, "/alarm?intent=alarm_query&date=2026-03-14"),
    (EVENING, "/alarm?intent=alarm_query&date=2026-03-14&time=17:00..23:59"),
    (EVENING, "/alarm?intent=alarm_query&date=2026-03-14&from_time=18:00&to_time=22:00"),
    (EVENING, "/alarm?intent=alarm_query&date=2026-03-14&from_time=12:00"),
    (PACKING, "/lists?intent=lists_query"),
    (MAIL, "/email?intent=email_query&from_person=alice"),
    (MAIL, "/email?intent=email_query&date=2026-03-09..2026-03-15"),
    (MEETINGS, "/calendar?intent=calendar_query&date=2026-03-10..2026-03-20"),
    (MEETINGS, "/calendar?intent=calendar_query"),
    # What is so anyway, said in full: today, now, at home.
    (TOMORROW, "/weather?intent=weather_query&date=2026-03-14&place_name=New York, New York"),
    (TOMORROW, "/weather?intent=weather_query&date=2026-03-14&place_name=New York"),
    (NOW, "/weather?intent=weather_query"),
    ("/weather?intent=weather_query", NOW),
    (APPLE, "/stock?intent=qa_stock&business_name=apple&date=2026-03-13"),
    (TOKYO, "/datetime?intent=datetime_query&place_name=Tokyo, Japan&date=2026-03-13&time=10:00"),
    # Currencies in either direction, and any amount.
    (YEN, "/currency?intent=qa_currency&currency=yen&currency2=dollars"),
    (YEN, "/currency?intent=qa_currency&currency=dollars&currency2=yen"),
    (YEN, "/currency?intent=qa_currency&currency=yen&currency2=dollars&amount=5"),
    (RATE, "/currency?intent=qa_currency&currency=JPY&currency2=USD"),
    (RATE, YEN),
    # What I own holds one of it, and so do other parameters or intents with the same rows.
    (APPLE, "/stock?intent=qa_stock"),
    (MISSED, "/phone?intent=phone_notification"),
    (PHONE, "/email?intent=email_querycontact&person=peter"),
    (TRAIN, TRAIN.replace("&descriptor=next", "")),
    (TRAIN, f"{TRAIN}&from_place_name=New York"),
    ("/qa?intent=qa_maths&content=seventeen times six", "/qa?intent=qa_maths&content=17 times 6"),
    (EPHEMERAL, "/qa?intent=qa_factoid&content=what does ephemeral mean"),
    ("/music?intent=music_query&query=title", "/music?intent=music_query"),
    # The difference of two places tells the time in one of them.
    (TOKYO, "/datetime?intent=datetime_convert&place_name=Tokyo, Japan&time=10:00"),
]


@pytest.mark.parametrize(("wanted", "given"), HELD)
def test_a_question_as_wide_or_wider_holds_the_answer(wanted, given):
    assert holds(wanted, given)


NOT_HELD = [
    # Another place.
    (TOMORROW, "/weather?intent=weather_query&date=2026-03-14&place_name=Boston"),
    (DALLAS, TOMORROW),
    (DALLAS, "/weather?intent=weather_query&place_name=Austin, Texas&date=2026-03-14"),
    (DALLAS, "/weather?intent=weather_query&place_name=Boston&date=2026-03-14"),
    (TOKYO, "/datetime?intent=datetime_query&place_name=London"),
    (TOKYO, "/datetime?intent=datetime_query"),
    # Another day or another hour.
    (TOMORROW, "/weather?intent=weather_query&date=2026-03-15"),
    (TOMORROW, "/weather?intent=weather_query&date=2026-03-15..2026-03-18"),
    (DALLAS, "/weather?intent=weather_query&place_name=Dallas, Texas&date=2026-03-13"),
    (MONDAY, "/alarm?intent=alarm_query&date=2026-03-15"),
    (EVENING, "/alarm?intent=alarm_query&date=2026-03-14&time=06:00..09:00"),
    (EVENING, "/alarm?intent=alarm_query&date=2026-03-14&to_time=12:00"),
    (MEETINGS, "/calendar?intent=calendar_query&date=2026-03-13"),
    (MEETINGS, "/calendar?intent=calendar_query&date=2026-03-15..2026-03-20"),
    # Another thing.
    (PACKING, "/lists?intent=lists_query&list_name=shopping"),
    (PACKING, "/lists?intent=lists_query&item_name=passport"),
    (APPLE, "/stock?intent=qa_stock&business_name=tesla"),
    (MAIL, "/email?intent=email_query&from_person=sarah"),
    (YEN, "/currency?intent=qa_currency&currency=dollars&currency2=euros&amount=200"),
    (YEN, "/currency?intent=qa_currency&currency=yen&currency2=euros"),
    (TRAIN, TRAIN.replace("Newark, New Jersey", "Boston")),
    (TRAIN, "/transport?intent=transport_query&from_place_name=Newark&to_place_name=New York"),
    (PHONE, "/email?intent=email_querycontact&person=sarah"),
    ("/phone?intent=phone_notification", MISSED),
    ("/qa?intent=qa_maths&content=seventeen times six", "/qa?intent=qa_maths&content=17 times 7"),
    (EPHEMERAL, "/qa?intent=qa_definition&definition_word=gullible"),
    # Another domain, or nothing at all.
    (MONDAY, "/calendar?intent=calendar_query&date=2026-03-16"),
    (TOMORROW, MONDAY),
    (MAIL, "/email?intent=email_querycontact&person=alice"),
    (APPLE, "/stock?intent=qa_stock&business_name=no such company"),
]


@pytest.mark.parametrize(("wanted", "given"), NOT_HELD)
def test_a_question_for_something_else_does_not_hold_the_answer(wanted, given):
    assert not holds(wanted, given)


@pytest.mark.parametrize("wanted", [TOMORROW, MONDAY, PACKING, YEN, APPLE, TOKYO, MAIL, NOTHING])
def test_who_has_looked_at_nothing_holds_no_answer(wanted):
    assert not holds(wanted)


@pytest.mark.parametrize("wanted", [TOMORROW, MONDAY, PACKING, YEN, APPLE, TOKYO, MAIL, NOTHING])
def test_any_other_looks_besides_do_no_harm(wanted):
    assert holds(wanted, "/lists?intent=lists_query&list_name=movies", wanted, DALLAS)


def test_an_answer_may_be_put_together_from_several_looks():
    both = "/weather?intent=weather_query&date=2026-03-14..2026-03-15"
    sunday = "/weather?intent=weather_query&date=2026-03-15"
    assert not holds(both, TOMORROW)
    assert not holds(both, sunday)
    assert holds(both, TOMORROW, sunday)
    assert holds(both, sunday, TOMORROW)


def test_a_part_of_the_rows_is_not_enough():
    assert not holds("/lists?intent=lists_query", PACKING)
    assert not holds("/alarm?intent=alarm_query", EVENING)


@pytest.mark.parametrize(
    "given",
    [
        NOTHING,
        "/calendar?intent=calendar_query&date=2030-12-30..2031-01-04",
        "/calendar?intent=calendar_query",
    ],
)
def test_where_nothing_is_found_as_much_or_more_has_to_be_asked(given):
    (question,) = served(NOTHING)
    assert is_empty(question.result)
    assert holds(NOTHING, given)


@pytest.mark.parametrize(
    "given",
    [
        "/calendar?intent=calendar_query&date=2031-01-02",
        "/calendar?intent=calendar_query&date=2026-03-14",
        "/calendar?intent=calendar_query&date=2031-01-01&event_name=dentist",
        "/calendar?intent=calendar_query&date=2031-01-01&person=anna",
        "/alarm?intent=alarm_query&date=2031-01-01",
    ],
)
def test_where_nothing_is_found_less_is_not_enough(given):
    assert not holds(NOTHING, given)


def test_where_nothing_is_found_each_day_may_be_asked_for_by_itself():
    span = "/calendar?intent=calendar_query&event_name=regatta&date=2031-01-01..2031-01-03"
    days = [
        f"/calendar?intent=calendar_query&event_name=regatta&date=2031-01-0{n}" for n in (1, 2, 3)
    ]
    assert holds(span, *days)
    assert not holds(span, *days[:2])


def test_of_today_only_what_is_to_come_is_asked_for():
    asked = "/calendar?intent=calendar_query&date=2026-03-13&time=08:00..12:00"
    assert as_much(asked, "/calendar?intent=calendar_query&date=2026-03-13&time=10:00..12:00")
    assert not as_much(asked, "/calendar?intent=calendar_query&date=2026-03-13&time=11:00..12:00")
    later = asked.replace("13&", "14&")
    assert not as_much(later, "/calendar?intent=calendar_query&date=2026-03-14&time=10:00..12:00")


def test_what_changes_the_world_is_no_look():
    removed = "/lists?intent=lists_remove&list_name=packing&item_name=passport"
    (done,) = served(removed)
    assert done.changes
    assert not holds(PACKING, removed)


def test_what_is_refused_is_no_look():
    strange = "/currency?intent=qa_currency&currency=penguins&currency2=yen"
    (refused,) = served(strange)
    assert refused.code != "SUCCESS"
    assert not holds(YEN, strange)


@pytest.mark.parametrize(
    ("wanted", "given", "enough"),
    [
        (TOMORROW, TOMORROW, True),
        (TOMORROW, "/weather?intent=weather_query&date=2026-03-14..2026-03-15", True),
        (TOMORROW, "/weather?intent=weather_query&date=2026-03-15..2026-03-16", False),
        ("/weather?intent=weather_query&date=2026-03-14..2026-03-15", TOMORROW, False),
        (EVENING, "/alarm?intent=alarm_query&date=2026-03-14&time=19:00..20:00", False),
        # Without a day and a time a server may mean today: the rows have to show it.
        (EVENING, "/alarm?intent=alarm_query", False),
        (MONDAY, EVENING, False),
        (DALLAS, TOMORROW, False),
        (TOMORROW, DALLAS, False),
        (PACKING, "/lists?intent=lists_query", True),
        ("/lists?intent=lists_query", PACKING, False),
    ],
)
def test_who_asks_for_less_asks_not_as_much(wanted, given, enough):
    assert as_much(wanted, given) is enough


@pytest.mark.parametrize(
    ("result", "empty"),
    [
        (None, True),
        ("", True),
        ([], True),
        ({}, True),
        ({"a": [], "b": ""}, True),
        ({"a": 0}, False),
        ([{}], False),
        (0, False),
        ("x", False),
    ],
)
def test_a_result_is_empty_or_not(result, empty):
    assert is_empty(result) is empty


def test_a_result_is_read_as_rows():
    assert rows_of([{"a": 1}, 2]) == [{"a": 1}, {"value": 2}]
    assert rows_of({"a": 1}) == [{"a": 1}]
    assert rows_of([]) == []


def test_rows_that_were_seen_besides_are_told_apart():
    (question,) = served(EVENING)
    everything = served("/alarm?intent=alarm_query")
    extra = extra_rows(question, everything, IDENTITIES)
    assert extra
    ids = {row["id"] for row in rows_of(question.result)}
    assert not ids & {row["id"] for row in extra}
    assert len(extra) + len(ids) == len(rows_of(everything[0].result))
    assert extra_rows(question, served(EVENING), IDENTITIES) == []
    assert extra_rows(question, served(TOMORROW), IDENTITIES) == []


def test_columns_in_any_order_are_known_by_their_values():
    (there,) = served(RATE)
    (other,) = served("/currency?intent=qa_currency&currency=yen&currency2=dollars")
    strict = {"currency": Identity(("from", "to"))}
    assert holds_answer(there, [other], BY_NAME, IDENTITIES, LOOK)
    assert not holds_answer(there, [other], BY_NAME, strict, LOOK)


@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6))
def test_a_span_of_days_holds_the_days_within_and_no_others(day, first, length):
    def date(number):
        return f"2026-03-{14 + number}"

    wanted = f"/weather?intent=weather_query&date={date(day)}"
    span = f"/weather?intent=weather_query&date={date(first)}..{date(first + length)}"
    assert holds(wanted, span) is (first <= day <= first + length)


@given(st.sampled_from([TOMORROW, MONDAY, EVENING, PACKING, YEN, APPLE, TOKYO, MAIL, DALLAS]))
def test_every_question_holds_its_own_answer(wanted):
    assert holds(wanted, wanted)
    assert as_much(wanted, wanted)
