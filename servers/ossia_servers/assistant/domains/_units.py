"""Amounts in other units, as people ask for them: "how many cups are in two quarts"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final

from ossia_dataset.normalise import spoken_number

LONGEST: Final = 8
"""How many words the amount before a unit may have."""

LARGEST: Final = 10**30
"""No larger amount is converted."""


@dataclass(frozen=True, slots=True)
class _Unit:
    measure: str
    """What it measures; only units of one measure can be turned into each other."""
    size: Fraction
    """How many of the measure's base unit it is."""
    name: str
    """Its plural."""
    zero: Fraction = Fraction(0)
    """Where its zero lies on the base unit's scale."""


_TABLE: Final = {
    "length": """
        0.001 millimeters millimeter millimetre millimetres mm
        0.01 centimeters centimeter centimetre centimetres cm cms
        1 meters meter metre metres
        1000 kilometers kilometer kilometre kilometres km kms
        0.0254 inches inch
        0.3048 feet foot ft
        0.9144 yards yard yd
        1609.344 miles mile""",
    "weight": """
        0.001 milligrams milligram mg
        1 grams gram gm
        1000 kilograms kilogram kilo kilos kg kgs
        1000000 tonnes tonne
        28.349523125 ounces ounce oz
        453.59237 pounds pound lb lbs
        907184.74 tons ton
        6350.29318 stones stone""",
    "volume": """
        1 milliliters milliliter millilitre millilitres ml
        1000 liters liter litre litres
        4.92892159375 teaspoons teaspoon tsp
        14.78676478125 tablespoons tablespoon tbsp
        29.5735295625 fluid-ounces fluid-ounce
        236.5882365 cups cup
        473.176473 pints pint
        946.352946 quarts quart
        3785.411784 gallons gallon""",
    "time": """
        1 seconds second
        60 minutes minute
        3600 hours hour
        86400 days day
        604800 weeks week
        31536000 years year
        315360000 decades decade
        3153600000 centuries century""",
    "area": """
        0.09290304 square-feet square-foot
        1 square-meters square-meter square-metre square-metres
        4046.8564224 acres acre
        10000 hectares hectare
        2589988.110336 square-miles square-mile
        1000000 square-kilometers square-kilometer square-kilometre square-kilometres""",
}
_JOINED: Final = ("square", "fluid")


@cache
def _units() -> dict[str, _Unit]:
    found: dict[str, _Unit] = {
        "kelvin": _Unit("temperature", Fraction(1), "kelvin"),
        "celsius": _Unit("temperature", Fraction(1), "degrees Celsius", Fraction("273.15")),
        "fahrenheit": _Unit(
            "temperature",
            Fraction(5, 9),
            "degrees Fahrenheit",
            Fraction("273.15") - Fraction(160, 9),
        ),
    }
    found["centigrade"] = found["celsius"]
    for measure, lines in _TABLE.items():
        for line in lines.strip().splitlines():
            size, plural, *names = line.split()
            unit = _Unit(measure, Fraction(size), plural.replace("-", " "))
            found.update(dict.fromkeys([plural, *names], unit))
    return found


def converted(text: str) -> str | None:
    """Work out a question for an amount in another unit.

    Args:
        text: what was asked, such as "how many feet are there in a mile" or "five miles in
            kilometers"; without an amount one of the unit is meant.

    Returns:
        The amount with its unit, or None where the question is another one.
    """
    words = _words(text)
    units = _units()
    places = [number for number, word in enumerate(words) if word in units]
    if len(places) != 2:
        return None
    first, second = places
    source, target = (second, first) if _asked_for(words, first, second) else (first, second)
    have, want = _alike(units[words[source]], units[words[target]])
    said = _amount(words[:source])
    amount = Fraction(1) if said is None else said
    if have.measure != want.measure or have is want or abs(amount) > LARGEST:
        return None
    value = (amount * have.size + have.zero - want.zero) / want.size
    return f"{float(value):.6g} {want.name}"


def _alike(*units: _Unit) -> list[_Unit]:
    """Return the units with ounces as fluid ones beside a unit of volume."""
    fluid = any(unit.measure == "volume" for unit in units)
    return [_units()["fluid-ounce"] if fluid and unit.name == "ounces" else unit for unit in units]


def _words(text: str) -> list[str]:
    plain = re.sub(r"(?<=[0-9]),(?=[0-9]{3})", "", text.casefold())
    plain = re.sub(rf"\b({'|'.join(_JOINED)}) (?=[a-z])", r"\1-", plain)
    plain = re.sub(r"\b(?:degrees?|deg)\b", " ", plain)
    return re.findall(r"[0-9]+(?:\.[0-9]+)?|[a-z]+(?:-[a-z]+)?", plain)


def _asked_for(words: Sequence[str], first: int, second: int) -> bool:
    """Return whether the first of two units is the wanted one: "how many feet are in a mile"."""
    before = words[max(0, first - 1) : first]
    if before and before[0] in ("many", "much", "in", "into", "to"):
        return True
    return _amount(words[:first]) is None and _amount(words[:second]) is not None


def _amount(before: Sequence[str]) -> Fraction | None:
    """Return the number that ends a row of words, None if none does."""
    for start in range(max(0, len(before) - LONGEST), len(before)):
        value = spoken_number(" ".join(before[start:]))
        if value is not None:
            return Fraction(repr(value))
    if before and before[-1][0].isdigit():
        # Figures that are no number are too many.
        return Fraction(2 * LARGEST)
    if before[-1:] not in (["a"], ["an"]):
        return None
    # "Half a mile" has a word between the number and its unit.
    said = _amount(before[:-1])
    return Fraction(1) if said is None else said
