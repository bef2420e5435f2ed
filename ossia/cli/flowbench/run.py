"""`ossia score flowbench-run`."""

from __future__ import annotations

from dataclasses import asdict

import orjson
from rich.text import Text

from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.run_plan import tasks_of
from ossia.runner.store import RunStore
from ossia_evaluation.flowbench.tables import flow_tables
from ossia_evaluation.report.word_table import word_table


def run_command(run: options.RunName = None, json: options.Json = False) -> None:
    """Print a run of FlowBench in the publication's tables.

    Framework by framework and model by model, with the published figures beside.
    """
    with RunStore(options.run_folder(run)) as store:
        config = store.config()
        tables = flow_tables(
            tasks_of(config),
            store.readable_episodes(),
            lambda trace: f"{trace.episode.framework}, {trace.episode.model}",
        )
    if not tables:
        raise UserError(f"the run {config.run_id} has no valid episode of FlowBench")
    if json:
        told = {table.name: asdict(table) for table in tables}
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    console = make_console()
    for table in tables:
        console.print(Text(f"\n{table.title}"))
        shown = word_table(*table.columns, lead=table.lead)
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
