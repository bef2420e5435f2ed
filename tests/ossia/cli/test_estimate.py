"""`--estimate`: what a run is likely to cost, told before anything is sent."""

import re

import pytest

from tests.ossia.cli.test_live import KEY, Upstream, running

CHOICE = ("compare", "-f", "control", "--limit", "4", "--json", "--estimate")


@pytest.fixture
def upstream():
    return Upstream()


def live(url, *more, model="tiny-1"):
    return (
        *CHOICE,
        *("--model", model, "--base-url", f"{url}/v1", "--api-key-env", "UPSTREAM_KEY"),
        *more,
    )


def test_an_unknown_price_is_told_and_without_a_terminal_nothing_is_sent(ossia, upstream):
    with running(upstream) as url:
        done = ossia(*live(url), UPSTREAM_KEY=KEY)
    assert (done.returncode, upstream.calls, done.stdout) == (2, 0, "")
    assert "estimate for 4 episodes, by the offline run assistant-offline-" in done.stderr
    assert re.search(r"custom/tiny-1: \d+ model calls, ~[\d,]+ tokens, price unknown", done.stderr)
    assert "nothing was sent; to run it, add --yes" in done.stderr


def test_what_costs_little_goes_on_and_needs_no_key_to_be_estimated(ossia, upstream):
    priced = ("--price-as", "openai/gpt-4o")
    with running(upstream) as url:
        keyless = ossia(*live(url, *priced))
        assert "price 0.0" in keyless.stderr
        assert keyless.returncode == 2, "the key is needed to go on"
        assert upstream.calls == 0
        done = ossia(*live(url, *priced), UPSTREAM_KEY=KEY)
        assert done.returncode == 0, done.stderr
        assert upstream.calls > 0
        told = int(re.search(r"custom/tiny-1: (\d+) model calls", done.stderr)[1])
        assert told == upstream.calls - upstream.hiccups, "the same answers, the same calls"
        again = ossia(*live(url, *priced), UPSTREAM_KEY=KEY)
    assert "estimate for 0 episodes" in again.stderr
    assert again.returncode == 0


def test_repeats_and_a_limit_are_counted(ossia, upstream):
    priced = ("--price-as", "openai/gpt-4o")
    limits = ("--repeats", "300", "--max-cost", "0.5")
    with running(upstream) as url:
        done = ossia(*live(url, *priced, *limits), UPSTREAM_KEY=KEY)
    assert (done.returncode, upstream.calls) == (2, 0)
    assert "estimate for 1,200 episodes" in done.stderr
    assert "that is more than --max-cost 0.5" in done.stderr
    assert re.search(r"may cost \d+\.\d\d USD, and there is no terminal to ask on", done.stderr)


@pytest.mark.parametrize(("answer", "sent"), [("n", False), ("y", True)])
def test_a_terminal_is_asked(answered, upstream, answer, sent):
    with running(upstream) as url:
        done = answered(answer, *live(url), UPSTREAM_KEY=KEY)
    assert done.returncode == 0
    assert "Continue?" in done.stdout + done.stderr
    assert (upstream.calls > 0, "nothing was sent" in done.stderr) == (sent, not sent)


def test_yes_answers_the_question(ossia, upstream):
    with running(upstream) as url:
        done = ossia(*live(url, "--yes"), UPSTREAM_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert upstream.calls > 0


def test_only_roles_with_an_upstream_model_are_counted(ossia, upstream):
    with running(upstream) as url:
        whole = ossia(*live(url), UPSTREAM_KEY=KEY)
        part = ossia(*live(url, model="intent=tiny-1,*=offline"), UPSTREAM_KEY=KEY)
    counts = [
        int(re.search(r"custom/tiny-1: (\d+) model", done.stderr)[1]) for done in (whole, part)
    ]
    assert counts[1] == 4 < counts[0]


def test_what_costs_nothing_is_said_to_cost_nothing(ossia):
    done = ossia("run", "control", "--limit", "1", "--estimate")
    assert done.returncode == 0
    assert "no upstream model is asked, so nothing is paid" in done.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--price-as", "openai/gpt-4o"), True),
        (("--price-as", "openai/gpt-4o", "--max-cost", "5"), False),
        ((), False),
    ],
)
def test_a_paid_model_without_a_limit_is_told_before_the_first_call(ossia, upstream, more, told):
    with running(upstream) as url:
        arguments = [word for word in live(url, "--limit", "1", *more) if word != "--estimate"]
        done = ossia(*arguments, UPSTREAM_KEY=KEY)
    assert done.returncode == 0, done.stderr
    head = done.stderr.partition("1 of 1")[0]
    assert ("custom/tiny-1: no spending limit is set; --max-cost USD sets one" in head) is told
