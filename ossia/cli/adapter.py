"""`ossia adapter list | new | lock | install`; `check` and `weak` are beside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ossia.adapters import (
    AdapterError,
    AdapterInfo,
    NewAdapter,
    advisories,
    compile_lock,
    find_adapter,
    find_adapters,
    install_all,
    make_project,
    require_new_name,
)
from ossia.adapters.shown import adapter_lines, variants_table
from ossia.called import program
from ossia.cli import options
from ossia.cli.folded import folded
from ossia.cli.told import line_width, say
from ossia.errors import UserError
from ossia.outputs import write_part

_MARKS = ("<!-- variants:begin -->", "<!-- variants:end -->")


def list_command(
    write: Annotated[
        Path | None,
        typer.Option(
            help="A Markdown file; a table of the variants replaces the text between its markers"
            " variants:begin and variants:end."
        ),
    ] = None,
) -> None:
    """List adapters, their variants, and outdated environments.

    The first variant of an adapter is its default one.
    """
    home = options.home()
    if write is not None:
        write_part(write, variants_table(find_adapters(home)), *_MARKS)
        return
    width = line_width()
    for line in adapter_lines(home, width):
        say(line if width is None else folded(line, width, "  "))


def new_command(
    name: Annotated[str, typer.Argument(help="The adapter's name, such as openai-agents.")],
    distribution: Annotated[
        str | None,
        typer.Option(help="The framework and its version, such as openai-agents==0.24.0."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The project's folder; ./NAME when left out.")
    ] = None,
) -> None:
    """Create the project of a new adapter.

    It works at once, still without a framework.
    """
    new = NewAdapter(name, distribution)
    require_new_name(name, options.home())
    folder = out if out is not None else Path(name)
    problem = make_project(new, folder)
    # A path needs a separator in it, or it would be taken for a name.
    shown = str(folder) if os.sep in str(folder) else f".{os.sep}{folder}"
    say(f"created {shown}: a plain loop, to be replaced by the framework")
    if problem is not None:
        say(problem, err=True)
    steps = [f"adapter lock {shown}"] if problem is not None else []
    if not find_adapter("control", options.home()).installed:
        steps.append("adapter install control")
    steps += [
        f"adapter install --editable {shown}",
        f"adapter check {shown}",
        f"compare -f control,{shown} --limit 20",
    ]
    say("\n".join(["next:", *(f"  {program()} {step}" for step in steps)]))


def lock_command(
    project: Annotated[Path, typer.Argument(help="The folder of an adapter's project.")],
    upgrade: Annotated[
        bool,
        typer.Option(
            "--upgrade", help="Use the newest versions that fit instead of those already locked."
        ),
    ] = False,
) -> None:
    """Write an adapter's requirements.lock from its pyproject.toml.

    Known advisories for the locked versions are listed if pip-audit is on the PATH.
    """
    compile_lock(project, upgrade=upgrade)
    say(f"wrote {project / 'requirements.lock'}", err=True)
    say(advisories(project), err=True)


def install_command(
    names: Annotated[
        list[str] | None, typer.Argument(help="Adapters by name or by their project's folder.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Install all adapters that come with Ossia.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Environments to create in parallel.")] = 4,
    editable: Annotated[
        bool,
        typer.Option(
            "--editable", help="Use the sources in place: changes to them need no new environment."
        ),
    ] = False,
) -> None:
    """Create adapter environments from their locked requirements.

    Environments of the same adapters that are out of date are removed, unless they are in use.
    """
    if every and names:
        raise UserError(f"--all installs every adapter: leave out either --all or {names[0]}")
    if not every and not names:
        raise UserError("name the adapters to install, or give --all")
    home = options.home()
    named = find_adapters(home) if every else [find_adapter(name, home) for name in names or ()]
    # The variants of an adapter share its environment.
    infos = list({info.project: info for info in named}.values())
    todo = [info for info in infos if not info.installed or info.editable is not editable]
    if todo:
        say(f"installing {', '.join(info.name for info in todo)} ...", err=True)

    def tell(info: AdapterInfo, problem: AdapterError | None) -> None:
        say(f"{info.name}: {'ready' if problem is None else problem}", err=True)

    problems = install_all(infos, jobs=jobs, editable=editable, observe=tell)
    failed = [name for name, problem in problems.items() if problem is not None]
    if failed:
        raise UserError(f"not installed: {', '.join(failed)}")
