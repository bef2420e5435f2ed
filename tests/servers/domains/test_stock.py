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
    (quote,) = _quotes(business_name="blue heron shipping")
    assert (quote["name"], quote["symbol"]) == ("Blue Heron Shipping", "BLUE")
    assert quote == _quotes(business_name="Blue Heron Shipping Inc.")[0]


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
