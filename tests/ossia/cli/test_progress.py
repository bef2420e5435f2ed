import io
from types import SimpleNamespace

from rich.console import Console

from ossia.cli.progress import shown_progress
from ossia.runner.tally import Tally
from ossia_evaluation.grade import Verdict


def test_progress_counts_what_earlier_sessions_did():
    out = io.StringIO()
    earlier = {"control": {Verdict.SUCCESS: 3, Verdict.FAILURE: 1}}
    console = Console(file=out, width=160)
    with shown_progress(console, "r", Tally(earlier)) as finished:
        finished(_event("control", Verdict.SUCCESS, 5, 5))
    assert "5/5 episodes, 1.2500 USD; success: control 4/5" in out.getvalue()
    assert earlier == {"control": {Verdict.SUCCESS: 3, Verdict.FAILURE: 1}}


def test_progress_says_the_rate_the_time_left_and_the_spend(monkeypatch):
    now = iter([0.0, 60.0, 60.0, 120.0, 120.0])
    monkeypatch.setattr("ossia.runner.tally.time.monotonic", lambda: next(now))
    out = io.StringIO()
    with shown_progress(Console(file=out, width=160), "r", Tally({})) as finished:
        finished(_event("control", Verdict.SUCCESS, 1, 4))
        finished(_event("control", Verdict.SUCCESS, 2, 4))
    assert out.getvalue().splitlines()[1:] == [
        "1/4 episodes, 1/min, 3 min left, 0.2500 USD; success: control 1/1",
        "2/4 episodes, 1/min, 2 min left, 0.5000 USD; success: control 2/2",
    ]


def _event(framework, verdict, done, total):
    """What the line reads of a finished episode."""
    return SimpleNamespace(
        trace=SimpleNamespace(episode=SimpleNamespace(framework=framework)),
        score=SimpleNamespace(verdict=verdict),
        done=done,
        total=total,
        spent_usd=0.25 * done,
    )
