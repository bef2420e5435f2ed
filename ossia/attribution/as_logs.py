"""A run's failures in the shape of the Who&When logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from ossia.attribution.store import AttributionStore, digest_of
from ossia.run_plan import tasks_of
from ossia.runner.store import RunStore
from ossia.storage.place import Place
from ossia.suites import find_suite
from ossia.tasks import as_world_task
from ossia_dataset.who_and_when import Log, write_log
from ossia_evaluation.attribution import Attribution, Status
from ossia_evaluation.grade import Verdict
from ossia_evaluation.steps import last_step
from ossia_evaluation.whowhen import answered_steps, as_log, cause_by_rules, cause_of


def write_failure_logs(run: Place | Path, out: Path) -> Iterator[str]:
    """Write the logs of a run's failures, and yield what is left out and how many are written.

    Args:
        run: where the run is stored.
        out: the folder to write to, a JSON file for each failure.

    Raises:
        UserError: the run cannot be read, or its tasks have no gold requests.
    """
    written: Counter[str] = Counter()
    for episode, log in failure_logs(run):
        if isinstance(log, str):
            yield f"left out {episode}: {log}"
            continue
        write_log(out, log)
        written[log.origin.source if log.origin is not None else ""] += 1
    named = ", ".join(f"{count} labelled by {source}" for source, count in sorted(written.items()))
    yield f"{written.total()} logs written to {out}{': ' if named else ''}{named}"


def failure_logs(source: Place | Path) -> Iterator[tuple[str, Log | str]]:
    """Yield each failed episode of a run with its log, or with the reason why there is none.

    The cause in a log is the decisive step of a stored attribution, or else what the published
    criteria name.

    Args:
        source: where the run is stored.

    Raises:
        UserError: the run cannot be read, or its tasks have no gold requests.
    """
    with ExitStack() as opened:
        store = opened.enter_context(RunStore(source))
        known = None
        if store.place.has_attributions():
            known = opened.enter_context(AttributionStore(store.place, write=False))
        config = store.config()
        tasks, suite = tasks_of(config), find_suite(config.suite)
        made = suite.contracts
        contracts = None if made is None else made(suite.domains(config.tasks))
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
                blamed = last_step if contracts is None else partial(contracts.blamed, task, trace)
                cause = cause_by_rules(answered_steps(trace), score.faults, blamed)
                reason = "the rules name no agent: " + "; ".join(
                    fault.reason for fault in score.faults
                )
            yield episode, reason if cause is None else as_log(task, trace, cause)


def _without_cause(found: Attribution) -> str:
    return f"no step is its cause ({found.status}): {found.evidence}"
