"""`ossia dataset stats`: what the task sets hold, as tables and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import orjson
import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.suites import find_suite
from ossia.tasks import find_world_tasks, sets_of
from ossia_dataset.assistant.datasheet import MarksError, datasheet, replace_between_marks
from ossia_dataset.assistant.statistics import SetStatistics, statistics_of
from ossia_dataset.builtin import builtin_sets, load_tasks

_COMPOUND = "assistant-compound"


def register(app: typer.Typer) -> None:
    """Add the command to the group of `ossia dataset`."""
    app.command("stats")(stats_command)


def stats_command(
    tasks: Annotated[
        str | None,
        typer.Argument(
            help="A built-in set, a JSON Lines file or folder, or an Auto-SLURP CSV;"
            " all built-in sets when left out."
        ),
    ] = None,
    suite: options.Suite = "assistant",
    json: options.Json = False,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write",
            envvar="OSSIA_WRITE",
            help="Put the tables between the marks of this Markdown file.",
        ),
    ] = None,
) -> None:
    """Count what task sets hold.

    Domains, intents, kinds, slots, times, places, length and clocks.
    """
    if tasks is None:
        sets = builtin_statistics(suite)
        known = find_suite(suite).version
        version = "" if known is None else known.version
    else:
        sets, version = {tasks: statistics_of(find_world_tasks(tasks, suite))}, ""
    if json:
        plain = {name: one.model_dump(mode="json") for name, one in sets.items()}
        say(orjson.dumps(plain, option=orjson.OPT_INDENT_2).decode())
        return
    made = datasheet(sets, version)
    if write is None:
        say(made, nl=False)
        return
    try:
        text = replace_between_marks(write.read_text("utf-8"), made)
    except UnicodeDecodeError:
        raise UserError(f"{write}: the file is not in UTF-8") from None
    except MarksError as error:
        raise UserError(f"{write}: {error}") from None
    options.write_file(write, text)
    say(f"the tables are in {write}")


def builtin_statistics(suite: str) -> dict[str, SetStatistics]:
    """Return the statistics of a suite's built-in sets; the assistant's with the compound tasks."""
    sets = {name: statistics_of(find_world_tasks(name, suite)) for name in sets_of(suite)}
    if suite == "assistant":
        for name in builtin_sets(_COMPOUND):
            # One compound set needs no second name.
            title = "compound" if len(builtin_sets(_COMPOUND)) == 1 else f"compound {name}"
            sets[title] = statistics_of(load_tasks(name, _COMPOUND))
    return sets
