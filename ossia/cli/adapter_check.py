"""`ossia adapter check | weak`."""

from __future__ import annotations

import textwrap
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ossia.adapters import AdapterInfo, find_adapter, find_adapters, how_to_install, lacking
from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia_dataset.files import write_whole

if TYPE_CHECKING:
    from ossia.conformance import CheckResult

_MARKS = {"begin": "<!-- weak:begin -->", "end": "<!-- weak:end -->"}


def check_command(
    name: Annotated[str, typer.Argument(help="An adapter by name or by its project's folder.")],
    only: Annotated[
        list[str] | None,
        typer.Option(envvar="OSSIA_ADAPTER_ONLY", help="Only the check of this name; repeatable."),
    ] = None,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            envvar="OSSIA_ADAPTER_TRACE",
            help="Show the scene of each check that failed, step by step.",
        ),
    ] = False,
    seed: Annotated[
        str,
        typer.Option(
            envvar="OSSIA_ADAPTER_SEED",
            help="Draw the tasks, orders and names of an earlier check again, which told it.",
        ),
    ] = "",
    json: options.Json = False,
) -> None:
    """Run the conformance suite on an adapter, with its real framework."""
    from ossia.conformance import check_adapter, chosen_checks

    info = _installed(name)
    checks = chosen_checks(only or ())
    console = make_console()
    width = max(len(check.name) for check in checks)
    started = time.monotonic()
    heard = None if json else partial(_tell_result, console, width)
    report = check_adapter(info, checks=checks, seed=seed, steps=trace, heard=heard)
    if json:
        say(report.model_dump_json(indent=2))
    else:
        if report.isolation:
            _tell(console, "isolation: ", report.isolation)
        _tell(console, "", report.summary(time.monotonic() - started))
        if report.failed and report.version:
            _tell(console, "", f"the same tasks, orders and names again: --seed {report.seed}")
    if not report.passed:
        raise typer.Exit(1)


def _tell_result(console: Console, width: int, result: CheckResult) -> None:
    if not result.made:
        return
    mark = "FAILED" if not result.passed else "note  " if result.noted else "ok    "
    _tell(console, f"{mark} {result.name:{width}}  ", result.detail)
    for step in result.steps:
        _tell(console, "    ", step)


def weak_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Adapters by name or folder; all that come with Ossia if left out."),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            envvar="OSSIA_ADAPTER_WRITE",
            help="A Markdown file; the table replaces what stands between its marks weak:begin"
            " and weak:end.",
        ),
    ] = None,
) -> None:
    """Show what adapters do with a weak model's answers.

    The table is in Markdown.
    """
    from ossia.conformance import weak_table

    if write is not None:
        # A file that cannot take the table is refused before the work.
        options.with_part(write, "", **_MARKS)
    home = options.home()
    infos = [_installed(name) for name in names or [info.name for info in find_adapters(home)]]
    table = weak_table(infos)
    if write is None:
        say(table)
    else:
        write_whole(write, options.with_part(write, table, **_MARKS))


def _installed(name: str) -> AdapterInfo:
    info = find_adapter(name, options.home())
    problem = lacking([info])
    if problem:
        raise UserError(f"{problem}; run `{how_to_install([info])}` first")
    return info


def _tell(console: Console, head: str, text: str) -> None:
    """Print a text as it is, on a terminal with its further lines under the first.

    Paths and models' words hold what would pass for markup. A word is never cut.
    """
    whole = head + text
    if console.is_terminal:
        indent = " " * (len(head) if len(head) < console.width // 2 else 4)
        whole = textwrap.fill(
            whole,
            console.width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    console.print(whole, markup=False, highlight=False, soft_wrap=True)
