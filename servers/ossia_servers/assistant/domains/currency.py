"""Exchange rates between currencies, and amounts turned from one into another.

The published catalogue has no date, time and descriptor here; people ask with them all the same
("the rate of today"), so they are taken as well.
"""

from __future__ import annotations

from datetime import date
from difflib import get_close_matches
from functools import cache
from typing import Any, Final

from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Refusal, Reply
from ossia_servers.worlds.world import World

POPULAR: Final = ("EUR", "GBP", "JPY", "CAD", "CHF", "MXN")
"""Told when no currency is named."""

MOST: Final = 1e15
"""The largest amount that is converted."""

_ONE: Final = {"kronor": "krona", "kroner": "krone", "kronur": "krona"}
"""Names of one piece of money that are not the plural without its s."""

_SURPLUS: Final = meanings(
    "currency currencies money cash coin bill note exchange rate value one today current worth"
    " best good popular much"
)


@cache
def _names() -> dict[frozenset[str], str]:
    """Return the code of a currency by the words that name it."""
    found: dict[frozenset[str], str] = {}
    for code, name, _, aliases in simulated.data("currencies"):
        for text in (code, name, *aliases.split("|")):
            found[meanings(text)] = code
    # A country stands before its spelling as single letters.
    found[frozenset({"u", "s"})] = found[frozenset({"u", "s", "dollar"})] = "USD"
    found[frozenset({"u", "k"})] = "GBP"
    return found


@cache
def _table() -> dict[str, tuple[str, float]]:
    return {code: (name, rate) for code, name, rate, _ in simulated.data("currencies")}


def _code(text: str) -> str | None:
    """Return the currency that a user means, None for words such as "the best exchange rate".

    Raises:
        Refusal: the words name no known currency.
    """
    said = meanings(text) - _SURPLUS
    spelled = "".join(simulated.key(text).split()).upper()
    if spelled in _table():
        return spelled
    if not said:
        return None
    known = _names()
    if said in known:
        return known[said]
    # The most telling name wins: "canadian dollar bills" is no US dollar.
    inside = [names for names in known if names <= said]
    if not inside:
        said = _nearly(said)
        inside = [names for names in known if names <= said]
    if not inside:
        raise Refusal.not_found(f"There is no currency called {text!r} here.")
    return known[max(inside, key=lambda names: (len(names), names != {"dollar"}, sorted(names)))]


def _nearly(said: frozenset[str]) -> frozenset[str]:
    """Return the words with small slips put right: "rupies" are rupees."""
    vocabulary = sorted(frozenset().union(*_names()))
    near = (get_close_matches(word, vocabulary, 1, 0.8) for word in sorted(said) if len(word) > 3)
    return frozenset(word for found in near for word in found)


def _per_dollar(world: World, code: str, day: date) -> float:
    """Return how much of a currency a US dollar buys on a day."""
    usual = _table()[code][1]
    if code == "USD":
        return usual
    return usual * (1 + world.random("currency", code, day).uniform(-0.01, 0.01))


def _rate(world: World, source: str, target: str, day: date) -> float:
    rate = _per_dollar(world, target, day) / _per_dollar(world, source, day)
    return float(f"{rate:.5g}")


def _converted(world: World, source: str, target: str, amount: float, day: date) -> dict[str, Any]:
    rate = _rate(world, source, target, day)
    value = amount * rate
    return {
        "from": source,
        "to": target,
        "amount": amount,
        "rate": rate,
        "value": round(value, 2) if abs(value) >= 1 else float(f"{value:.4g}"),
    }


def _money(amount: float, code: str) -> str:
    name = _table()[code][0]
    if amount == 1:
        kind = name.split()[-1]
        name = name.removesuffix(kind) + _ONE.get(kind, kind.removesuffix("s"))
    return f"{amount:,.10g} {name}"


def _told(row: dict[str, Any]) -> str:
    verb = "is" if row["amount"] == 1 else "are"
    source, target = _money(row["amount"], row["from"]), _money(row["value"], row["to"])
    return f"{source} {verb} {target} at a rate of {row['rate']:g}"


def _query(world: World, params: Params) -> Reply:
    amount = params.number("amount")
    amount = 1.0 if amount is None else amount
    if not 0 <= amount <= MOST:
        raise Refusal("Only amounts between zero and a quadrillion can be converted.")
    named = [
        code
        for name in ("currency", "currency2")
        if (text := params.text(name)) is not None and (code := _code(text)) is not None
    ]
    if not named:
        pairs = [("USD", code) for code in POPULAR]
    elif len(named) == 1:
        # Money of elsewhere is counted in dollars, and the dollar in euros.
        pairs = [(named[0], "EUR" if named[0] == "USD" else "USD")]
    else:
        pairs = [(named[0], named[1])]
    day = simulated.last_known_day(world, params.date())
    rows = [_converted(world, source, target, amount, day) for source, target in pairs]
    return Reply("; ".join(_told(row) for row in rows) + ".", rows)


DOMAIN = Domain(
    name="currency",
    description="Exchange rates of currencies.",
    fields=(
        Field("currency", Kind.NAME, "the currency that is exchanged", example="euro"),
        Field("currency2", Kind.NAME, "the currency that it is exchanged for", example="dollar"),
        Field("amount", Kind.NUMBER, "how much is exchanged", example="50"),
        Field("date", Kind.DATE, "day of the rate"),
        Field("time", Kind.TIME, "time of the rate; a day has one rate", Match.IGNORABLE),
        Field("descriptor", Kind.TEXT, "which rate, such as best", Match.IGNORABLE),
    ),
    intents=(
        Intent(
            "qa_currency",
            "Tell the rate between two currencies, or of one in dollars.",
            _query,
            writes=False,
        ),
    ),
)
