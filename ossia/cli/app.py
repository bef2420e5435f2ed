"""The `ossia` command: its sub-commands, its configuration file and its errors."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from ossia.adapters import AdapterError
from ossia.cli import adapter, dataset, report, run, serve, show
from ossia.errors import UserError
from ossia.worker import WorkerStartError
from ossia_dataset.tasks import TaskError
from ossia_evaluation.gold import GoldError

CONFIG_FILE = "ossia.toml"
"""Defaults of options, a table for each command; `OSSIA_CONFIG` names another file."""


def build_app() -> typer.Typer:
    """Return the application with all its commands."""
    app = typer.Typer(
        name="ossia",
        help="Compare multi-agent orchestration frameworks and say which agent failed.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    run.register(app)
    report.register(app)
    show.register(app)
    serve.register(app)
    app.add_typer(adapter.build_app(), name="adapter")
    app.add_typer(dataset.build_app(), name="dataset")
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; bad input ends it with one line and exit code 2."""
    try:
        command = typer.main.get_command(build_app())
        command.main(
            args=None if arguments is None else list(arguments),
            prog_name="ossia",
            default_map=read_defaults(os.environ),
        )
    except (UserError, TaskError, GoldError, AdapterError, WorkerStartError) as error:
        sys.stderr.write(f"ossia: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        # The reader of a pipe has gone; keep the interpreter from complaining at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def read_defaults(environ: Mapping[str, str]) -> dict[str, Any]:
    """Read the configuration file.

    Args:
        environ: the environment variables; `OSSIA_CONFIG` names the file.

    Returns:
        Defaults of options by command; empty without a file.

    Raises:
        UserError: the named file is not there, or it is not TOML with a table for each command.
    """
    named = environ.get("OSSIA_CONFIG")
    path = Path(named or CONFIG_FILE)
    if not path.is_file():
        if named:
            raise UserError(f"OSSIA_CONFIG names {path}, which is not there")
        return {}
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {error}") from None
    for command, values in data.items():
        if not isinstance(values, dict):
            raise UserError(f"{path}: '{command}' is no table; write [compare] above the options")
    return _underscored(data)


def _underscored(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key.replace("-", "_"): _underscored(value) if isinstance(value, dict) else value
        for key, value in values.items()
    }
