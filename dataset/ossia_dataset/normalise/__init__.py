"""Exact normal forms of what users say: dates, times, places and numbers."""

from ossia_dataset.normalise.numbers import spoken_number
from ossia_dataset.normalise.places import canonical_place, is_house_place, normalise_place
from ossia_dataset.normalise.slots import (
    PLACE_SLOTS,
    TIME_SLOTS,
    half_day_free,
    normalise_date,
    normalise_time,
    normalise_time_slots,
)
from ossia_dataset.normalise.values import (
    RECURRENCES,
    WEEKDAYS,
    DateValue,
    TimeValue,
    parse_date_value,
    parse_time_value,
)

__all__ = [
    "PLACE_SLOTS",
    "RECURRENCES",
    "TIME_SLOTS",
    "WEEKDAYS",
    "DateValue",
    "TimeValue",
    "canonical_place",
    "half_day_free",
    "is_house_place",
    "normalise_date",
    "normalise_place",
    "normalise_time",
    "normalise_time_slots",
    "parse_date_value",
    "parse_time_value",
    "spoken_number",
]
