"""A run's report: what stands in each of its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ossia.attribution.run import Result, stored_result
from ossia.attribution.written import as_json, attributions_csv, failures_csv, modes_csv
from ossia.errors import UserError
from ossia.outputs import require_folder
from ossia.run_plan import tasks_of
from ossia.runner.results import comparison_of, detail_of, played_of, unreadable_text
from ossia.runner.store import RunStore
from ossia.suites import find_suite
from ossia_dataset.files import write_whole
from ossia_dataset.tasks import Task
from ossia_evaluation.compare import Comparison
from ossia_evaluation.report import (
    Blame,
    by_group_csv,
    by_role_csv,
    comparison_csv,
    episodes_csv,
    pairs_csv,
    report_html,
    stress_csv,
    stress_pairs_csv,
)


def write_report(store: RunStore, out: Path | None = None) -> tuple[list[Path], list[str]]:
    """Write a run's report, no file of it by half; `report.html` is its page.

    Args:
        store: the run.
        out: the folder to write to; `report` in the run's folder when left out.

    Returns:
        The files, the page first, and what cannot be read for the report, a line each.

    Raises:
        UserError: `out` can be no folder, or as `report_files` does.
    """
    if out is not None:
        require_folder(out)
    files, troubles = report_files(store)
    target = out or store.folder / "report"
    target.mkdir(parents=True, exist_ok=True)
    return [write_whole(target / name, text) for name, text in files.items()], troubles


def report_files(store: RunStore) -> tuple[Mapping[str, str], list[str]]:
    """Return the files of a run's report by name, and what cannot be read for it, a line each.

    Raises:
        UserError: the run's configuration cannot be read, or its task set has changed since.
    """
    config = store.config()
    tasks = tasks_of(config)
    episodes = played_of(store, tasks)
    rows = tuple(each.row for each in episodes)
    # Before the comparison, which tells what could not be read.
    details, left_out = detail_of(store, tasks)
    result = comparison_of(store, tasks, episodes)
    found, trouble = _stored(store, tasks)
    added = find_suite(config.suite).report
    played = store.readable_episodes()
    part = None if added is None else added(tasks, played, config.limits, result)
    told = _with_trouble(result, trouble)
    html = report_html(told, rows, details, _blame(found), part, left_out)
    files = {"report.html": html, "episodes.csv": episodes_csv(rows), **_comparison_files(result)}
    if found is not None:
        files |= _attribution_files(found)
    if part is not None:
        files |= part.files
    return files, _trouble_lines(result, found, trouble)


def _comparison_files(result: Comparison) -> dict[str, str]:
    # Where tasks are in no groups, nothing is told by them.
    groups = {f"by_{result.group}.csv": by_group_csv(result)} if result.group else {}
    stress = result.stress
    stressed = {}
    if stress is not None:
        stressed = {"stress.csv": stress_csv(stress), "stress_pairs.csv": stress_pairs_csv(stress)}
    return {
        "comparison.csv": comparison_csv(result),
        **groups,
        "by_role.csv": by_role_csv(result),
        "pairs.csv": pairs_csv(result),
        "comparison.json": result.model_dump_json(indent=2) + "\n",
        **stressed,
    }


def _stored(store: RunStore, tasks: Mapping[str, Task]) -> tuple[Result | None, str | None]:
    """What is stored of the attributions, or why it cannot be read: a report is written anyway."""
    try:
        return stored_result(store, tasks), None
    except UserError as error:
        return None, f"no attribution could be read: {error}"


def _with_trouble(result: Comparison, trouble: str | None) -> Comparison:
    if trouble is None:
        return result
    return result.model_copy(update={"facts": {**result.facts, "attribution": trouble}})


def _trouble_lines(result: Comparison, found: Result | None, trouble: str | None) -> list[str]:
    """What the report leaves out since it cannot be read, in a line each."""
    lines = [result.facts[name] for name in ("outdated", "damaged") if name in result.facts]
    if found is not None and found.unreadable:
        lines.append(unreadable_text("attribution", found.unreadable))
    return lines if trouble is None else [*lines, trouble]


def _blame(found: Result | None) -> Blame | None:
    if found is None:
        return None
    return Blame(
        failures=found.failures,
        summary=found.summary,
        modes=found.modes,
        attributions={item.episode: item for item in found.attributions},
        detections=found.detections,
        verifications=found.verifications,
        near_misses=found.near_misses,
        unreadable=found.unreadable,
        published=found.published,
    )


def _attribution_files(found: Result) -> dict[str, str]:
    return {
        "attribution.json": json.dumps(as_json(found), indent=2, ensure_ascii=False) + "\n",
        "attributions.csv": attributions_csv(found),
        "failures_by_role.csv": failures_csv(found.summary.tables),
        "failure_modes.csv": modes_csv(found.modes),
    }
