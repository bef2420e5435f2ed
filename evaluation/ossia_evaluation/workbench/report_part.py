"""A run of the office in the publication's terms, as a part of the report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.compare import Comparison
from ossia_evaluation.grade import Grade
from ossia_evaluation.report.part import ReportPart
from ossia_evaluation.workbench.scorer import task_verdict
from ossia_evaluation.workbench.summary import Summary, TaskVerdict, summaries_csv, summarise
from ossia_evaluation.worlds.score import Score
from ossia_servers.trace import Trace

Line: TypeAlias = tuple[str, str]
"""A framework and a model."""


def office_summaries(
    tasks: Mapping[str, WorldTask], episodes: Iterable[tuple[Trace, Grade]], turns: int
) -> dict[Line, Summary]:
    """Return what came of each framework with each model; invalid episodes are left out.

    Args:
        tasks: the run's tasks by id.
        episodes: its episodes with their scores.
        turns: the most turns of roles that an episode was given.
    """
    found: dict[Line, list[TaskVerdict]] = {}
    for trace, grade in episodes:
        task = tasks.get(trace.episode.task)
        if task is None or not isinstance(grade, Score):
            continue
        verdict = task_verdict(task, trace, grade, turns)
        if verdict is not None:
            found.setdefault((trace.episode.framework, trace.episode.model), []).append(verdict)
    release = ", ".join(sorted({task.seed for task in tasks.values()}))
    return {line: summarise(release, verdicts) for line, verdicts in found.items()}


def by_name(summaries: Mapping[Line, Summary]) -> dict[str, Summary]:
    """Return summaries under names that tell framework and model."""
    return {f"{framework}, {model}": found for (framework, model), found in summaries.items()}


def part_html(summaries: Mapping[str, Summary]) -> Markup:
    """Return what stands in the page.

    Args:
        summaries: by the label of their line.
    """
    environment = Environment(
        loader=PackageLoader("ossia_evaluation.workbench", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return Markup(environment.get_template("part.html.j2").render(office=summaries))


def report_part(summaries: Mapping[Line, Summary], result: Comparison) -> ReportPart | None:
    """Return the part of a run's report; None for a run without a valid episode.

    Args:
        summaries: the run in the publication's terms.
        result: its comparison.
    """
    if not summaries:
        return None
    lines = {(line.framework, line.model): result.label(line) for line in result.frameworks}
    labelled = {label: summaries[line] for line, label in lines.items() if line in summaries}
    named = by_name(summaries)
    told = {name: summary.model_dump(mode="json") for name, summary in named.items()}
    return ReportPart(
        title="WorkBench",
        anchor="workbench",
        html=part_html(labelled),
        files={
            "workbench.json": json.dumps(told, indent=2, ensure_ascii=False) + "\n",
            "workbench.csv": summaries_csv(named),
        },
    )
