"""A run in FlowBench's terms, as a part of the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ossia_dataset.tasks import Task
from ossia_evaluation.compare import Comparison
from ossia_evaluation.csv_text import csv_text
from ossia_evaluation.flowbench.tables import Table, flow_tables
from ossia_evaluation.grade import Grade
from ossia_evaluation.report.part import ReportPart
from ossia_servers.trace import Trace

__all__ = ["report_part"]


def report_part(
    tasks: Mapping[str, Task], episodes: Iterable[tuple[Trace, Grade]], result: Comparison
) -> ReportPart | None:
    """Return the part of a run's report; None for a run without a valid episode.

    Args:
        tasks: The run's tasks by id.
        episodes: Its episodes with their grades.
        result: Its comparison.
    """
    names = {(line.framework, line.model): result.label(line) for line in result.frameworks}

    def label(trace: Trace) -> str:
        key = trace.episode.framework, trace.episode.model
        return names.get(key, ", ".join(key))

    tables = flow_tables(tasks, episodes, label)
    if not tables:
        return None
    files = {f"flowbench_{table.name}.csv": csv_text(table.columns, table.rows) for table in tables}
    return ReportPart("FlowBench", "flowbench", _html(tables), files)


def _html(tables: Sequence[Table]) -> Markup:
    environment = Environment(
        loader=PackageLoader("ossia_evaluation.flowbench", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return Markup(environment.get_template("part.html.j2").render(tables=tables))
