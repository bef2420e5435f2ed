"""Stock prices: a simulated exchange that lists every company.

The published catalogue has no date, time and descriptor here; people ask with them all the same
("what did it close at yesterday"), so they are taken as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import split_items
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

WATCHED: Final = "stock.watched"

_SURPLUS: Final = frozenset(
    "the a an stock stocks share shares price prices of for in on market company companies index"
    " value inc corp corporation incorporated ltd limited plc co llc ag sa nv technologies"
    " technology today quote symbol ticker current latest common class".split()
)
"""Words beside the name of a company."""

_TRADES: Final = frozenset(
    "aerospace air airline airlines airways automotive bank banking brand brands burger burgers"
    " capital car cars cloud coffee computer computers electronics energy enterprises"
    " entertainment financial food foods game games gas global group holding holdings industries"
    " insurance international labs line lines manufacturing media motor motors networks oil paper"
    " partners pharma pharmaceutical pharmaceuticals pizza platforms products rail railway"
    " restaurants retail semiconductor semiconductors services shipping software solar solutions"
    " steel store stores studios systems telecom utilities wholesale worldwide".split()
)
"""Words at the end of a name that are often left out."""

_ALIASES: Final[Mapping[str, str]] = {
    "alphabet": "GOOGL",
    "goog": "GOOGL",
    "alphabet google": "GOOGL",
    "fb": "META",
    "meta": "META",
    "facebook meta": "META",
    "coke": "KO",
    "cocacola": "KO",
    "pepsico": "PEP",
    "pepsi cola": "PEP",
    "mcdonald": "MCD",
    "mc donalds": "MCD",
    "mc donald": "MCD",
    "j p morgan": "JPM",
    "jpmorgan": "JPM",
    "jp morgan chase": "JPM",
    "jpmorgan chase": "JPM",
    "chase": "JPM",
    "exxon": "XOM",
    "exxonmobil": "XOM",
    "dow": "DJI",
    "dow jones industrial average": "DJI",
    "dow jones industrials": "DJI",
    "s p": "SPX",
    "s n p": "SPX",
    "s and p": "SPX",
    "s and p five hundred": "SPX",
    "s p five hundred": "SPX",
    "s and p 500": "SPX",
    "sp500": "SPX",
    "sp 500": "SPX",
    "nasdaq composite": "IXIC",
    "ftse": "UKX",
    "footsie": "UKX",
    "johnson johnson": "JNJ",
    "j and j": "JNJ",
    "j j": "JNJ",
    "a t and t": "T",
    "at and t": "T",
    "att": "T",
    "ge": "GE",
    "i b m": "IBM",
    "international business machines": "IBM",
    "walt disney": "DIS",
    "amex": "AXP",
    "p and g": "PG",
    "p g": "PG",
    "procter gamble": "PG",
    "procter": "PG",
    "united health": "UNH",
    "unitedhealthcare": "UNH",
    "lilly": "LLY",
    "t mobile": "TMUS",
    "tmobile": "TMUS",
    "lockheed": "LMT",
    "3m": "MMM",
    "three m": "MMM",
    "united parcel service": "UPS",
    "federal express": "FDX",
    "fed ex": "FDX",
    "delta airlines": "DAL",
    "citi": "C",
    "citibank": "C",
    "black rock": "BLK",
    "square": "SQ",
    "door dash": "DASH",
    "hewlett packard": "HPQ",
    "kraft": "KHC",
    "colgate": "CL",
    "game stop": "GME",
    "bofa": "BAC",
    "boa": "BAC",
    "goldman": "GS",
    "vw": "VWAGY",
    "tsmc": "TSM",
    "levis": "LEVI",
    "levi": "LEVI",
    "berkshire": "BRK.B",
    "brk": "BRK.B",
    "brk a": "BRK.B",
    "wal mart": "WMT",
    "star bucks": "SBUX",
    "master card": "MA",
    "pay pal": "PYPL",
    "net flix": "NFLX",
    "you tube": "GOOGL",
    "youtube": "GOOGL",
    "instagram": "META",
    "whatsapp": "META",
    "air bnb": "ABNB",
}


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    return {
        WATCHED: [
            {"symbol": symbol} for symbol in ("AAPL", "MSFT", "KO", "TM", "DIS", "DJI", "SPX")
        ]
    }


@dataclass(frozen=True, slots=True)
class _Company:
    """A company or an index of the exchange."""

    symbol: str
    name: str
    usual: float
    """Its usual price."""
    key: str
    """What its prices are drawn by: for most their symbol."""


def _key(name: str) -> str:
    return simulated.key(name.replace("'", ""))


def _bare(name: str) -> str:
    """Return a name without words such as "the" and "shares"; all of it where nothing is left."""
    return simulated.strip_words(name.replace("'", ""), _SURPLUS) or _key(name)


def _short(bare: str) -> str:
    """Return a name without what tells the trade: "blue heron" for "blue heron shipping"."""
    said = bare.split()
    while len(said) > 1 and said[-1] in _TRADES:
        said.pop()
    return " ".join(said)


@cache
def _listed() -> Mapping[str, _Company]:
    """Return the companies of the exchange by symbol and by name, long and short."""
    found: dict[str, _Company] = {}
    short: dict[str, list[_Company]] = {}
    for symbol, name, price, *key in simulated.data("stocks"):
        company = _Company(symbol, name, price, *(key or [symbol]))
        for text in (symbol, name, name.removesuffix("'s"), _bare(name)):
            found[_key(text)] = found[_key(text).replace(" ", "")] = company
        first = _bare(name).split()
        for length in range(1, len(first)):
            short.setdefault(" ".join(first[:length]), []).append(company)
    for alias, symbol in _ALIASES.items():
        found[alias] = found[_key(symbol)]
    # The first words of a name are enough where no other begins so.
    alone = {text: those[0] for text, those in short.items() if len(those) == 1}
    return {**alone, **found}


def _on_list(said: str) -> _Company | None:
    """Return the listed company that is meant, or None."""
    listed = _listed()
    for text in (said, re.sub(r"['\u2019]s\b", "", said)):
        whole, bare = _key(text), _bare(text)
        # A spelled symbol arrives as single letters: "a. a. p. l."
        names = (whole, bare, whole.replace(" ", ""), bare.replace(" ", ""), _short(bare))
        if (found := next((listed[name] for name in names if name in listed), None)) is not None:
            return found
    return None


def _companies(world: World, said: str, *, symbol: bool) -> list[_Company]:
    """Return the companies that are meant; an unlisted one gets made-up figures.

    Raises:
        Refusal: the name holds no letter or digit.
    """
    if (company := _on_list(said)) is not None:
        return [company]
    several = [_on_list(part) for part in split_items(said)]
    if len(several) > 1 and (known := [item for item in several if item]) == several:
        return list(dict.fromkeys(known))
    short = _short(_bare(said))
    if not short:
        raise Refusal.not_found(f"No company is called {said!r}.")
    letters = re.sub(r"[^A-Z0-9]", "", short.upper())[:4] or "X"
    price = round(world.random("stock", "base", short).uniform(4, 400), 2)
    return [_Company(letters, letters if symbol else simulated.title(short), price, letters)]


def _quote(world: World, company: _Company, day: date) -> dict[str, Any]:
    stream = world.random("stock", company.key, day)
    before = company.usual * (1 + stream.uniform(-0.06, 0.06))
    opening = before * (1 + stream.gauss(0, 0.006))
    price = opening * (1 + stream.gauss(0, 0.012))
    return {
        "symbol": company.symbol,
        "name": company.name,
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
    if name is not None and (symbol is None or _on_list(name) or not _on_list(symbol)):
        companies = _companies(world, name, symbol=False)
    elif symbol is not None:
        companies = _companies(world, symbol, symbol=True)
    else:
        watched = (row["symbol"] for row in world.rows(WATCHED))
        companies = [each for said in watched for each in _companies(world, said, symbol=True)]
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
