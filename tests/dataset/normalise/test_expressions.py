"""What users say about date and time, against a table and a frozen clock."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ossia_dataset.normalise import (
    half_day_free,
    normalise_date,
    normalise_time,
    normalise_time_slots,
)

TABLE = json.loads(Path(__file__).with_name("expressions.json").read_text("utf-8"))


KINDS = {
    "clock time", "day of the year", "duration", "half and quarter", "no normal form",
    "part of the day", "range", "recurrence", "relative day", "weekday",
}  # fmt: skip


def test_the_table_is_large_and_of_every_kind() -> None:
    assert len(TABLE) >= 400
    counts = Counter(row["kind"] for row in TABLE)
    assert counts.keys() == KINDS
    assert min(counts.values()) >= 15


@pytest.mark.parametrize("row", TABLE, ids=lambda row: "|".join(row["said"].values()))
def test_what_an_expression_means(row: dict[str, Any]) -> None:
    now = datetime.fromisoformat(row["now"])
    assert normalise_time_slots(row["said"], now) == row["means"]


def test_seconds_and_parts_of_the_clock_do_not_leak_into_the_result() -> None:
    now = datetime(2026, 3, 13, 10, 5, 42, 7)
    assert normalise_time("in ten minutes", now) == "10:15"
    assert normalise_time("the last hour", now) == "09:05..10:05"


def test_a_time_that_crosses_midnight_moves_the_date() -> None:
    late = datetime(2026, 12, 31, 23, 30)
    assert normalise_time_slots({"time": "in two hours"}, late) == {
        "date": "2027-01-01",
        "time": "01:30",
    }
    assert normalise_date("an hour from now", late) == "2027-01-01"


@pytest.mark.parametrize(
    ("now", "text", "date"),
    [
        ("2026-03-13", "friday", "2026-03-20"),
        ("2026-03-12", "friday", "2026-03-13"),
        ("2026-03-15", "this week", "2026-03-09..2026-03-15"),
        ("2026-03-15", "this weekend", "2026-03-14..2026-03-15"),
        ("2026-03-15", "next friday", "2026-03-20"),
        ("2026-03-16", "next friday", "2026-03-27"),
        ("2026-01-31", "next month", "2026-02-01..2026-02-28"),
        ("2026-01-31", "in a month", "2026-02-28"),
        ("2026-01-31", "the thirtieth", "2026-03-30"),
        ("2024-02-29", "in a year", "2025-02-28"),
        ("2026-12-31", "tomorrow", "2027-01-01"),
        ("2026-12-25", "christmas", "2026-12-25"),
        ("2026-12-26", "christmas", "2027-12-25"),
        ("9999-12-31", "tomorrow", None),
        ("0001-01-01", "yesterday", None),
    ],
)
def test_the_clock_decides(now: str, text: str, date: str | None) -> None:
    assert normalise_date(text, datetime.fromisoformat(now)) == date


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("five", True),
        ("half past six", True),
        ("nine to five", True),
        ("tomorrow at seven", True),
        ("five pm", False),
        ("five in the morning", False),
        ("noon", False),
        ("seventeen hundred hours", False),
        ("in two hours", False),
        ("morning", False),
        ("10:30", False),
        ("9:30", True),
        ("soon", False),
        ("", False),
    ],
)
def test_which_times_leave_the_half_of_the_day_open(text: str, free: bool) -> None:
    assert half_day_free(text) is free
