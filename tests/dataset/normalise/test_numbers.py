"""Numbers as people say them."""

import pytest

from ossia_dataset.normalise import spoken_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("fifty percent", 50),
        ("50%", 50),
        ("two hundred and five", 205),
        ("a dozen", 12),
        ("half a dozen", 6),
        ("two dozen", 24),
        ("one point five", 1.5),
        ("ninety nine point five", 99.5),
        ("zero point zero five", 0.05),
        ("one thousand and forty eight", 1048),
        ("one hundred and twenty five thousand three hundred and six", 125_306),
        ("ten million", 10_000_000),
        ("2 million", 2_000_000),
        ("1.5 million", 1_500_000),
        ("3,000", 3000),
        ("12.50 dollars", 12.5),
        ("twenty-five", 25),
        ("a hundred", 100),
        ("two and a half", 2.5),
        ("half", 0.5),
        ("a quarter", 0.25),
        ("minus five degrees", -5),
        ("-5", -5),
        ("zero", 0),
        ("a couple", 2),
        ("a", 1),
        ("a dollar", 1),
    ],
)
def test_a_number(text: str, value: float) -> None:
    assert spoken_number(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["", "apples", "five apples", "five five", "percent", "first", "a b"]
)
def test_no_number(text: str) -> None:
    assert spoken_number(text) is None
