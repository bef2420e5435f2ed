"""`ossia show`: one episode, step by step."""

from __future__ import annotations

from json import dumps, loads
from typing import Annotated

import typer

from ossia.attribution.shown_episode import stored_lines
from ossia.called import as_called
from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.run_plan import tasks_of
from ossia.runner.figures import metrics_of
from ossia.runner.store import RunStore
from ossia_evaluation.grade import Grade
from ossia_evaluation.report.terminal_episode import print_episode
from ossia_evaluation.rows import episode_row
from ossia_servers.trace import Trace


def show_command(
    episode: options.Episode,
    run: options.RunOption = None,
    store: options.Store = None,
    full: Annotated[bool, typer.Option("--full", help="Do not shorten texts.")] = False,
    json: options.Json = False,
) -> None:
    """Print what is stored of an episode: its attribution, the trace step by step, its score.

    With --json, the trace with its verdict, reason and metrics; the metrics are null if the
    task set has changed since.
    """
    place = options.run_place(run, store)
    with RunStore(place) as stored:
        trace, grade = stored.trace(episode), stored.score(episode)
        if json:
            say(_as_json(stored, trace, grade))
            return
        config = stored.config()
        task, metrics = tasks_of(config)[trace.episode.task], metrics_of(config.suite)
    known = [as_called(line) for line in stored_lines(place, task, trace, grade.faults)]
    print_episode(make_console(), task, trace, grade, metrics, full=full, stored=known)


def _as_json(store: RunStore, trace: Trace, grade: Grade) -> str:
    config = store.config()
    try:
        task = tasks_of(config)[trace.episode.task]
        metrics = episode_row(task, trace, grade, metrics_of(config.suite)).metrics
    except (UserError, ValueError):
        # What is stored is told all the same.
        metrics = None
    told = {"verdict": grade.verdict, "reason": grade.reason, "metrics": metrics}
    return dumps(loads(trace.model_dump_json()) | told, indent=2, ensure_ascii=False)
