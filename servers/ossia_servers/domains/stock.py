"""Stock prices: a simulated exchange that lists every company.

The published catalogue has no date, time and descriptor here; people ask with them all the same
("what did it close at yesterday"), so they are taken as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, Final

from ossia_servers.domain import (
    Domain,
    Field,
    Intent,
    Kind,
    Match,
    Refusal,
    Reply,
    Row,
    SeedContext,
    Table,
)
from ossia_servers.domains import _simulated as simulated
from ossia_servers.params import Params
from ossia_servers.worlds import World

WATCHED: Final = "stock.watched"

_SURPLUS: Final = frozenset(
    "the a an stock stocks share shares price prices of for market company index value inc corp"
    " corporation incorporated ltd limited plc co technologies today quote symbol ticker".split()
)

_ALIASES: Final[Mapping[str, str]] = {
    "alphabet": "GOOGL",
    "goog": "GOOGL",
    "fb": "META",
    "meta": "META",
    "coke": "KO",
    "coca cola": "KO",
    "pepsico": "PEP",
    "mcdonalds": "MCD",
    "mc donalds": "MCD",
    "j p morgan": "JPM",
    "jpmorgan": "JPM",
    "exxon": "XOM",
    "dow": "DJI",
    "dow jones industrial average": "DJI",
    "s p": "SPX",
    "s n p": "SPX",
    "s and p": "SPX",
    "s and p five hundred": "SPX",
    "s and p 500": "SPX",
    "sp500": "SPX",
    "ftse": "UKX",
    "johnson johnson": "JNJ",
    "a t and t": "T",
    "at and t": "T",
    "ge": "GE",
    "i b m": "IBM",
    "walt disney": "DIS",
}


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    return {
        WATCHED: [
            {"symbol": symbol} for symbol in ("AAPL", "MSFT", "KO", "TM", "DIS", "DJI", "SPX")
        ]
    }


def _key(name: str) -> str:
    return simulated.key(name.replace("'", ""))


@cache
def _listed() -> Mapping[str, tuple[str, str, float]]:
    """Return the companies of the exchange by symbol and by name."""
    found: dict[str, tuple[str, str, float]] = {}
    for symbol, name, price in simulated.data("stocks"):
        found[_key(symbol)] = found[_key(name)] = (symbol, name, price)
    for alias, symbol in _ALIASES.items():
        found[alias] = found[_key(symbol)]
    return found


def _company(world: World, said: str, *, symbol: bool) -> tuple[str, str, float]:
    """Return symbol, name and usual price of a company; an unlisted one gets made-up figures.

    Raises:
        Refusal: the name holds no letter or digit.
    """
    listed = _listed()
    whole = _key(said)
    if not whole:
        raise Refusal.not_found(f"No company is called {said!r}.")
    bare = simulated.strip_words(said.replace("'", ""), _SURPLUS) or whole
    # A spelled symbol arrives as single letters: "a. a. p. l."
    for name in (whole, bare, whole.replace(" ", ""), bare.replace(" ", "")):
        if name in listed:
            return listed[name]
    letters = re.sub(r"[^A-Z0-9]", "", bare.upper())[:4] or "X"
    price = round(world.random("stock", "base", bare).uniform(4, 400), 2)
    return letters, (letters if symbol else simulated.title(bare)), price


def _quote(world: World, company: tuple[str, str, float], day: date) -> dict[str, Any]:
    symbol, name, usual = company
    stream = world.random("stock", symbol, day)
    before = usual * (1 + stream.uniform(-0.06, 0.06))
    opening = before * (1 + stream.gauss(0, 0.006))
    price = opening * (1 + stream.gauss(0, 0.012))
    return {
        "symbol": symbol,
        "name": name,
        "price": round(price, 2),
        "open": round(opening, 2),
        "high": round(max(price, opening) * 1.004, 2),
        "low": round(min(price, opening) * 0.996, 2),
        "change": round(price - before, 2),
        "percent": round((price / before - 1) * 100, 2),
        "date": day.isoformat(),
    }


def _told(world: World, quote: Mapping[str, Any]) -> str:
    way = "up" if quote["change"] > 0 else "down" if quote["change"] < 0 else "unchanged"
    unit = "points" if quote["price"] > 2000 else "dollars"
    day = date.fromisoformat(quote["date"])
    verb, when = (
        ("is", "today") if day == world.today else ("was", f"on {simulated.spoken_date(day)}")
    )
    return (
        f"{quote['name']} ({quote['symbol']}) {verb} at {quote['price']:.2f} {unit},"
        f" {way} {abs(quote['percent']):.2f} percent {when}, after opening at {quote['open']:.2f}"
    )


def _query(world: World, params: Params) -> Reply:
    name, symbol = params.text("business_name"), params.text("symbol")
    companies = []
    if name is not None:
        companies.append(_company(world, name, symbol=False))
    elif symbol is not None:
        companies.append(_company(world, symbol, symbol=True))
    else:
        for row in world.rows(WATCHED):
            companies.append(_company(world, row["symbol"], symbol=True))
    day = simulated.last_known_day(world, params.date())
    quotes = [_quote(world, company, day) for company in companies]
    return Reply("; ".join(_told(world, quote) for quote in quotes) + ".", quotes)


DOMAIN = Domain(
    name="stock",
    description="Prices of shares and stock indices.",
    fields=(
        Field("business_name", Kind.NAME, "company or index", example="apple"),
        Field("symbol", Kind.NAME, "its symbol at the exchange", example="AAPL"),
        Field("date", Kind.DATE, "day of the price"),
        Field("time", Kind.TIME, "time of the price; a day has one price", Match.IGNORABLE),
        Field("descriptor", Kind.TEXT, "which price, such as opening", Match.IGNORABLE),
    ),
    intents=(
        Intent(
            "qa_stock",
            "Tell the price of a share, or of those that the user watches.",
            _query,
            writes=False,
        ),
    ),
    tables=(Table(WATCHED, "watched", {"symbol": Match.CASEFOLD}),),
    seed=_seed,
)
