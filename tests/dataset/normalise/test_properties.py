"""What holds for any text and any clock."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.normalise import (
    TIME_SLOTS,
    canonical_place,
    half_day_free,
    is_house_place,
    normalise_date,
    normalise_place,
    normalise_time,
    normalise_time_slots,
    parse_date_value,
    parse_time_value,
    spoken_number,
)

WORDS = (
    "a after ago am and april at before between by christmas couple day days december eight every "
    "evening fifteenth fifth first five for friday from half hour hours hundred in last march "
    "midnight minutes monday month morning next night nine noon o'clock of oh on past pm quarter "
    "rest second seven since six starting sunday ten the thirty this thousand three to today "
    "tomorrow tonight twelve twenty two until week weekday weekend year yesterday zero 1 15 2017 "
    "31 3/14 5:30 1730 2026-03-14 9-5 25:99 , - . dallas texas new york kitchen near me point dozen"
).split()
PHRASES = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
TEXTS = st.one_of(PHRASES, st.text(max_size=60))
CLOCKS = st.datetimes()
HOME = "New York, New York"


@given(st.dictionaries(st.sampled_from(TIME_SLOTS), TEXTS), CLOCKS)
def test_the_slots_of_any_text_are_normal_forms(slots: dict[str, str], now: datetime) -> None:
    result = normalise_time_slots(slots, now)
    assert result.keys() <= set(TIME_SLOTS)
    for name, value in result.items():
        parse = parse_date_value if name == "date" else parse_time_value
        assert str(parse(value)) == value
    assert normalise_time_slots(result, now) == result


@given(TEXTS, CLOCKS)
def test_a_date_and_a_time_of_any_text_are_normal_forms_or_none(text: str, now: datetime) -> None:
    date, time = normalise_date(text, now), normalise_time(text, now)
    assert date is None or normalise_date(date, now) == str(parse_date_value(date)) == date
    assert time is None or normalise_time(time, now) == str(parse_time_value(time)) == time
    assert half_day_free(text) in (True, False)


@given(TEXTS)
def test_a_number_of_any_text_is_finite(text: str) -> None:
    value = spoken_number(text)
    assert value is None or abs(value) < 1e40


@given(TEXTS)
def test_a_place_of_any_text_stays_as_it_is_the_second_time(text: str) -> None:
    place = normalise_place(text, HOME)
    assert normalise_place(place, HOME) == place
    assert bool(place) is bool(text.strip())
    canonical = canonical_place(text)
    assert canonical_place(canonical) == canonical
    assert is_house_place(text) in (True, False)


@given(PHRASES, CLOCKS)
def test_the_ends_of_a_range_of_dates_are_in_order(text: str, now: datetime) -> None:
    value = parse_date_value(date) if (date := normalise_date(text, now)) else None
    if value is not None and value.start and value.end:
        assert value.start <= value.end


@given(
    st.sampled_from(("today", "tomorrow", "yesterday", "in three days", "two days ago")),
    st.datetimes(datetime(1950, 1, 1), datetime(2149, 12, 1)),
)
def test_what_is_counted_from_today_moves_with_it(text: str, now: datetime) -> None:
    first, second = (normalise_date(text, day) for day in (now, now + timedelta(days=1)))
    assert first is not None and second is not None
    moved = datetime.fromisoformat(second) - datetime.fromisoformat(first)
    assert moved == timedelta(days=1)
