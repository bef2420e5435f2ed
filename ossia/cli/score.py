"""`ossia score workbench-log`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ossia.cli import options, render, who_and_when
from ossia.errors import UserError
from ossia.office_summary import by_name, is_office, office_summaries
from ossia.runner.store import RunStore
from ossia.session import tasks_of
from ossia_dataset.workbench.published import find_data, read_published
from ossia_evaluation.workbench.log import OracleVerdict, read_log, read_oracle, score_log
from ossia_evaluation.workbench.replay import Replayer
from ossia_evaluation.workbench.summary import (
    GroupShare,
    Summary,
    TaskVerdict,
    summaries_csv,
    summarise,
)
from ossia_evaluation.workbench.tasks import SUITE

_LISTED = 20
"""Most differences that are printed one by one."""


_Templates = Annotated[
    bool,
    typer.Option(
        "--templates", envvar="OSSIA_TEMPLATES", help="Print the shares by template, too."
    ),
]

_Csv = Annotated[
    bool,
    typer.Option(
        "--csv", envvar="OSSIA_CSV", help="Print all shares, templates too, as CSV instead."
    ),
]


def register(parent: typer.Typer) -> None:
    """Add the commands to the application."""
    app = typer.Typer(
        help="Scores in the terms of a publication, of recorded runs and of our own.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )

    @app.callback()
    def group() -> None:
        """Scores in the terms of a publication, of recorded runs and of our own."""

    app.command("workbench-log")(workbench_log_command)
    app.command("workbench-run")(workbench_run_command)
    who_and_when.register(app)
    parent.add_typer(app, name="score")


def workbench_log_command(
    file: Annotated[
        Path, typer.Argument(help="A results CSV of WorkBench, or a folder of such files.")
    ],
    oracle: Annotated[
        Path | None,
        typer.Option(
            envvar="OSSIA_ORACLE",
            help="A folder with the published evaluator's verdicts; a difference is an error.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            envvar="OSSIA_WORKBENCH_DATA",
            help="The published databases and tasks; looked for above FILE and the oracle when left"
            " out.",
        ),
    ] = None,
    templates: _Templates = False,
    csv: _Csv = False,
    json: options.Json = False,
) -> None:
    """Replay recorded actions on our servers and score them by state."""
    published = read_published(_data_folder(file, data, oracle))
    replayer = Replayer(lambda seed: published.database, published.database.seed)
    verdicts: list[TaskVerdict] = []
    differences: list[str] = []
    for log in _logs(file):
        found = list(score_log(log, read_log(log), published, replayer))
        verdicts += found
        if oracle is not None:
            differences += _differences(log, found, read_oracle(oracle, log))
    if not verdicts:
        raise UserError(f"{file}: holds no recorded run")
    summary = summarise(published.release, verdicts)
    if csv:
        typer.echo(summaries_csv({file.name: summary}), nl=False)
    elif json:
        typer.echo(summary.model_dump_json(indent=2))
    else:
        _show(summary, templates=templates)
    if oracle is not None:
        _tell_agreement(len(verdicts), differences, to_stderr=json or csv)
        if differences:
            raise typer.Exit(1)


def workbench_run_command(
    run: options.RunName = None,
    templates: _Templates = False,
    csv: _Csv = False,
    json: options.Json = False,
) -> None:
    """Print a stored run of the office in the publication's terms, framework by framework."""
    with RunStore(options.run_folder(run)) as store:
        config = store.config()
        if not is_office(store):
            raise UserError(f"the run {config.run_id} is of the suite {config.suite}, not {SUITE}")
        found = office_summaries(store, tasks_of(config))
    if not found:
        raise UserError(f"the run {config.run_id} has no valid episode yet")
    summaries = by_name(found)
    if csv:
        typer.echo(summaries_csv(summaries), nl=False)
        return
    if json:
        told = {name: summary.model_dump(mode="json") for name, summary in summaries.items()}
        typer.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    for name, summary in summaries.items():
        typer.echo(f"\n{name}")
        _show(summary, templates=templates)


def _data_folder(file: Path, data: Path | None, oracle: Path | None) -> Path:
    """The published data: as given, or in a folder above the results or the verdicts."""
    if data is not None:
        return find_data(data)
    if not file.exists():
        raise UserError(f"{file}: no such file or folder")
    near = [path.resolve() for path in (file, oracle) if path is not None]
    for folder in (place for path in near for place in (path, *path.parents)):
        if (folder / "processed" / "queries_and_answers").is_dir():
            return folder
    raise UserError(f"no WorkBench data lies around {file}; name its folder with --data")


def _logs(file: Path) -> Sequence[Path]:
    if not file.is_dir():
        return [file]
    found = sorted(file.rglob("*.csv"))
    if not found:
        raise UserError(f"{file}: holds no CSV file")
    return found


def _differences(
    log: Path, verdicts: Sequence[TaskVerdict], oracle: Mapping[str, OracleVerdict]
) -> list[str]:
    """Sentences on every task that the published evaluator judges otherwise, or not at all."""
    told = []
    for ours in verdicts:
        theirs = oracle.get(ours.query)
        if theirs is None:
            told.append(f"{log.name}: {ours.task}: the oracle has no verdict")
        elif (theirs.correct, theirs.side_effects) != (ours.correct, ours.side_effects):
            told.append(
                f"{log.name}: {ours.task}: correct {ours.correct}, side effects"
                f" {ours.side_effects}; the oracle says {theirs.correct}, {theirs.side_effects}"
            )
    return told


def _tell_agreement(tasks: int, differences: Sequence[str], *, to_stderr: bool) -> None:
    for line in differences[:_LISTED]:
        typer.echo(line, err=to_stderr)
    if len(differences) > _LISTED:
        typer.echo(f"... and {len(differences) - _LISTED} more", err=to_stderr)
    agreed = tasks - len(differences)
    typer.echo(f"{agreed} of {tasks} verdicts agree with the oracle", err=to_stderr)


def _show(summary: Summary, *, templates: bool) -> None:
    console = render.console()
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
    table = Table(title, box=SIMPLE_HEAD, pad_edge=False)
    for name in ("tasks", "correct %", "side effects %"):
        table.add_column(name, justify="right")
    for share in shares:
        table.add_row(
            share.name,
            str(share.tasks),
            f"{100 * share.accuracy:.2f}",
            f"{100 * share.side_effect_rate:.2f}",
        )
    return table
