"""`ossia adapter check | weak`."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Sequence
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ossia.adapters import AdapterInfo, find_adapters, how_to_install, lacking, named_adapters
from ossia.adapters.variants import EVERY
from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.outputs import require_part, write_part

if TYPE_CHECKING:
    from ossia.conformance import Check, CheckResult, ConformanceReport

_MARKS = ("<!-- weak:begin -->", "<!-- weak:end -->")


def check_command(
    name: Annotated[
        str | None,
        typer.Argument(
            help="An adapter by name or by its project's folder, such as control, control:tools or"
            " control:all.",
            autocompletion=options.framework_names,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Check every variant of all adapters.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="Run only the check of this name; repeatable.")
    ] = None,
    trace: Annotated[
        bool,
        typer.Option("--trace", help="Show the scene of each check that failed, step by step."),
    ] = False,
    seed: Annotated[
        str,
        typer.Option(
            help="Draw the same tasks, orders and names again as the check that printed this seed."
        ),
    ] = "",
    json: options.Json = False,
) -> None:
    """Run the conformance suite on an adapter, with its real framework."""
    from ossia.conformance import chosen_checks

    if every is (name is not None):
        raise UserError("give either an adapter or --all")
    checks = chosen_checks(only or ())
    found = _installed(EVERY if name is None else name)
    reports = [_checked(info, checks, seed=seed, trace=trace, json=json) for info in found]
    if json:
        told = [report.model_dump(mode="json") for report in reports]
        say(dumps(told[0] if len(told) == 1 else told, indent=2, ensure_ascii=False))
    if not all(report.passed for report in reports):
        raise typer.Exit(1)


def _checked(
    info: AdapterInfo, checks: Sequence[Check], *, seed: str, trace: bool, json: bool
) -> ConformanceReport:
    """Check one adapter and tell the results, unless they are printed as JSON."""
    from ossia.conformance import check_adapter

    console = make_console()
    width = max(len(check.name) for check in checks)
    started = time.monotonic()
    heard = None if json else partial(_tell_result, console, width)
    report = check_adapter(info, checks=checks, seed=seed, steps=trace, heard=heard)
    if not json:
        if report.isolation:
            _tell(console, "isolation: ", report.isolation)
        _tell(console, "", report.summary(time.monotonic() - started))
        if report.failed and report.version:
            _tell(
                console, "", f"to draw the same tasks, orders and names again: --seed {report.seed}"
            )
    return report


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
            help="A Markdown file; the table replaces the text between its markers weak:begin"
            " and weak:end."
        ),
    ] = None,
) -> None:
    """Show what adapters do with a weak model's answers.

    The table is in Markdown.
    """
    from ossia.conformance import weak_table

    if write is not None:
        # A file that cannot take the table is refused before the work.
        require_part(write, *_MARKS)
    home = options.home()
    wanted = names or [info.name for info in find_adapters(home)]
    infos = [info for name in wanted for info in _installed(name)]
    table = weak_table(infos)
    if write is None:
        say(table)
    else:
        write_part(write, table, *_MARKS)


def _installed(name: str) -> tuple[AdapterInfo, ...]:
    infos = named_adapters(name, options.home())
    problem = lacking(infos)
    if problem:
        raise UserError(f"{problem}; run `{how_to_install(infos)}` first")
    return infos


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
