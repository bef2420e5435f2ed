"""`ossia score workbench-log` and `workbench-run`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.outputs import require_file
from ossia.run_plan import tasks_of
from ossia.runner.store import RunStore
from ossia.suites.workbench import TEAMS
from ossia.tasks import as_world_task
from ossia_dataset.files import write_whole
from ossia_dataset.workbench.published import find_data, find_data_near, read_published
from ossia_evaluation.report.word_table import figure_table
from ossia_evaluation.workbench.agreement import (
    Agreement,
    JudgedRun,
    runs_csv,
    score_logs,
)
from ossia_evaluation.workbench.report_part import by_name, office_summaries
from ossia_evaluation.workbench.summary import (
    GroupShare,
    Summary,
    summaries_csv,
)
from ossia_evaluation.workbench.tasks import SUITE

_LISTED = 20
"""Most differences that are printed one by one."""


_Templates = Annotated[bool, typer.Option("--templates", help="Print the shares by template, too.")]

_Csv = Annotated[
    bool, typer.Option("--csv", help="Print all shares, templates too, as CSV instead.")
]

_Data = Annotated[
    Path | None,
    typer.Option(
        envvar="OSSIA_WORKBENCH_DATA",
        help="The published databases and tasks; looked for above FILE and the oracle when left"
        " out.",
    ),
]

_TasksCsv = Annotated[
    Path | None,
    typer.Option(
        help="Also write one line for each run to this file: both verdicts, the category and the"
        " skipped actions."
    ),
]


def workbench_log_command(
    file: Annotated[
        Path, typer.Argument(help="A results CSV of WorkBench, or a folder of such files.")
    ],
    oracle: Annotated[
        Path | None,
        typer.Option(
            help="A folder with the published evaluator's verdicts; a difference is an error."
        ),
    ] = None,
    data: _Data = None,
    templates: _Templates = False,
    csv: _Csv = False,
    tasks_csv: _TasksCsv = None,
    json: options.Json = False,
) -> None:
    """Replay recorded actions and score them by state.

    With --json, each run is listed, too.
    """
    if tasks_csv is not None:
        require_file(tasks_csv)
    near = (file,) if oracle is None else (file, oracle)
    folder = find_data_near(*near) if data is None else find_data(data)
    summary = score_logs(file, oracle, read_published(folder))
    if tasks_csv is not None:
        write_whole(tasks_csv, runs_csv(summary.runs))
    if csv:
        say(summaries_csv({file.name: summary}), nl=False)
    elif json:
        say(summary.model_dump_json(indent=2))
    else:
        _show(summary, templates=templates)
        _tell_skipped(summary.runs)
    if summary.oracle is not None:
        _tell_agreement(summary.oracle, to_stderr=json or csv)
        if summary.oracle.differences:
            raise typer.Exit(1)


def workbench_run_command(
    run: options.RunName = None,
    store: options.Store = None,
    templates: _Templates = False,
    csv: _Csv = False,
    json: options.Json = False,
) -> None:
    """Print a run of the office in the publication's terms.

    For each framework.
    """
    with RunStore(options.run_place(run, store)) as stored:
        config = stored.config()
        if config.suite not in TEAMS:
            raise UserError(f"the run {config.run_id} is of the suite {config.suite}, not {SUITE}")
        tasks = {name: as_world_task(task) for name, task in tasks_of(config).items()}
        found = office_summaries(tasks, stored.readable_episodes(), config.limits.turns)
    if not found:
        raise UserError(f"the run {config.run_id} has no valid episode yet")
    summaries = by_name(found)
    if csv:
        say(summaries_csv(summaries), nl=False)
        return
    if json:
        told = {name: summary.model_dump(mode="json") for name, summary in summaries.items()}
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    for name, summary in summaries.items():
        say(f"\n{name}")
        _show(summary, templates=templates)


def _tell_skipped(runs: Sequence[JudgedRun]) -> None:
    skipped = sum(len(run.skipped) for run in runs)
    if skipped:
        among = sum(bool(run.skipped) for run in runs)
        say(f"{skipped} actions of {among} runs were skipped; --tasks-csv gives the reasons")


def _tell_agreement(found: Agreement, *, to_stderr: bool) -> None:
    for line in found.differences[:_LISTED]:
        say(line, err=to_stderr)
    if len(found.differences) > _LISTED:
        rest = len(found.differences) - _LISTED
        say(f"... and {rest} more; --json lists all", err=to_stderr)
    say(f"{found.agreed} of {found.verdicts} oracle verdicts agree", err=to_stderr)


def _show(summary: Summary, *, templates: bool) -> None:
    console = make_console()
    console.print(f"WorkBench, databases {summary.release}")
    console.print(_shares("domain", (*summary.by_domain, summary.total)))
    console.print(_shares("actions of the truth", (*summary.by_need, *summary.by_actions)))
    if templates:
        console.print(_shares("template", summary.by_template))
    table = Table("error", "with side effects", "without", box=SIMPLE_HEAD, pad_edge=False)
    for name, (harmful, harmless) in summary.errors.items():
        table.add_row(name, str(harmful), str(harmless))
    console.print(table)


def _shares(title: str, shares: Sequence[GroupShare]) -> Table:
    table = figure_table(title, "tasks", "correct %", "side effects %")
    own = any(share.succeeded is not None for share in shares)
    if own:
        # What the publication calls correct may leave the user without a word.
        table.add_column("success %", justify="right")
    for share in shares:
        successes = [_percent(share.succeeded, share.tasks)] if own else []
        table.add_row(
            share.name,
            str(share.tasks),
            f"{100 * share.accuracy:.2f}",
            f"{100 * share.side_effect_rate:.2f}",
            *successes,
        )
    return table


def _percent(count: int | None, total: int) -> str:
    return "" if count is None or not total else f"{100 * count / total:.2f}"
