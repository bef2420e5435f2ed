"""`ossia adapter list | new | lock | install`; `check` and `weak` are beside it."""

from __future__ import annotations

import os
from collections.abc import Sequence
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
    installed_adapters,
    make_project,
    sdk_project,
    stale_environments,
    survey_adapters,
)
from ossia.called import program
from ossia.cli import options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia_dataset.files import write_whole

_MARKS = {"begin": "<!-- variants:begin -->", "end": "<!-- variants:end -->"}


def list_command(
    write: Annotated[
        Path | None,
        typer.Option(
            envvar="OSSIA_ADAPTER_WRITE",
            help="A Markdown file; a table of the variants replaces what stands between its marks"
            " variants:begin and variants:end.",
        ),
    ] = None,
) -> None:
    """List adapters, their variants, and outdated environments.

    The first variant of an adapter is its default one.
    """
    home = options.home()
    if write is not None:
        table = variants_table(find_adapters(home))
        write_whole(write, options.with_part(write, table, **_MARKS))
        return
    survey = survey_adapters(home)
    projects = {info.project for info in survey.adapters}
    kept = installed_adapters(home, sdk_project())
    folders = [info for info in kept if info.project not in projects]
    infos = (*survey.adapters, *folders)
    rows: list[tuple[str, ...]] = [
        (
            *(info.name, info.distribution, info.version or "-", _state(info)),
            *(info.status.text if info.status else "-", str(info.project)),
        )
        for info in infos
    ]
    rows += [(each.name, "-", "-", "broken", "-", each.reason) for each in survey.broken]
    _columns(rows)
    variants = [
        (f"{info.name}:{each.name}", info.with_variant(each.name).label, each.idiom, each.page)
        for info in infos
        for each in info.variants
    ]
    if variants:
        say("variants, the default one of each first:")
        _columns(variants, indent="  ")
    for stale in stale_environments(home, sdk_project()):
        gone = stale.project is None or not stale.project.is_dir()
        remedy = "may be deleted" if gone else f"removed by `ossia adapter install {stale.project}`"
        say(f"stale: {stale.folder} ({remedy})")


def variants_table(infos: Sequence[AdapterInfo]) -> str:
    """Return the variants of adapters as a Markdown table, the default one of each first."""
    lines = ["| variant | idiom | called | what it is |", "|---|---|---|---|"]
    for info in infos:
        for each in info.variants:
            label = info.with_variant(each.name).label
            about = f"{each.about} ([documentation]({each.page}))"
            cells = (f"`{info.name}:{each.name}`", each.idiom, label, about.replace("|", "\\|"))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _columns(rows: Sequence[tuple[str, ...]], indent: str = "") -> None:
    """Print rows, all columns but the last of one width each."""
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    for *cells, last in rows:
        fixed = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        say(indent + "  ".join([*fixed, last]))


def new_command(
    name: Annotated[str, typer.Argument(help="The adapter's name, such as openai-agents.")],
    distribution: Annotated[
        str | None,
        typer.Option(
            envvar="OSSIA_ADAPTER_DISTRIBUTION",
            help="The framework and its version, such as openai-agents==0.24.0.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            envvar="OSSIA_ADAPTER_OUT", help="The project's folder; ./NAME when left out."
        ),
    ] = None,
) -> None:
    """Make the project of a new adapter.

    It works at once, without a framework yet.
    """
    new = NewAdapter(name, distribution)
    for info in survey_adapters(options.home()).adapters:
        if info.name == name:
            raise UserError(f"there is an adapter {name} already: {info.project}")
    folder = out if out is not None else Path(name)
    problem = make_project(new, folder)
    # A path needs a separator in it, or it would be taken for a name.
    shown = str(folder) if os.sep in str(folder) else f".{os.sep}{folder}"
    say(f"made {shown}; it plays the team in a plain loop until you put the framework in")
    if problem is not None:
        say(problem, err=True)
    steps = [f"adapter lock {shown}"] if problem is not None else []
    steps += [
        f"adapter install --editable control {shown}",
        f"adapter check {shown}",
        f"compare -f control -f {shown}",
    ]
    say("\n".join(["next:", *(f"  {program()} {step}" for step in steps)]))


def lock_command(
    project: Annotated[Path, typer.Argument(help="The folder of an adapter's project.")],
    upgrade: Annotated[
        bool,
        typer.Option(
            "--upgrade",
            envvar="OSSIA_ADAPTER_UPGRADE",
            help="Take the newest versions that fit, not those locked so far.",
        ),
    ] = False,
) -> None:
    """Write an adapter's requirements.lock from its pyproject.toml.

    Known advisories of the locked versions are told where pip-audit is on the PATH.
    """
    if not (project / "pyproject.toml").is_file():
        what = "holds no pyproject.toml" if project.is_dir() else "is no folder"
        raise UserError(f"{project} {what}")
    compile_lock(project, upgrade=upgrade)
    say(f"wrote {project / 'requirements.lock'}", err=True)
    say(advisories(project), err=True)


def install_command(
    names: Annotated[
        list[str] | None, typer.Argument(help="Adapters by name or by their project's folder.")
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", envvar="OSSIA_ADAPTER_ALL", help="All that come with Ossia."),
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(envvar="OSSIA_ADAPTER_JOBS", min=1, help="Environments made at once."),
    ] = 4,
    editable: Annotated[
        bool,
        typer.Option(
            "--editable",
            envvar="OSSIA_ADAPTER_EDITABLE",
            help="Use the sources where they are: an edit needs no new environment.",
        ),
    ] = False,
) -> None:
    """Make the environments of adapters from their locked requirements.

    Environments of the same adapters that are out of date are removed, unless they are in use.
    """
    if every and names:
        raise UserError(f"--all installs every adapter: leave it out, or leave out {names[0]}")
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


def _state(info: AdapterInfo) -> str:
    return f"{info.state}, editable" if info.editable else info.state
