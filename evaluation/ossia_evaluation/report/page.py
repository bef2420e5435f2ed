"""The HTML report: one file that needs nothing else."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ossia_evaluation.attribution import repair_text, verification_lines, verification_totals
from ossia_evaluation.compare import Comparison, EpisodeRow, Pair, Share
from ossia_evaluation.grade import Verdict
from ossia_evaluation.metrics import MetricInfo
from ossia_evaluation.report.blame import Blame
from ossia_evaluation.report.charts import success_chart, time_chart
from ossia_evaluation.report.detail import EpisodeDetail
from ossia_evaluation.report.entries import anchor, entries
from ossia_evaluation.report.figures import (
    NOT_COMPARED,
    WORKER_HEADS,
    WORKERS,
    cell,
    head,
    notes,
    number,
    share_text,
    success_cell,
    success_head,
    time_columns,
    time_note,
    worker_cells,
)
from ossia_evaluation.report.groups import group_name, group_tables
from ossia_evaluation.report.idioms import idiom_tables
from ossia_evaluation.report.part import ReportPart
from ossia_evaluation.report.stress_charts import dose_charts
from ossia_evaluation.report.stress_terminal import MARKS
from ossia_evaluation.stress.figures import ALL, Change, Difference, Stress
from ossia_evaluation.visible import visible

_FEW: Final = 10
"""So many repeats of a task have a mark each in the table of tasks."""

_EMPHASIS: Final = re.compile(r"\*(\w+)\*")
_CODE: Final = re.compile(r"`([^`]+)`")


def report_html(
    result: Comparison,
    rows: Sequence[EpisodeRow],
    details: Sequence[EpisodeDetail],
    blame: Blame | None = None,
    part: ReportPart | None = None,
    left_out: int = 0,
) -> str:
    """Return the report of a run as one self-contained page.

    Its script sorts and filters; without it the page is as complete. The page forbids the browser
    any other script and any request.

    Args:
        result: the comparison.
        rows: every episode, for the table of tasks by framework.
        details: the episodes that are unfolded: failures and invalid ones.
        blame: the run's attributions, if it has any.
        part: what the suite adds.
        left_out: how many episodes failed or are invalid beyond those that are unfolded.
    """
    environment = _environment()
    page = environment.get_template("report.html.j2").render(
        result=result,
        matrix=_matrix(result, rows),
        measured=_measured(result),
        notes=list(notes(_measured(result))),
        group_tables=group_tables(result),
        idiom_tables=idiom_tables(result),
        details=details,
        left_out=left_out,
        told={item.episode for item in details},
        entries=entries(details, blame, environment.get_template("parts.html.j2").module),
        blame=blame,
        part=part,
        success_head=success_head(result),
        success_cell=success_cell,
        stress=result.stress,
        all=ALL,
        best=MARKS[0],
        worst=MARKS[1],
        success_chart=Markup(success_chart(result)),
        time_chart=Markup(time_chart(result)),
        not_compared=NOT_COMPARED,
        times=time_columns(result),
        workers=WORKERS,
        worker_heads=WORKER_HEADS,
        worker_cells=worker_cells,
        time_note=time_note(result),
        **_style_and_script(),
    )
    # Marks of direction would turn what stands beside them, in a page as in a terminal.
    return visible(page)


def _style_and_script() -> dict[str, str]:
    """Return what stands in the page as it is, and the hash by which it permits its one script."""
    script = _file("report.js")
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    return {
        "style": Markup(_file("report.css")),
        "script": Markup(script),
        "script_hash": allowed,
    }


@cache
def _environment() -> Environment:
    """Return what fills the templates, compiled once; every text is escaped."""
    environment = Environment(
        loader=PackageLoader("ossia_evaluation.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["anchor"] = anchor
    environment.filters["coded"] = _coded
    environment.filters["emphasised"] = _emphasised
    environment.filters["marks"] = _marks
    environment.filters["moment"] = _moment
    environment.filters["moments"] = _moments
    environment.filters["repair"] = repair_text
    environment.filters["share"] = share_text
    environment.filters["change"] = _changed
    environment.filters["dose_charts"] = _dose_charts
    environment.filters["cell"] = cell
    environment.filters["head"] = head
    environment.filters["explained"] = _explained
    environment.filters["group"] = group_name
    environment.filters["notes"] = notes
    environment.filters["difference"] = _difference
    environment.filters["number"] = number
    environment.filters["percent"] = _percent
    environment.filters["verification_lines"] = verification_lines
    environment.filters["verification_totals"] = verification_totals
    return environment


def _coded(sentence: str) -> Markup:
    """Set what stands between backticks apart as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(sentence))))


