"""The commands by name, each loaded when it is called: most need heavy libraries.

Some groups also hold what the suites bring (`Suite.commands`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from ossia.cli.defaults import note_of_file
from ossia.cli.stopped import end_stopped
from ossia.cli.variables import variable_of
from ossia.errors import UserError

if TYPE_CHECKING:
    from ossia.suites import Brought


@dataclass(frozen=True)
class Group:
    """Commands under one name."""

    help: str
    commands: Mapping[str, str]
    """The function of each, as `module:function` of `ossia.cli`."""
    alone: str = ""
    """The function that is called where no command follows; without it the help is printed."""
    open: bool = False
    """Whether suites may add commands."""


COMMANDS: Final[Mapping[str, tuple[str | Group, str]]] = {
    "compare": (
        "run:compare_command",
        "Run the same tasks on several frameworks and compare them.",
    ),
    "run": ("run:run_command", "Run the tasks on one framework."),
    "resume": ("run:resume_command", "Continue a run: missing and invalid episodes."),
    "rescore": ("run:rescore_command", "Score a stored run again, without running it."),
    "runs": (
        Group(
            "Runs: list, name, export, import and delete them.",
            {
                "list": "runs:list_command",
                "name": "runs:name_command",
                "export": "runs:export_command",
                "import": "runs:import_command",
                "delete": "runs:delete_command",
            },
            alone="runs:runs_command",
        ),
        "List, name, export, import and delete runs.",
    ),
    "report": ("report:report_command", "Write a run's report as HTML, CSV and JSON."),
    "show": ("show:show_command", "Print one episode step by step."),
    "tape": ("tape:tape_command", "Write the answers of a run's model, to replay them."),
    "serve": ("serve:serve_command", "Serve a suite's domains over HTTP."),
    "attribute": (
        "attribute:attribute_command",
        "Find which agent caused each failure of a run.",
    ),
    "blame": ("blame:blame_command", "Find which step caused one failure."),
    "replay": ("replay:replay_command", "Run one episode again, with steps changed."),
    "adapter": (
        Group(
            "Adapters: one project and one environment for each framework.",
            {
                "list": "adapter:list_command",
                "new": "adapter:new_command",
                "lock": "adapter:lock_command",
                "install": "adapter:install_command",
                "check": "adapter_check:check_command",
                "weak": "adapter_check:weak_command",
            },
        ),
        "Make, install and check adapters of frameworks.",
    ),
    "dataset": (
        Group(
            "Tasks: list, check, import and build them.",
            {
                "list": "dataset:list_command",
                "show": "dataset:show_command",
                "import": "dataset:import_command",
                "check": "dataset:check_command",
                "audit": "dataset_audit:audit_command",
                "stats": "dataset:stats_command",
                "record": "dataset:record_command",
            },
            open=True,
        ),
        "List, check, import and build tasks.",
    ),
    "workflow": (
        Group(
            "Scenarios: the workflows that a team follows for a user, one TOML file each.",
            {"show": "workflow:show_command", "check": "workflow:check_command"},
        ),
        "Show and check the workflows of scenarios.",
    ),
    "model": (
        Group(
            "Train and evaluate the offline model, and write training examples for others.",
            {"examples": "examples:examples_command"},
            open=True,
        ),
        "Train and evaluate models, and write examples to tune them.",
    ),
    "score": (
        Group(
            "Score recorded runs, or runs of Ossia, as a publication does.",
            {"who-and-when": "who_and_when:score_command"},
            open=True,
        ),
        "Score recorded runs as a publication does.",
    ),
    "export": (
        Group(
            "Write runs in formats of other tools.",
            {"who-and-when": "export:who_and_when_command"},
            open=True,
        ),
        "Write runs in the formats of other tools.",
    ),
}
"""Each command's function, or a group of them, and its line on the help page, in its order."""


