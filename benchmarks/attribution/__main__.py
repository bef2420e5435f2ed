"""The experiment's command line: `python -m benchmarks.attribution`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer
import uvloop
from pydantic import BaseModel
from rich.console import RenderableType

from benchmarks.attribution.attempts import FULL, QUICK
from benchmarks.attribution.parts import FRAMEWORKS
from benchmarks.attribution.tables import validation_tables
from benchmarks.attribution.targets import MISSED, checked
from benchmarks.attribution.validate import validate
from benchmarks.attribution.wild.gates import gates, held
from benchmarks.attribution.wild.records import FULL as WILD_FULL
from benchmarks.attribution.wild.records import QUICK as WILD_QUICK
from benchmarks.attribution.wild.tables import wild_tables
from benchmarks.attribution.wild.validate import validate_wild
from ossia.cli import options
from ossia.cli.app import clear_errors
from ossia.cli.told import make_console, say
from ossia.errors import INTERRUPTED
from ossia.tasks import find_world_tasks

__all__ = ["main"]

_NAME = "python -m benchmarks.attribution"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run an experiment, print its result, and end the process.

    The exit code is 0 where every target is reached, 1 where one is missed, 2 for bad input, and
    130 after Ctrl-C.

    Args:
        arguments: The command line without the program's name; the process's own by default.
    """
    app = typer.Typer(
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command()(experiment)
    command: Any = typer.main.get_command(app)
    with clear_errors():
        code = command.main(args=arguments, prog_name=_NAME, standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)


def experiment(
    framework: Annotated[
        list[str] | None,
        typer.Option(
            "--framework",
            "-f",
            envvar="OSSIA_FRAMEWORK",
            help="Only this framework; repeatable or comma-separated.",
        ),
    ] = None,
    jobs: options.Jobs = 8,
    json: options.Json = False,
    quick: Annotated[
        bool, typer.Option("--quick", envvar="OSSIA_QUICK", help="Only a few cases.")
    ] = False,
    wild: Annotated[
        bool,
        typer.Option(
            "--wild",
            envvar="OSSIA_WILD",
            help="Faults that change bytes at random and know nothing of the task.",
        ),
    ] = False,
    seed: Annotated[
        int,
        typer.Option(
            envvar="OSSIA_SEED",
            help="Decides which faults are put where; 0 is the one that the rules were developed"
            " on.",
        ),
    ] = 0,
) -> None:
    """Validate the attributor by faults that are put into episodes that succeed.

    No model is called. Attempts are kept below Ossia's home: the same command again resumes where
    it stopped. The exit code is 1 where a target is missed.
    """
    run = _wild if wild else _injection
    try:
        result, tables, good = run(options.names(framework) or FRAMEWORKS, jobs, seed, quick)
    except KeyboardInterrupt:
        make_console(stderr=True).print("stopped; run the same command again to resume")
        raise typer.Exit(INTERRUPTED) from None
    if json:
        say(result.model_dump_json(indent=2))
    else:
        make_console().print(tables)
    if not good:
        raise typer.Exit(1)


def _injection(
    frameworks: Sequence[str], jobs: int, seed: int, quick: bool
) -> tuple[BaseModel, RenderableType, bool]:
    result = uvloop.run(
        validate(
            options.home(),
            find_world_tasks("test", "assistant"),
            name="quick" if quick else "full",
            size=QUICK if quick else FULL,
            frameworks=frameworks,
            seed=seed,
            jobs=jobs,
            watch=_progress(),
        )
    )
    good = all(row.result != MISSED for row in checked(result))
    return result, validation_tables(result), good


def _wild(
    frameworks: Sequence[str], jobs: int, seed: int, quick: bool
) -> tuple[BaseModel, RenderableType, bool]:
    result = uvloop.run(
        validate_wild(
            options.home(),
            find_world_tasks("test", "assistant"),
            name="quick" if quick else "full",
            size=WILD_QUICK if quick else WILD_FULL,
            frameworks=frameworks,
            seed=seed,
            jobs=jobs,
            watch=_progress(),
        )
    )
    return result, wild_tables(result), held(gates(result))


def _progress() -> Callable[[Mapping[str, int]], None]:
    """Return what prints the number of episodes tried so far, on a terminal alone."""
    console = make_console(stderr=True)
    printed: dict[str, int] = {}

    def show(counts: Mapping[str, int]) -> None:
        if counts != printed:
            printed.update(counts)
            line = ", ".join(f"{name} {count}" for name, count in counts.items())
            console.print(f"episodes tried: {line}", highlight=False)

    return show if console.is_terminal else lambda counts: None


if __name__ == "__main__":
    main()
