"""The commands by name, each loaded when it is called: most need heavy libraries."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS: Final = {
    "compare": ("run", "Run the same tasks on several frameworks and compare them."),
    "run": ("run", "Run the tasks on one framework."),
    "resume": ("run", "Continue a run: missing and invalid episodes."),
    "rescore": ("run", "Score a stored run again, without running it."),
    "runs": ("runs", "List, name, export and delete runs."),
    "report": ("report", "Write a run's report as HTML, CSV and JSON."),
    "show": ("show", "Print one episode step by step."),
    "tape": ("tape", "Write the answers of a run's model, to replay them."),
    "serve": ("serve", "Serve a suite's domains over HTTP."),
    "attribute": ("attribute", "Find which agent caused each failure of a run."),
    "blame": ("blame", "Find which step caused one failure."),
    "replay": ("replay", "Run one episode again, with steps changed."),
    "adapter": ("adapter", "Make, install and check adapters of frameworks."),
    "dataset": ("dataset", "List, check, import and build tasks."),
    "model": ("model", "Train, tune, evaluate and serve models."),
    "score": ("score", "Score recorded runs as a publication does."),
    "export": ("export", "Write runs in the formats of other tools."),
}
"""Each command's module of `ossia.cli` and its line on the help page, in the page's order."""


class LazyCommands(MutableMapping[str, Any]):
    """All commands; looking one up loads its module."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return a command.

        Raises:
            KeyError: there is none of this name.
        """
        if name not in self._loaded:
            module, _ = COMMANDS[name]
            holder = typer.Typer(rich_markup_mode=None)
            import_module(f"ossia.cli.{module}").register(holder)
            # A callback keeps one command a command; without it, it would be the whole program.
            holder.callback()(lambda: None)
            self._loaded |= typer.main.get_group(holder).commands
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        """Put a command in the place of a loaded one."""
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        """Refuse: the commands are fixed."""
        raise TypeError("the commands are fixed")

    def __iter__(self) -> Iterator[str]:
        """Yield the names in the order of the help page."""
        return iter(COMMANDS)

    def __len__(self) -> int:
        """Return how many commands there are."""
        return len(COMMANDS)


class LazyGroup(TyperGroup):
    """The application; its help page and the completion of its commands load none of them."""

    def __init__(self, **given: Any) -> None:
        """Make the group with all commands, none of them loaded."""
        super().__init__(**given)
        self.commands = LazyCommands()

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
