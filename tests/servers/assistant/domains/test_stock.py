"""Every company has a price, and one company has one price whatever it is called."""

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import ask, check_gold, refused, rows, tasks_of, world


def _quotes(pair=None, **params):
    return rows(pair or world(), "stock", intent="qa_stock", **params)


@pytest.mark.parametrize(
    "params",
    [
        {"business_name": "apple"},
        {"business_name": "the apple inc stock"},
        {"business_name": "AAPL"},
        {"symbol": "a. a. p. l."},
        {"symbol": "aapl"},
    ],
)
def test_the_names_of_a_company_have_one_price(params):
    (quote,) = _quotes(**params)
    assert quote["symbol"] == "AAPL"
    assert quote == _quotes(business_name="Apple")[0]
    assert quote["low"] <= quote["price"] <= quote["high"]


@pytest.mark.parametrize(
    ("symbol", "names"),
    [
        ("KO", ["coke", "coca cola", "Coca-Cola Company", "the coke stock", "coke's shares"]),
        ("TM", ["toyota", "toyota motor corporation", "Toyota Motors"]),
        ("MCD", ["mcdonald's", "mcdonalds", "McDonald's Corp."]),
        ("BRK.B", ["berkshire", "berkshire hathaway", "brk b", "BRKB"]),
        ("DAL", ["delta", "delta airlines", "delta air lines"]),
        ("F", ["ford", "ford motor company"]),
        ("GM", ["general motors", "gm"]),
        ("BLUE", ["blue heron", "blue heron shipping", "blue heron shipping shares"]),
        ("HALC", ["halcyon", "the halcyon motors company"]),
    ],
)
def test_a_company_is_one_by_name_and_symbol(symbol, names):
    (quote,) = _quotes(symbol=symbol)
    assert quote["symbol"] == symbol
    assert all(_quotes(business_name=name) == [quote] for name in names)
    assert _quotes(business_name=names[0], symbol=symbol) == [quote]


def test_a_name_that_begins_several_is_none_of_them():
    assert _quotes(business_name="general")[0]["symbol"] == "GENE"


def test_several_companies_are_told_together():
    quotes = _quotes(business_name="apple, coke and johnson and johnson")
    assert [quote["symbol"] for quote in quotes] == ["AAPL", "KO", "JNJ"]
    assert len(_quotes(business_name="johnson and johnson")) == 1
    assert len(_quotes(business_name="apple and zyzzyva")) == 1


def test_indices_are_quoted_in_points():
    (quote,) = _quotes(business_name="s. and p.")
    assert quote["symbol"] == "SPX"
    assert "points" in ask(world(), "stock", intent="qa_stock", business_name="dow").record.response


def test_prices_differ_by_day_and_company():
    later = world(now=datetime(2026, 3, 16, 10, 0))
    assert _quotes(business_name="ford") != _quotes(later, business_name="ford")
    assert _quotes(business_name="ford")[0]["price"] != _quotes(business_name="visa")[0]["price"]


def test_the_price_of_a_day_is_that_of_the_day():
    friday = world(now=datetime(2026, 3, 6, 10, 0))
    (quote,) = _quotes(business_name="ford", date="2026-03-06", descriptor="closing", time="16:00")
    assert quote == _quotes(friday, business_name="ford")[0]
    said = ask(world(), "stock", intent="qa_stock", business_name="ford", date="2026-03-06")
    assert "was at" in said.record.response and "Friday, March 6" in said.record.response


def test_the_future_has_no_prices_yet():
    for date in ("2026-03-14", "2026-03-13..", "every day"):
        assert _quotes(business_name="ford", date=date) == _quotes(business_name="ford")


def test_an_unlisted_company_has_a_price_of_its_own():
    (quote,) = _quotes(business_name="purple crane shipping")
    assert (quote["name"], quote["symbol"]) == ("Purple Crane", "PURP")
    for name in ("Purple Crane Shipping Inc.", "purple crane", "the purple crane stock"):
        assert quote == _quotes(business_name=name)[0]


def test_without_a_name_the_watched_shares_are_told():
    assert len(_quotes()) == 7


def test_a_name_without_letters_is_refused():
    assert refused(world(), "stock", intent="qa_stock", business_name="?!") == "NOT_FOUND"


@given(st.text(min_size=1, max_size=30))
@settings(max_examples=40, deadline=None)
def test_any_words_are_answered_or_refused(text):
    assert ask(world(domains=["stock"]), "stock", intent="qa_stock", business_name=text)


@pytest.mark.parametrize("task", tasks_of("stock"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)
