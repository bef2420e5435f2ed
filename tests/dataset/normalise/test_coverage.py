"""How many of the date and time values of the published data have a normal form."""

import csv
import re
from datetime import datetime
from pathlib import Path

import pytest

from ossia_dataset.normalise import normalise_time_slots

DATA = Path(__file__).parents[4] / "shared" / "data" / "auto-slurp"
NOW = datetime(2026, 3, 13, 10, 0)
SLOT = re.compile(r"\b(date|time2?|timeofday|from_time|to_time)\s*:\s*([^'\",\]]+)")


@pytest.mark.skipif(
    not DATA.is_dir(), reason="the published Auto-SLURP data is not beside the tree"
)
def test_most_of_the_published_values_have_a_normal_form() -> None:
    values: set[tuple[str, str]] = set()
    for name in ("train.csv", "test.csv"):
        with (DATA / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                values.update(
                    ("date" if slot == "date" else "time", value.strip())
                    for slot, value in SLOT.findall(row["slots"])
                )
    missing = {value for slot, value in values if not normalise_time_slots({slot: value}, NOW)}
    share = 1 - len(missing) / len(values)
    assert len(values) > 100
    assert share >= 0.85, sorted(missing)
