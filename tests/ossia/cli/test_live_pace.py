"""`--rpm` and `--tpm` from the command line to the endpoint."""

import signal
import time
from contextlib import contextmanager

import pytest

from ossia.run_plan import plan_again
from ossia.runner.run import PACED_CLIENT_SECONDS
from ossia.runner.store import RunStore
from ossia.session import Means, open_session
from tests.ossia.cli.test_live import KEY, Upstream, compare, running


@pytest.fixture
def upstream():
    return Upstream()


@contextmanager
def paced(begin, environ, folder, url, *limit):
    """Make a run, and stop it as Ctrl-C does when the block ends."""
    live = ("--model", "tiny-1", "--base-url", f"{url}/v1", "--api-key-env", "UPSTREAM_KEY")
    out, err = folder / "out", folder / "err"
    running = begin(
        ("run", "control", "--limit", "4", *live, *limit),
        environ={**environ, "UPSTREAM_KEY": KEY},
        folder=folder,
        out=out,
        err=err,
    )
    try:
        yield
    finally:
        running.send_signal(signal.SIGINT)
        code = running.wait()
    assert code == 130
    assert "Traceback" not in err.read_text()


@pytest.mark.parametrize(("limit", "calls"), [(("--rpm", "3"), 3), (("--tpm", "1"), 1)])
def test_no_more_go_to_the_endpoint_than_a_minute_allows(
    begin, environ, tmp_path, upstream, limit, calls
):
    upstream.hiccups = 3
    with running(upstream) as url:
        with paced(begin, environ, tmp_path, url, *limit):
            until = time.monotonic() + 40
            while upstream.calls < calls and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(1.5)
            assert upstream.calls == calls
        if "--rpm" in limit:
            with paced(begin, environ, tmp_path, url, "--rpm", "4"):
                while upstream.calls == calls and time.monotonic() < until:
                    time.sleep(0.05)
                time.sleep(1.0)
                assert upstream.calls == 4, "the calls before Ctrl-C are of the same minute"


def test_what_never_waits_is_as_it_was(ossia, upstream):
    with running(upstream) as url:
        done = compare(ossia, url, "--rpm", "100000", "--tpm", "100000000")
        assert done.returncode == 0, done.stderr
        before = upstream.calls
        assert compare(ossia, url, "--rpm", "1").stdout == done.stdout
    assert upstream.calls == before, "the pace is no part of the run"


def test_clients_of_a_paced_run_never_give_up_first(ossia, home, upstream):
    with running(upstream) as url:
        assert compare(ossia, url, "--limit", "1").returncode == 0
    with RunStore(next((home / "runs").iterdir())) as store:
        config = store.config()
    plan = plan_again(config, home)
    assert open_session(plan, Means(jobs=1)).played == config
    paced = open_session(plan, Means(jobs=1, tpm=1)).played
    assert paced.limits.call_seconds == PACED_CLIENT_SECONDS > 36_000
    assert paced.run_id != config.run_id == open_session(plan, Means(jobs=1, rpm=1)).config.run_id


def test_a_pace_of_nothing_is_refused(ossia):
    for name in ("--rpm", "--tpm"):
        done = ossia("run", "control", "--limit", "1", name, "0")
        assert done.returncode == 2
        assert name in done.stderr
