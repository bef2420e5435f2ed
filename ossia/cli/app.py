"""The `ossia` command: its sub-commands, its configuration file and its errors."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fcntl import F_GETFL, fcntl
from shutil import get_terminal_size
from typing import Annotated, Any, Final

import typer

from ossia.called import as_called
from ossia.cli.commands import LazyGroup
from ossia.cli.defaults import note_of_file, read_defaults
from ossia.cli.folded import folded
from ossia.cli.log import log_from, log_visibly
from ossia.cli.stopped import end_stopped
from ossia.cli.variables import LIMITS, misspelt
from ossia.collector import collect_seldom
from ossia.errors import UserError

_HELP: Final = "Compare multi-agent orchestration frameworks and say which agent failed."

_UsageError: Final[Any] = typer.BadParameter.__bases__[0]
"""What every misspelt command line is raised as; typer gives the class no public name."""


def build_app() -> typer.Typer:
    """Return the application; each command's module is loaded when the command is called."""
    app = typer.Typer(
        name="ossia",
        cls=LazyGroup,
        help=_HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(help=_HELP)
    def group(
        version: Annotated[
            bool,
            typer.Option(
                "--version", callback=_version, is_eager=True, help="Print the version and exit."
            ),
        ] = False,
    ) -> None: ...

    return app


def _version(wanted: bool) -> None:
    if wanted:
        from ossia.version import code_version

        typer.echo(f"ossia {code_version()}")
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; bad input ends it with one line and exit code 2."""
    collect_seldom()
    # Matrices are small here, and threads that wait for one another on a busy machine spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = sys.argv[1:] if arguments is None else list(arguments)
    with clear_errors():
        group: Any = typer.main.get_command(build_app())
        called = given[0] if given else ""
        # Not while a line is completed: it would stand in the middle of what is typed.
        for name, meant in misspelt(() if "_OSSIA_COMPLETE" in os.environ else os.environ):
            told = f"unknown environment variable {name}; did you mean {meant}?"
            if meant in LIMITS:
                raise UserError(
                    f"{told} Correct or unset it: without this limit, a run may cost more"
                )
            _complain(f"ossia: {told}\n")
        log_visibly()
        if level := os.environ.get("OSSIA_LOG"):
            log_from(level)
        defaults = read_defaults(os.environ, group.commands, called)
        code = group.main(
            args=given, prog_name="ossia", default_map=defaults, standalone_mode=False
        )
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)


def _is_of_output(error: OSError) -> bool:
    """Whether the disk is full, or standard output was opened for reading alone."""
    if error.errno != errno.EBADF:
        return error.errno == errno.ENOSPC
    return fcntl(sys.stdout.fileno(), F_GETFL) & os.O_ACCMODE == os.O_RDONLY


@contextmanager
def clear_errors() -> Iterator[None]:
    """End the process with one line and exit code 2 where a command fails by what a user can mend.

    Any other exception passes.
    """
    try:
        yield
    except (SystemExit, KeyboardInterrupt):
        # Else the last clause would import what it looks for, at the end of every command.
        raise
    except typer.Abort as error:
        if isinstance(error.__cause__, EOFError):
            # Of a broken file, such as a compiled module that was cut off; typer takes it for the
            # end of the input where a question was asked.
            raise error.__cause__ from None
        end_stopped()  # That end, or Ctrl-C.
    except _UsageError as error:
        _complain(_usage(error))
        sys.exit(UserError.code)
    except BrokenPipeError:
        # The reader of a pipe has gone; keep the interpreter from complaining at its end.
        _drop_output()
        sys.exit(1)
    except OSError as error:
        if error.filename is None and not _is_of_output(error):
            raise
        # A folder that cannot be written, a file in the place of a folder, a full disk.
        _complain(f"ossia: {error.filename or 'the output'}: {error.strerror}\n")
        if error.filename is None:
            _drop_output()
        sys.exit(2)
    except _mendable() as error:
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        _complain(f"ossia: {_as_clause(str(error))}{notes}\n")
        sys.exit(error.code if isinstance(error, UserError) else UserError.code)


def _drop_output() -> None:
    """Keep the interpreter from writing at its end what could not be written before."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> None:
    """Write what went wrong: it may quote a model, a server or a file."""
    from ossia_evaluation.visible import visible

    shown = visible(as_called(text))
    if sys.stderr.isatty():
        shown = folded(shown, get_terminal_size().columns)
    sys.stderr.write(shown)


_CAPITALS: Final = ("A ", "An ", "Got ", "Invalid ", "Missing ", "No ", "The ", "There ")
"""How sentences of libraries begin; names of files and frameworks keep their capitals."""


_PLAIN: Final = (
    ("Input should be a valid integer, unable to parse string as an integer", "not a whole number"),
    ("Input should be a valid number, unable to parse string as a number", "not a number"),
    ("Input should be a valid boolean, unable to interpret input", "neither true nor false"),
    ("Input should be greater than or equal to", "must be at least"),
    ("Input should be less than or equal to", "must be at most"),
    ("Input should be", "must be"),
    ("Value error, ", ""),
)
"""What a library says of a wrong value, and what is said instead."""


def _as_clause(message: str) -> str:
    """An error's message as all others are worded: in lower case after the program's name."""
    if message.startswith(_CAPITALS):
        message = message[0].lower() + message[1:]
    return message if ". " in message else message.removesuffix(".")


def _usage(error: Any) -> str:
    """What is told of a misspelt command line: one line, or the help of a group called alone."""
    message = error.format_message()
    if error.ctx is None:
        return f"ossia: {message}\n"
    if message == error.ctx.get_help():
        return f"{message}\n"
    said = _as_clause(" ".join(message.split()).rstrip("."))
    for theirs, plain in _PLAIN:
        said = said.replace(theirs, plain)
    note = note_of_file(error.ctx, said, os.environ)
    said += f" ({note})" if note else ""
    return f"ossia: {said}; see `{error.ctx.command_path} --help`\n"


def _mendable() -> tuple[type[Exception], ...]:
    """Errors that the user can mend; looked up only when something has gone wrong."""
    from ossia.worker import WorkerStartError
    from ossia_dataset.tasks import TaskError
    from ossia_workflows.scenario import ScenarioError

    return (UserError, TaskError, ScenarioError, WorkerStartError)
