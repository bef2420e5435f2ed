"""`--cache` from the command line to the endpoint, and what is told of it."""

import json

import pytest

from tests.ossia.cli.test_live import Upstream, compare, running

PRICE = ("--price-as", "openai/gpt-4o")


@pytest.fixture
def upstream():
    return Upstream()


def test_what_was_answered_is_told_counted_and_not_sent_again(ossia, home, upstream):
    # The second model is asked the same as the first by all roles but one.
    both = ("--model", "intent=offline,*=tiny-1", *PRICE)
    with running(upstream) as url:
        plain = json.loads(compare(ossia, url, *both).stdout)
        sent, upstream.calls, upstream.hiccups = upstream.calls - upstream.hiccups, 0, 3
        done = compare(ossia, url, *both, "--cache")
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert (plain["cached_calls"], result["cached_calls"]) == (0, sent - upstream.calls)
        assert result["cached_calls"] > 0
        for was, now in zip(plain["frameworks"], result["frameworks"], strict=True):
            assert (was["calls"], was["tokens"]) == (now["calls"], now["tokens"])
            assert was["success"] == now["success"]
        paid = [sum(line["price_usd"] for line in one["frameworks"]) for one in (plain, result)]
        assert paid[1] < paid[0]
        assert "USD" not in " ".join(result["finding"])
        assert "latency" not in " ".join(result["finding"])
    table = ossia("rescore", result["run"])
    assert f"Cached: {result['cached_calls']} of " in " ".join(table.stdout.split())
    assert ossia("report", result["run"]).returncode == 0
    pages = list(home.glob("runs/*/report/report.html"))
    assert any("Cached: " in page.read_text("utf-8") for page in pages)


def test_fresh_forgets_what_was_kept(ossia, upstream):
    with running(upstream) as url:
        assert compare(ossia, url, "--cache").returncode == 0
        before = upstream.calls - upstream.hiccups
        upstream.hiccups = 3
        upstream.calls = 0
        assert compare(ossia, url, "--cache", "--fresh").returncode == 0
    assert upstream.calls == before > 0


def test_repeats_stay_draws_of_their_own(ossia, upstream):
    with running(upstream) as url:
        done = compare(ossia, url, "--cache", "--repeats", "2")
    assert (done.returncode, upstream.calls) == (2, 0)
    assert "--cache and --repeats 2 cannot be combined" in done.stderr
    assert done.stderr.count("\n") == 1
