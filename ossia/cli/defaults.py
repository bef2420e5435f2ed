"""Defaults of options from the configuration file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
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
        Defaults of options by command, as texts; empty without a file.

    Raises:
        UserError: the named file is not there, it is not TOML with a table for each command, or it
            names a command or an option that does not exist, or gives an option a table.
    """
    path = _file(environ)
    if not path.is_file():
        if environ.get("OSSIA_CONFIG"):
            wrong = "is not a file" if path.exists() else "does not exist"
            raise UserError(f"OSSIA_CONFIG names {path}, which {wrong}")
        return {}
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except UnicodeDecodeError:
        raise UserError(f"{path}: the file is not in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: the file is not valid TOML: {error}") from None
    for command, values in data.items():
        if not isinstance(values, dict):
            raise UserError(
                f"{path}: '{command}' is not a table; write [compare] above the options"
            )
        if command not in commands:
            raise UserError(f"{path}: there is no command '{command}'")
    if called not in data:
        return {}
    return _of_commands(commands, {called: data[called]}, path)


def note_of_file(context: Any, said: str, environ: Mapping[str, str]) -> str:
    """Say which keys of the configuration file an error is about; empty where it is about none.

    Args:
        context: the command's context.
        said: the error, which names an option or quotes a value.
        environ: the environment variables.
    """
    keys = [
        max(parameter.opts, key=len).lstrip("-")
        for parameter in context.command.params
        if getattr(context.get_parameter_source(parameter.name), "name", "") == "DEFAULT_MAP"
        and any(re.search(mark, said) for mark in _marks(context, parameter))
    ]
    table = ".".join(context.command_path.split(" ")[1:])
    return f"{_file(environ)} sets {', '.join(keys)} in [{table}]" if keys else ""


def _marks(context: Any, parameter: Any) -> Iterator[str]:
    """What tells in an error that it is about an option: its name, or a quoted value."""
    given = context.default_map[parameter.name]
    yield from (rf"{re.escape(name)}(?![\w-])" for name in parameter.opts)
    yield from (f"'{re.escape(value)}'" for value in ([given] if isinstance(given, str) else given))


def _file(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("OSSIA_CONFIG") or CONFIG_FILE)


def _of_commands(
    commands: Mapping[str, Any], data: Mapping[str, Any], path: Path
) -> dict[str, Any]:
    """Return the defaults of commands."""
    found: dict[str, Any] = {}
    for name, values in data.items():
        command = commands[name]
        if isinstance(command, TyperGroup):
            for inner, options in values.items():
                if inner not in command.commands:
                    raise UserError(f"{path}: '{name}' has no command '{inner}'")
                if not isinstance(options, dict):
                    raise UserError(f"{path}: '{inner}' in [{name}] is not a table of options")
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
    """Return a command's defaults by parameter, as the environment would give them.

    One value will do where several are possible.
    """
    found: dict[str, Any] = {}
    for option, value in values.items():
        if (known := options.get(option.replace("_", "-"))) is None:
            near = get_close_matches(option.replace("_", "-"), options, n=1)
            hint = f"did you mean '{near[0]}'?" if near else "see its --help"
            raise UserError(f"{path}: '{name}' has no option '{option}'; {hint}")
        parameter, several = known
        given = value if several and isinstance(value, list) else [value]
        if any(isinstance(each, dict | list) for each in given):
            what = "single values" if several else "a single value"
            raise UserError(f"{path}: '{option}' of '{name}' takes {what}, not {value!r}")
        texts = [str(each).lower() if isinstance(each, bool) else str(each) for each in given]
        found[parameter] = texts if several else texts[0]
    return found
