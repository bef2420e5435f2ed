"""`--max-cost` from the command line to the endpoint."""

import json

import pytest

from ossia.runner.results import SPENT
from ossia.runner.store import RunStore
from tests.ossia.cli.test_live import KEY, Upstream, compare, running


@pytest.fixture
def upstream():
    return Upstream()


def spent(home):
    with RunStore(next((home / "runs").iterdir())) as store:
        return float(store.meta(SPENT))


def test_no_call_begins_that_could_exceed_the_limit(ossia, home, upstream):
    price = ("--price-as", "openai/gpt-4o", "--model-param", "max_tokens=100", "--limit", "12")
    once = (100 * 2.5 + 10 * 10) / 1e6
    with running(upstream) as url:
        upstream.seconds = 0.1
        done = compare(ossia, url, *price, "--max-cost", "0.04")
        upstream.seconds = 0.0
        assert done.returncode == 3
        assert "and the next call could cost 0." in done.stderr
        assert "of --max-cost 0.04" in done.stderr
        assert "run again with a higher --max-cost to resume" in done.stderr
        answered = upstream.calls - upstream.hiccups
        assert answered > 5
        assert spent(home) == pytest.approx(answered * once), "what was begun has ended"
        assert spent(home) <= 0.04
        before = upstream.calls
        assert compare(ossia, url, *price, "--max-cost", "0.001").returncode == 3
        assert upstream.calls == before, "what earlier sessions spent counts"
        again = compare(ossia, url, *price, "--max-cost", "1")
    assert again.returncode == 0, again.stderr
    (line,) = json.loads(again.stdout)["frameworks"]
    assert (line["invalid"], line["success"]["of"]) == (0, 12)
    assert spent(home) >= (upstream.calls - upstream.hiccups) * once
    valid = line["price_usd"] * 12
    assert spent(home) > valid + once, "what episodes without a verdict cost is in no mean"
    assert json.loads(again.stdout)["facts"]["spent"].startswith(f"{spent(home):.4f} USD (invalid")
    assert f", {spent(home):.4f} USD; success: control 12/12" in again.stderr


def test_a_limit_of_a_few_episodes_ends_some_however_many_go_at_once(ossia, upstream):
    price = ("--price-as", "openai/gpt-4o", "--model-param", "max_tokens=100", "--limit", "8")
    with running(upstream) as url:
        upstream.seconds = 0.02
        done = compare(ossia, url, *price, "--max-cost", "0.03", "--jobs", "8")
        assert done.returncode == 3
        shown = ossia("runs", "--json")
    (run,) = json.loads(shown.stdout)
    assert run["done"] - run["invalid"] >= 3
    assert run["invalid"] <= 2, "what is paid for episodes that run dry is lost"


def test_resume_holds_the_limits_of_the_last_session_and_tells_them(ossia, home, upstream):
    price = ("--price-as", "openai/gpt-4o", "--model-param", "max_tokens=100", "--limit", "12")
    with running(upstream) as url:
        limits = ("--max-cost", "0.04", "--rpm", "90000")
        assert compare(ossia, url, *price, *limits).returncode == 3
        resume = ("resume", "--json", "--api-key-env", "UPSTREAM_KEY")
        done = ossia(*resume, UPSTREAM_KEY=KEY)
        assert done.returncode == 3
        assert done.stderr.startswith(
            "limits as before: --max-cost 0.04, --rpm 90000; give other values"
        )
        assert spent(home) <= 0.04
        before = upstream.calls
        done = compare(ossia, url, *price)
        assert done.returncode == 3
        assert upstream.calls - before < 10, "the same command is held as well"
        assert done.stderr.startswith(
            "limits as before: --max-cost 0.04, --rpm 90000; give other values"
        )
        done = ossia(*resume, "--max-cost", "1", UPSTREAM_KEY=KEY)
        again = compare(ossia, url, *price)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("limits as before: --rpm 90000; give other values")
    assert again.stderr.startswith("run "), "of a finished run nothing is left to limit"


def test_a_call_that_alone_could_cost_more_names_what_bounds_it(ossia, upstream):
    with running(upstream) as url:
        done = compare(ossia, url, "--price-as", "openai/gpt-4o", "--max-cost", "0.1")
    assert (done.returncode, upstream.calls) == (3, 0)
    assert "one call alone could cost 0.1" in done.stderr
    assert "more than --max-cost 0.1; run again with a higher --max-cost, or" in done.stderr
    assert "--model-param max_tokens=N" in done.stderr


def test_a_limit_that_nobody_could_hold_is_refused(ossia, upstream):
    with running(upstream) as url:
        done = compare(ossia, url, "--max-cost", "1")
    assert (done.returncode, upstream.calls) == (2, 0)
    assert "no price is known for the model 'tiny-1'" in done.stderr
    assert done.stderr.count("\n") == 1
