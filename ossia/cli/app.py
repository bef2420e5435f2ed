"""The `ossia` command: its sub-commands, its configuration file and its errors."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from ossia.cli.defaults import read_defaults
from ossia.errors import UserError

MODULES = {
    "compare": "run",
    "run": "run",
    "resume": "run",
    "rescore": "run",
    "report": "report",
    "show": "show",
    "tape": "tape",
    "serve": "serve",
    "adapter": "adapter",
    "dataset": "dataset",
    "model": "model",
    "score": "score",
    "export": "export",
    "attribute": "attribute",
    "blame": "blame",
    "replay": "replay",
}
"""The module of `ossia.cli` that adds each command, in the order of the help page."""

_UsageError: Final[Any] = typer.BadParameter.__bases__[0]
"""What every misspelt command line is raised as; typer gives the class no public name."""


def build_app(command: str | None = None) -> typer.Typer:
    """Return the application.

    Args:
        command: the command that will be called, if it is known: only its module is loaded then,
            since each command needs other heavy libraries. None loads all.
    """
    app = typer.Typer(
        name="ossia",
        help="Compare multi-agent orchestration frameworks and say which agent failed.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    wanted = [MODULES[command]] if command in MODULES else dict.fromkeys(MODULES.values())
    for name in wanted:
        import_module(f"ossia.cli.{name}").register(app)

    # A callback keeps one command a command; without it, typer would make it the whole program.
    @app.callback()
    def group(
        version: Annotated[
            bool,
            typer.Option(
                "--version", callback=_version, is_eager=True, help="Print the version and exit."
            ),
        ] = False,
    ) -> None: ...

    group.__doc__ = app.info.help
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from ossia.runner.config import code_version

        typer.echo(f"ossia {code_version()}")
        raise typer.Exit


_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Imports make a hundred thousand objects that all stay. Python's own threshold of 700 looks
through them so often that it takes a tenth of the start of every process."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; bad input ends it with one line and exit code 2."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        group = typer.main.get_group(build_app(given[0] if given else None))
        defaults = read_defaults(os.environ, group, MODULES)
        code = group.main(
            args=given, prog_name="ossia", default_map=defaults, standalone_mode=False
        )
        sys.exit(code if isinstance(code, int) else 0)
    except (SystemExit, KeyboardInterrupt):
        # Else the last clause would import what it looks for, at the end of every command.
        raise
    except _UsageError as error:
        sys.stderr.write(_usage(error))
        sys.exit(UserError.code)
    except BrokenPipeError:
        # The reader of a pipe has gone; keep the interpreter from complaining at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.filename is None:
            raise
        # A folder that cannot be written, a file in the place of a folder, a full disk.
        sys.stderr.write(f"ossia: {error.filename}: {error.strerror}\n")
        sys.exit(2)
    except _mendable() as error:
        sys.stderr.write(f"ossia: {error}\n")
        sys.exit(error.code if isinstance(error, UserError) else UserError.code)


def _usage(error: Any) -> str:
    """What is told of a misspelt command line: one line, or the help of a group called alone."""
    message = error.format_message()
    if error.ctx is None:
        return f"ossia: {message}\n"
    if message == error.ctx.get_help():
        return f"{message}\n"
    said = " ".join(message.split()).rstrip(".")
    return f"ossia: {said}; see `{error.ctx.command_path} --help`\n"


def _mendable() -> tuple[type[Exception], ...]:
    """Errors that the user can mend; looked up only when something has gone wrong."""
    from ossia.adapters import AdapterError
    from ossia.worker import WorkerStartError
    from ossia_dataset.auto_slurp import AutoSlurpError
    from ossia_dataset.tasks import TaskError
    from ossia_evaluation.gold import GoldError

    return (UserError, TaskError, AutoSlurpError, GoldError, AdapterError, WorkerStartError)