def _emphasised(sentence: str) -> Markup:
    """Set the roles that a sentence of evidence names between asterisks apart."""
    return Markup(_EMPHASIS.sub(r"<em>\1</em>", str(escape(sentence))))


def _moment(situation: str) -> Markup:
    """A step's name, which may go on in the next line after `@` and `>` alone."""
    name = str(escape(situation)).replace("@", "@<wbr>").replace("&gt;", "&gt;<wbr>")
    return Markup(f'<span class="moment">{name}</span>')


def _moments(family: Sequence[str]) -> Markup:
    """The steps of a repair."""
    return Markup(" + ").join(map(_moment, family))


def _file(name: str) -> str:
    """A file that the page takes in as it is."""
    return files("ossia_evaluation.report").joinpath("templates", name).read_text("utf-8")


def _measured(result: Comparison) -> tuple[MetricInfo, ...]:
    """The metrics with a column beside success: a page is wide enough for all."""
    return tuple(metric for metric in result.metrics if metric.aggregate and metric.place)


def _explained(metric: MetricInfo) -> str:
    """What a column's head says when it is pointed at."""
    better = f"{metric.better} is better" if metric.better else ""
    return "; ".join(part for part in (metric.help, better) if part)


def _changed(change: Change | None, form: str) -> str:
    if change is None or change.low is None or change.high is None:
        return number(None if change is None else change.mean, form)
    shown = (format(value + 0.0, form) for value in (change.mean, change.low, change.high))
    return "{} [{}, {}]".format(*shown)


def _dose_charts(stress: Stress, model: str) -> dict[str, Markup]:
    return {group: Markup(chart) for group, chart in dose_charts(stress, model).items()}


def _difference(pair: Pair | Difference) -> str:
    if pair.difference is None or pair.low is None or pair.high is None:
        return "-"
    # Adding 0 keeps a rounded difference from being shown as -0.00.
    shown = (f"{round(value, 3) + 0.0:.3f}" for value in (pair.difference, pair.low, pair.high))
    return "{} [{}, {}]".format(*shown)


def _percent(share: Share | None) -> str:
    if share is None or share.value is None:
        return "-"
    return f"{100 * share.value:.0f} % [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _marks(cell: Sequence[EpisodeRow]) -> list[tuple[EpisodeRow, int]]:
    """The marks of a cell, and how often each stands; many successes are one, and come first."""
    alike = [row for row in cell if row.verdict is Verdict.SUCCESS]
    if len(cell) <= _FEW or not alike:
        return [(row, 1) for row in cell]
    others = [(row, 1) for row in cell if row.verdict is not Verdict.SUCCESS]
    return [(alike[0], len(alike)), *others]


def _matrix(
    result: Comparison, rows: Sequence[EpisodeRow]
) -> Mapping[str, Mapping[str, Sequence[EpisodeRow]]]:
    """Episodes by task and line of the comparison, in the order in which they come."""
    labels = {(line.framework, line.model): result.label(line) for line in result.frameworks}
    table: dict[str, dict[str, list[EpisodeRow]]] = {}
    for row in rows:
        if row.fault:
            continue
        table.setdefault(row.task, {}).setdefault(labels[row.framework, row.model], []).append(row)
    return table
