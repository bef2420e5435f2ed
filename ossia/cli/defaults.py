"""Defaults of options from the configuration file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from ossia.errors import UserError

CONFIG_FILE = "ossia.toml"
"""Defaults of options, a table for each command; `OSSIA_CONFIG` names another file."""


def read_defaults(
    environ: Mapping[str, str], commands: Mapping[str, Any], called: str
) -> dict[str, Any]:
    """Read the configuration file.

    Args:
        environ: the environment variables; `OSSIA_CONFIG` names the file.
        commands: all commands by name.
        called: the command that is called; only its options are looked up and checked.

    Returns:
        Defaults of options by command; empty without a file.

    Raises:
        UserError: the named file is not there, it is not TOML with a table for each command, or it
            names a command or an option that does not exist.
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
        if command not in commands:
            raise UserError(f"{path}: there is no command '{command}'")
    if called not in data:
        return {}
    return _of_commands(commands, {called: data[called]}, path)


def _of_commands(
    commands: Mapping[str, Any], data: Mapping[str, Any], path: Path
) -> dict[str, Any]:
    """Return the defaults of commands."""
    found: dict[str, Any] = {}
    for name, values in data.items():
        command = commands[name]
        if isinstance(command, TyperGroup):
            for inner, options in values.items():
                if inner not in command.commands or not isinstance(options, dict):
                    raise UserError(f"{path}: '{name}' has no command '{inner}'")
            found[name] = _of_commands(command.commands, values, path)
        else:
            found[name] = _of_command(name, values, _options(command), path)
    return found


def _options(command: Any) -> dict[str, tuple[str, bool]]:
    """Return a command's parameters and whether each takes several values, by the option's name."""
    return {
        max(item.opts, key=len).lstrip("-"): (item.name, getattr(item, "multiple", False))
        for item in command.params
        if item.name
    }


def _of_command(
    name: str, values: Mapping[str, Any], options: Mapping[str, tuple[str, bool]], path: Path
) -> dict[str, Any]:
    """Return a command's defaults by parameter; one value will do where several are possible."""
    found: dict[str, Any] = {}
    for option, value in values.items():
        if (known := options.get(option.replace("_", "-"))) is None:
            names = ", ".join(sorted(options))
            raise UserError(f"{path}: '{name}' has no option '{option}'; it has: {names}")
        parameter, several = known
        found[parameter] = [value] if several and isinstance(value, str) else value
    return found
