"""Whether an answer tells a fact, and nothing that only looks like it."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.flowbench.told import is_demanded, tells

NOW = datetime(2026, 3, 18, 9, 0)
STATES = ("open", "in_transit")


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("It costs $1,240.50.", 1240.5),
        ("It costs 1240.5 USD", 1240.5),
        ("EUR12.40, if you like", 12.4),
        ("12.40€", 12.4),
        ("**12.40**", 12.4),
        ("12.4.", 12.4),
        ("It is 12.4.", 12.4),
        ("12.400 kg", 12.4),
        ("That makes twelve minutes", 12),
        ("one thousand two hundred", 1200),
        ("in 3 minutes", 3),
        ("a 3-minute walk", 3),
        ("3min", 3),
        ("54m²", 54),
        ("You are number 3 in line", 3),
        ("One table is free", 1),
        ("Not 3 but 4", 4),
        ("-5 degrees", -5),
        ("minus 5", -5),
        ("2026 places", 2026),
        ("3%", 3),
        ("price:12.40", 12.4),
        ('{"price":12.4,"minutes":7}', 12.4),
        ("All are known, with no unknown people.", 0),
        ("None of them", 0),
        ("1.234,50", 1234.5),
        ("EUR 1.234,50, please", 1234.5),
        ("1 234,50 \u20ac", 1234.5),
        ("1\u202f234,5", 1234.5),
        ("1'234.50 CHF", 1234.5),
        ("1.234.567", 1234567),
        ("12,5 %", 12.5),
        ("12,5%", 12.5),
        ("0,125", 0.125),
        ("-3,5 degrees", -3.5),
    ],
)
def test_a_number_is_told_in_its_spellings(answer, value):
    assert tells(answer, value, "number", NOW)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("In turn 3 I was told", 3),
        ("13 cars", 3),
        ("3.5 cars", 3),
        ("room 3", 3),
        ("option 3", 3),
        ("#3", 3),
        ("3. We call the driver", 3),
        ("- 3) call", 3),
        ("order A-3", 3),
        ("3:05", 3),
        ("March 3", 3),
        ("2026-03-18", 3),
        ("3-5 minutes", 3),
        ("3-5 minutes", 5),
        ("3 - 5 minutes", 5),
        ("not 3 but 4", 3),
        ("Which one do you mean?", 1),
        ("K3", 3),
        ("3/4", 3),
        ("1,300", 300),
        ("112.40", 12.4),
        ("12.405", 12.4),
        ("12", 12.4),
        ("minus 5", 5),
        ("-5", 5),
        ("5", -5),
        ("", 0),
        ("No, not yet.", 0),
        ("at 14:03", 3),
        ("nothing", 0),
        ("1,250", 1.25),
        ("1.250", 1250),
        ("1.234,50", 1.234),
        ("1.234,50", 1234),
        ("1.234,50", 234.5),
        ("1 234,50", 234.5),
        ("1'234.50", 234.5),
        ("12,5", 12),
        ("12,5", 5),
        ("12,5", 125),
        ("112,5", 12.5),
        ("12,55", 12.5),
        ("1,2,3", 1.2),
        ("room 12,5", 12.5),
        ("not 12,5 %", 12.5),
    ],
)
def test_a_number_is_not_told_by_accident(answer, value):
    assert not tells(answer, value, "number", NOW)


@given(
    value=st.decimals("0.01", "999999", places=2),
    wrapping=st.sampled_from(["{}", "It is {}.", "({})", "**{}** EUR", "price: {}, well"]),
    grouped=st.booleans(),
)
def test_every_number_is_told_and_no_other_one(value, wrapping, grouped):
    answer = wrapping.format(f"{value:,}" if grouped else value)
    assert tells(answer, float(value), "number", NOW)
    for other in (value + Decimal("0.01"), value * 10, -value):
        assert not tells(answer, float(other), "number", NOW)


@given(
    day=st.dates(date(2026, 1, 1), date(2026, 12, 31)),
    form=st.sampled_from(["{:%Y-%m-%d}", "{:%B} {d}", "{d} {:%B} {:%Y}", "{:%b} {d}, {:%Y}"]),
)
def test_every_day_is_told_and_no_other_one(day, form):
    answer = "That is on " + form.replace("{d}", str(day.day)).format(day, day) + "."
    assert tells(answer, day.isoformat(), "date", datetime(2026, 7, 1))
    other = day + timedelta(days=1)
    assert not tells(answer, other.isoformat(), "date", datetime(2026, 7, 1))


@given(clock=st.times().map(lambda found: found.replace(second=0, microsecond=0)))
def test_every_time_is_told_in_both_clocks(clock: time):
    iso = f"{clock:%H:%M}"
    assert tells(f"At {iso}.", iso, "time", NOW)
    half = f"{clock.hour % 12 or 12}:{clock:%M} {'am' if clock.hour < 12 else 'pm'}"
    assert tells(f"At {half}", iso, "time", NOW)
    other = f"{(clock.hour + 12) % 24:02}:{clock:%M}"
    assert not tells(f"At {half}", other, "time", NOW)


@pytest.mark.parametrize(
    "answer",
    [
        "You are third in line.",
        "You are 3rd in the queue",
        "third on our waiting list",
        "the third place in line",
        "3 are waiting",
    ],
)
def test_a_count_is_told_as_a_place_in_a_line(answer):
    assert tells(answer, 3, "count", NOW)
    assert not any(tells(answer, other, "count", NOW) for other in (2, 4, 13, 30))


@pytest.mark.parametrize(
    "answer",
    [
        "The third option is best",
        "on the third of March",
        "March 3rd, in line with the rules",
        "the 13th in line",
        "the 3rd line",
        "a third of them",
        "not third in line",
        "twenty-third in line",
        "the third in the building",
    ],
)
def test_an_ordinal_that_is_no_place_tells_no_count(answer):
    assert not tells(answer, 3, "count", NOW)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("at 17.45", "17:45"),
        ("It leaves at 17.45.", "17:45"),
        ("until 17.45, then it closes", "17:45"),
        ("17.45 h", "17:45"),
        ("17.45 o'clock", "17:45"),
        ("17h45", "17:45"),
        ("at 5.45", "17:45"),
        ("a quarter past five", "17:15"),
        ("quarter to six pm", "17:45"),
        ("noon", "12:00"),
    ],
)
def test_a_time_is_told_in_its_spellings(answer, value):
    assert tells(answer, value, "time", NOW)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("13:20", "03:20"),
        ("3:20", "13:20"),
        ("03:20", "15:20"),
        ("3:20 am", "15:20"),
        ("3:205", "03:20"),
        ("17.45", "17:45"),
        ("It costs 17.45", "17:45"),
        ("at 17.45 EUR", "17:45"),
        ("at 17.45%", "17:45"),
        ("at $17.45", "17:45"),
        ("at 117.45", "17:45"),
        ("at 17.455", "17:45"),
        ("until 20.03", "20:03"),
        ("at 17.45.2026", "17:45"),
        ("not at 17.45", "17:45"),
        ("quarter past five am", "17:15"),
        ("quarter past fifteen", "15:15"),
    ],
)
def test_a_time_is_not_told_by_accident(answer, value):
    assert not tells(answer, value, "time", NOW)


@pytest.mark.parametrize(
    "answer",
    [
        "On Tuesday at 3:20 pm, or later",
        "Tuesday, 15:20",
        "Tuesday at 15.20",
        "Tuesday at twenty past three",
        "3:20 p.m. on Tuesday",
        "It is at 15:20 on Tuesday.",
        "Monday at 9 am, Tuesday at 3:20 pm and Friday",
    ],
)
def test_a_time_within_a_text_is_told_in_its_spellings(answer):
    assert tells(answer, "Tuesday at 15:20", "text", NOW)
    assert tells(answer, ["Tuesday at 15:20"], "list", NOW)
    assert not tells(answer, "Tuesday at 15:25", "text", NOW)
    assert not tells(answer, "Monday at 15:20", "text", NOW)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("Tuesday at 13:20", "Tuesday at 3:20"),
        ("Tuesday at 3:20 am", "Tuesday at 15:20"),
        ("Tuesday at 9:20 pm", "Tuesday at 9:20"),
        ("Monday at 3:20 pm, Tuesday at 4:20 pm", "Tuesday at 15:20"),
        ("not Tuesday at 3:20 pm", "Tuesday at 15:20"),
        ("Tuesday costs 15.20", "Tuesday at 15:20"),
        ("3:20 pm", "Tuesday at 15:20"),
    ],
)
def test_a_time_within_a_text_is_not_told_by_accident(answer, value):
    assert not tells(answer, value, "text", NOW)


@pytest.mark.parametrize("answer", ["Friday", "in 2026", "20 March 2027", "not on March 20", "20"])
def test_a_day_is_not_told_by_accident(answer):
    assert not tells(answer, "2026-03-20", "date", NOW)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("The plate is kx41 trv!", "KX 41 TRV"),
        ("R-104.", "R-104"),
        ("(R-104)", "R-104"),
        ("PIN: 4 7 1 1", "4711"),
        ("HARBOUR  gate", "Harbour Gate"),
        ("Your phone ending in 758 has it.", "the phone ending in 758"),
        ("The room is Elbe 54", "room Elbe 54"),
        ("**Room:** V-637", "room V-637"),
        ("at its harbour museum", "the harbour museum"),
        ("order R\u2011104", "R-104"),
        ("until 2026\u201103\u201120 at 14:05", "2026-03-20 14:05"),
        ("On March 20 at 2:05 pm", "2026-03-20 14:05"),
    ],
)
def test_a_text_is_told(answer, value):
    assert tells(answer, value, "text", NOW)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("R-1045", "R-104"),
        ("CR-104", "R-104"),
        ("R-104-2", "R-104"),
        ("R104", "R-104"),
        ("47115", "4711"),
        ("4711.5", "4711"),
        ("94711", "4711"),
        ("Gate Harbour", "Harbour Gate"),
        ("the phone ending in 7581", "the phone ending in 758"),
        ("Room: V-638", "room V-637"),
        ("room 12, V-637", "room V-637"),
        ("not Harbour Gate", "Harbour Gate"),
        ("March 20 at 2:05 am", "2026-03-20 14:05"),
    ],
)
def test_a_text_is_not_told_by_accident(answer, value):
    assert not tells(answer, value, "text", NOW)


def test_a_long_text_may_be_shortened():
    warned = "Strong gusts are expected along the northern coast from midnight"
    assert tells("Expect strong gusts on the northern coast", warned, "text", NOW)
    assert not tells("Expect some wind", warned, "text", NOW)


def test_a_choice_is_told_by_its_words_and_a_list_by_each_of_its_texts():
    for said in ("It is in transit", "state: in_transit.", "It is in-transit", "IN TRANSIT"):
        assert tells(said, "in_transit", STATES, NOW)
    assert not tells("It is reopened", "open", STATES, NOW)
    assert not tells("It is not open", "open", STATES, NOW)
    assert tells("Mill Road or Harbour Gate", ["Harbour Gate", "Mill Road"], "list", NOW)
    assert not tells("Mill Road", ["Harbour Gate", "Mill Road"], "list", NOW)


def test_truth_values_and_what_is_empty_are_not_demanded():
    assert not any(map(is_demanded, (True, False, "", [], None)))
    assert all(map(is_demanded, (0, 0.0, "x", ["x"])))


@given(answer=st.text(), value=st.text(min_size=1) | st.integers() | st.floats(allow_nan=False))
def test_any_text_can_be_read(answer, value):
    assert tells(answer, value, "text", NOW) in (True, False)
