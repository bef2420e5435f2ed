"""Exact normal forms of what users say: dates, times, places and numbers."""

from ossia_dataset.normalise.values import (
    RECURRENCES,
    WEEKDAYS,
    DateValue,
    TimeValue,
    parse_date_value,
    parse_time_value,
)

__all__ = [
    "RECURRENCES",
    "WEEKDAYS",
    "DateValue",
    "TimeValue",
    "parse_date_value",
    "parse_time_value",
]