class LazyCommands(Mapping[str, Any]):
    """Commands by name; looking one up loads its module."""

    def __init__(
        self, own: Mapping[str, str | Group], group: str = "", *, opened: bool = False
    ) -> None:
        """Load nothing yet.

        Args:
            own: Ossia's own commands, which no suite can take over.
            group: the group of these commands; empty for the program itself.
            opened: whether suites may add to it.
        """
        self._own = own
        self._path = (group,) if group else ()
        self._opened = group if opened else ""
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return a command; the suites are loaded where it is none of Ossia's own.

        Raises:
            KeyError: there is none of this name.
        """
        if name not in self._loaded:
            own = self._own.get(name)
            if own is None:
                self._loaded[name] = _of_suite((*self._path, name), self._brought()[name])
            elif isinstance(own, Group):
                self._loaded[name] = _group(name, own)
            else:
                function = resolve_name(f"ossia.cli.{own}")
                self._loaded[name] = _command((*self._path, name), function)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names in the order of the help page: Ossia's own, then those of suites."""
        yield from {**self._own, **self._brought()}

    def __len__(self) -> int:
        """Return how many commands there are."""
        return len({**self._own, **self._brought()})

    def problems(self) -> Iterator[str]:
        """Yield why commands of suites cannot be had, a sentence each."""
        yield from _suite_commands()[1] if self._opened else ()
        for name in self._brought():
            if name in self._own:
                command = f"{self._opened} {name}"
                yield f"no suite can provide the command '{command}': it is built into Ossia"

    def _brought(self) -> dict[str, Brought[str]]:
        """What suites bring for this group, by the command's name."""
        if not self._opened:
            return {}
        prefix = f"{self._opened} "
        return {
            path.removeprefix(prefix): found
            for path, found in _suite_commands()[0].items()
            if path.startswith(prefix)
        }


def _suite_commands() -> tuple[Mapping[str, Brought[str]], tuple[str, ...]]:
    # Loaded when asked for: `ossia --help` needs no suite.
    from ossia.suites import suite_commands

    return suite_commands()


def _group(name: str, group: Group) -> Any:
    app = typer.Typer(
        name=name,
        help=group.help,
        cls=CommandGroup,
        no_args_is_help=not group.alone,
        rich_markup_mode=None,
    )
    if group.alone:
        app.callback(invoke_without_command=True)(resolve_name(f"ossia.cli.{group.alone}"))
    made = _with_variables((name,), typer.main.get_group(app))
    commands: Any = LazyCommands(group.commands, name, opened=group.open)
    made.commands = commands
    return made


def _command(path: Sequence[str], function: Any) -> Any:
    """A command by its name, which its group's stands before."""
    holder = typer.Typer(rich_markup_mode=None)
    holder.command(path[-1], cls=Command)(function)
    # A callback keeps one command a command; without it, it would be the whole program.
    holder.callback()(lambda: None)
    made = typer.main.get_group(holder).commands[path[-1]]
    # What others bring may mean something else by a name: their `--home` is no OSSIA_HOME.
    own = getattr(function, "__module__", "").startswith("ossia.")
    return _with_variables(path, made) if own else made


def _with_variables(path: Sequence[str], command: Any) -> Any:
    """Let a variable set each option that names none."""
    for each in command.params:
        if each.param_type_name == "option" and each.envvar is None:
            each.envvar = variable_of(path, max(each.opts, key=len))
    return command


def _of_suite(path: Sequence[str], found: Brought[str]) -> Any:
    """The command that a suite brings, or one that says why it cannot be had."""
    try:
        return found.load(found.made, f"the command '{' '.join(path)}'", partial(_command, path))
    except UserError as error:
        problem = error

    def broken() -> None:
        raise problem

    made = _command(path, broken)
    made.short_help = made.help = str(problem)
    made.allow_extra_args = made.ignore_unknown_options = True
    return made


class Command(TyperCommand):
    """A command whose errors tell where the configuration file is to blame."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; its errors pass with a note."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            note = note_of_file(ctx, str(error), os.environ)
            if note:
                error.add_note(note)
            raise


class CommandGroup(TyperGroup):
    """A group whose help page tells of suites that cannot bring their commands."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with a line for each, and what is wrong with suites."""
        super().format_commands(ctx, formatter)
        commands: Any = self.commands
        for problem in commands.problems():
            formatter.write_paragraph()
            formatter.write_text(problem)


class LazyGroup(TyperGroup):
    """The application; its help page and the completion of its commands load none of them."""

    def __init__(self, **given: Any) -> None:
        """Make the group with all commands, none of them loaded."""
        super().__init__(**given)
        commands: Any = LazyCommands({name: target for name, (target, _) in COMMANDS.items()})
        self.commands = commands

    def invoke(self, ctx: Any) -> Any:
        """Run a command; typer would end it by Ctrl-C without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            end_stopped()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with a line for each."""
        with self._light():
            super().format_commands(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the commands and options that begin with what is typed."""
        with self._light():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _light(self) -> Iterator[None]:
        """Commands of a name and a line alone stand in for the real ones."""
        kept = self.commands
        self.commands = {
            name: TyperCommand(name, short_help=line) for name, (_, line) in COMMANDS.items()
        }
        try:
            yield
        finally:
            self.commands = kept
