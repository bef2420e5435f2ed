"""`ossia export who-and-when`: a run's failures in the shape of the published logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from ossia.attribution.store import AttributionStore, digest_of
from ossia.cli import options
from ossia.cli.told import say
from ossia.runner.store import RunStore
from ossia.session import tasks_of
from ossia.tasks import as_world_task
from ossia_dataset.tasks import Task
from ossia_dataset.who_and_when import Log, write_log
from ossia_evaluation.attribution import Attribution, Status
from ossia_evaluation.grade import Verdict
from ossia_evaluation.whowhen import as_log, cause_by_rules, cause_of


def who_and_when_command(
    run: options.RunName = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            envvar="OSSIA_EXPORT_OUT",
            help="Folder to write to, a JSON file for each failure; who-and-when in the run's"
            " folder by default.",
        ),
    ] = None,
) -> None:
    """Write each failed episode as a Who&When log.

    The log holds the agent and the step that caused the failure: the decisive step of `ossia
    attribute` where that has been run, and else what the published criteria name. An episode in
    which neither names an agent is left out and listed.
    """
    if out is not None:
        options.require_folder(out)
    folder = options.run_folder(run)
    target = out or folder / "who-and-when"
    written: dict[str, int] = {}
    with ExitStack() as opened:
        store = opened.enter_context(RunStore(folder))
        known = None
        if (folder / "attribution.sqlite").is_file():
            known = opened.enter_context(AttributionStore(folder, write=False))
        for episode, log in _logs(store, known, tasks_of(store.config())):
            if isinstance(log, str):
                say(f"left out {episode}: {log}")
                continue
            write_log(target, log)
            source = log.origin.source if log.origin is not None else ""
            written[source] = written.get(source, 0) + 1
    named = ", ".join(f"{count} labelled by {source}" for source, count in sorted(written.items()))
    say(f"{sum(written.values())} logs written to {target}{': ' if named else ''}{named}")


def _logs(
    store: RunStore, known: AttributionStore | None, tasks: Mapping[str, Task]
) -> Iterator[tuple[str, Log | str]]:
    """Yield each failed episode with its log, or with the reason why there is none."""
    for episode in store.episodes():
        score, trace = store.readable_score(episode), store.readable_trace(episode)
        if score is None or trace is None:
            yield episode, "its record is damaged or of another format"
            continue
        if score.verdict is not Verdict.FAILURE:
            continue
        task = as_world_task(tasks[trace.episode.task])
        found = known.find(episode, digest_of(task, trace)) if known is not None else None
        if found is not None and found.status is not Status.UNSUPPORTED:
            cause = cause_of(found)
            reason = _without_cause(found)
        else:
            cause = cause_by_rules(task, trace, score.faults)
            reason = "the rules name no agent: " + "; ".join(fault.reason for fault in score.faults)
        yield episode, reason if cause is None else as_log(task, trace, cause)


def _without_cause(found: Attribution) -> str:
    return f"no step is its cause ({found.status}): {found.evidence}"
