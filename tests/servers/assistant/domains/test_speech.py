"""Counts, dates and times are said as people say them."""

from datetime import datetime

import pytest

from ossia_servers.assistant.domains._speech import counted, spoken_date, spoken_time

NOW = datetime(2026, 3, 13, 10, 0)


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [(1, "email", "one email"), (0, "entry", "no entries"), (29, "day", "29 days")],
)
def test_counts(number, noun, said):
    assert counted(number, noun) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-03-13", "today"),
        ("2026-03-14", "tomorrow"),
        ("2026-03-17", "Tuesday, March 17"),
        ("2027-01-01", "Friday, January 1 2027"),
        ("2026-03-16..2026-03-22", "March 16 to March 22"),
        ("2026-03-16..", "from March 16 on"),
        ("..2026-03-16", "until March 16"),
        ("every weekday", "every weekday"),
    ],
)
def test_dates(text, said):
    assert spoken_date(text, NOW) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("18:30", "18:30"),
        ("06:00..12:00", "from 06:00 to 12:00"),
        ("18:00..", "after 18:00"),
        ("..08:00", "before 08:00"),
    ],
)
def test_times(text, said):
    assert spoken_time(text) == said
