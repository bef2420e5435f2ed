"""Currencies are known by code, name and country; rates fit together."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import ask, check_gold, refused, rows, tasks_of, world


def _rates(**params):
    return rows(world(), "currency", intent="qa_currency", **params)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("dollars", "USD"),
        ("u. s. d.", "USD"),
        ("u s dollars", "USD"),
        ("us", "USD"),
        ("the euro", "EUR"),
        ("pound sterling", "GBP"),
        ("canadian dollar bills", "CAD"),
        ("mexico money", "MXN"),
        ("egyptian pounds", "EGP"),
        ("yens", "JPY"),
        ("rupies", "INR"),
    ],
)
def test_a_currency_has_many_names(said, code):
    assert _rates(currency=said)[0]["from"] == code


def test_an_amount_is_converted_with_the_rate():
    (row,) = _rates(currency="euro", currency2="yen", amount="two hundred")
    assert (row["from"], row["to"], row["amount"]) == ("EUR", "JPY", 200)
    assert row["value"] == pytest.approx(200 * row["rate"], rel=1e-4)


def test_rates_fit_together():
    there = _rates(currency="dollar", currency2="peso")[0]["rate"]
    back = _rates(currency="peso", currency2="dollar")[0]["rate"]
    assert there * back == pytest.approx(1, rel=1e-3)


def test_what_is_not_said_has_a_default():
    assert _rates(currency="yen")[0]["to"] == "USD"
    assert _rates(currency="dollar")[0]["to"] == "EUR"
    assert _rates(currency2="peso")[0]["from"] == "MXN"
    assert len(_rates()) == len(_rates(currency="the best exchange rate")) == 6


def test_rates_change_from_day_to_day():
    euro = {"currency": "euro", "descriptor": "best", "time": "18:00..22:00"}
    today = _rates(**euro, date="2026-03-13")
    assert today == _rates(currency="euro") == _rates(**euro, date="2026-03-20")
    assert today != _rates(**euro, date="2026-03-12")


def test_one_piece_of_money_is_told_as_one():
    told = ask(world(), "currency", intent="qa_currency", currency="krona").record.response
    assert told.startswith("1 Swedish krona is ")


@pytest.mark.parametrize(
    "params", [{"currency": "zorkmids"}, {"amount": "-1"}, {"amount": "1" + 15 * "0" + "9"}]
)
def test_what_cannot_be_converted_is_refused(params):
    refused(world(), "currency", intent="qa_currency", **params)


@given(st.text(min_size=1, max_size=30), st.sampled_from(["currency", "currency2", "amount"]))
@settings(max_examples=40, deadline=None)
def test_any_words_are_answered_or_refused(text, name):
    assert ask(world(domains=["currency"]), "currency", intent="qa_currency", **{name: text})


@pytest.mark.parametrize("task", tasks_of("currency"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)
