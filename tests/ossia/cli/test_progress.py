import io
import time
from types import SimpleNamespace

import pytest
from rich.console import Console

from ossia.cli import progress
from ossia.cli.progress import Progress, ProgressLines
from ossia.runner.activity import Activity
from ossia.runner.tally import Tally
from ossia_evaluation.grade import Verdict


def test_progress_counts_what_earlier_sessions_did():
    out = io.StringIO()
    earlier = {"control": {Verdict.SUCCESS: 3, Verdict.FAILURE: 1}}
    console = Console(file=out, width=160)
    with Progress(console, Tally(earlier), Activity()).shown("r") as shown:
        shown.finished(_event("control", Verdict.SUCCESS, 5, 5))
    assert "5/5 episodes, 1.2500 USD; success: control 4/5" in out.getvalue()
    assert earlier == {"control": {Verdict.SUCCESS: 3, Verdict.FAILURE: 1}}


def test_progress_says_the_rate_the_time_left_and_the_spend(monkeypatch):
    clock = clock_at(monkeypatch)
    out = io.StringIO()
    with progress_of(out).shown("r") as shown:
        clock.now = 60
        shown.finished(_event("control", Verdict.SUCCESS, 1, 4))
        clock.now = 120
        shown.finished(_event("control", Verdict.SUCCESS, 2, 4))
    assert out.getvalue().splitlines()[1:] == [
        "1/4 episodes, 1/min, 3 min left, 0.2500 USD; success: control 1/1",
        "2/4 episodes, 1/min, 2 min left, 0.5000 USD; success: control 2/2",
    ]


def test_the_rate_leaves_out_the_start_of_the_workers(monkeypatch):
    clock = clock_at(monkeypatch)
    tally, told = Tally({}), list[str]()
    for done, now in enumerate((20, 20.1, 26), 1):
        clock.now = now
        tally.add(_event("control", Verdict.SUCCESS, done, 123))
        told.append(str(tally))
    assert told == [
        "1/123 episodes, 0.2500 USD; success: control 1/1",
        "2/123 episodes, 0.5000 USD; success: control 2/2",
        "3/123 episodes, 20/min, 6 min left, 0.7500 USD; success: control 3/3",
    ]


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(0.5, "2/min, 2 min left"), (4, "0.25/min, 12 min left"), (90, "0.67/h, 4 h 30 min left")],
)
def test_a_slow_run_tells_a_rate_above_zero(monkeypatch, minutes, told):
    clock = clock_at(monkeypatch)
    tally = Tally({})
    clock.now = 60 * minutes
    tally.add(_event("control", Verdict.SUCCESS, 1, 4))
    assert f"1/4 episodes, {told}, 0.2500 USD;" in str(tally)


def test_workers_that_are_being_started_are_told_without_a_terminal(monkeypatch):
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.01)
    out, activity = io.StringIO(), Activity()
    with progress_of(out, activity).shown("r"), activity.start("camel"), activity.start("control"):
        deadline = time.monotonic() + 20
        while "workers" not in out.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "run r\nstarting workers: camel, control\n" in out.getvalue()
    assert activity.workers == 0


def test_a_stop_tells_for_what_it_waits():
    out, activity = io.StringIO(), Activity()
    with activity.start("camel"):
        progress_of(out, activity).stopping()
    progress_of(out, activity).stopping()
    assert out.getvalue().splitlines() == [
        "stopping: waiting for 1 worker to end; press Ctrl-C again to end at once",
        "stopping; press Ctrl-C again to end at once",
    ]


def clock_at(monkeypatch):
    """The clock of tally and progress, which stands until it is set."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("ossia.runner.tally.time.monotonic", lambda: clock.now)
    return clock


def progress_of(out, activity=None):
    return Progress(Console(file=out, width=160), Tally({}), activity or Activity())


def test_a_line_without_a_terminal_is_not_broken():
    out = io.StringIO()
    earlier = {f"framework-{place}": {Verdict.SUCCESS: 1} for place in range(20)}
    console = Console(file=out, width=80)
    with Progress(console, Tally(earlier), Activity()).shown("r") as shown:
        shown.finished(_event("control", Verdict.SUCCESS, 21, 21))
    assert len(out.getvalue().splitlines()) == 2


def test_lines_without_a_terminal_are_printed_now_and_then(monkeypatch, capsys):
    now = iter([0.0, 1.0, progress.PLAIN_SECONDS + 1, progress.PLAIN_SECONDS + 2])
    monkeypatch.setattr("ossia.cli.progress.time.monotonic", lambda: next(now))
    printed = ProgressLines()
    for line in ("1/3", "2/3", "3/3"):
        printed(line)
    assert capsys.readouterr().err == "2/3\n"


def _event(framework, verdict, done, total):
    """What the line reads of a finished episode."""
    return SimpleNamespace(
        trace=SimpleNamespace(episode=SimpleNamespace(framework=framework)),
        score=SimpleNamespace(verdict=verdict),
        done=done,
        total=total,
        spent_usd=0.25 * done,
    )
