"""`ossia adapter list | install | check`."""

from __future__ import annotations

from typing import Annotated

import typer

from ossia.adapters import find_adapter, find_adapters, install_all
from ossia.cli import options, render
from ossia.errors import UserError


def build_app() -> typer.Typer:
    """Return the sub-application."""
    app = typer.Typer(
        help="Adapters: one project and one environment for each framework.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    app.command("list")(list_command)
    app.command("install")(install_command)
    app.command("check")(check_command)
    return app


def list_command() -> None:
    """List the adapters and whether their environments are installed."""
    console = render.console()
    for info in find_adapters(options.home()):
        state = "installed" if info.installed else "not installed"
        console.print(f"{info.name:12} {info.distribution:20} {state:14} {info.project}")


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
) -> None:
    """Make the environments of adapters from their locked, hashed requirements."""
    if every == bool(names):
        raise UserError("name the adapters to install, or give --all")
    home = options.home()
    infos = find_adapters(home) if every else [find_adapter(name, home) for name in names or ()]
    console = render.console(stderr=True)
    todo = [info for info in infos if not info.installed]
    if todo:
        console.print(f"installing {', '.join(info.name for info in todo)} ...")
    problems = install_all(infos, jobs=jobs)
    for name, problem in problems.items():
        console.print(f"{name}: {'ready' if problem is None else problem}")
    failed = [name for name, problem in problems.items() if problem is not None]
    if failed:
        raise UserError(f"not installed: {', '.join(failed)}")


def check_command(
    name: Annotated[str, typer.Argument(help="An adapter by name or by its project's folder.")],
    json: options.Json = False,
) -> None:
    """Run the conformance suite on an adapter, with its real framework."""
    from ossia.conformance import check_adapter

    info = find_adapter(name, options.home())
    if not info.installed:
        raise UserError(f"not installed: {info.name}; run `ossia adapter install {name}` first")
    report = check_adapter(info)
    if json:
        typer.echo(report.model_dump_json(indent=2))
    else:
        console = render.console()
        for result in report.results:
            mark = "ok    " if result.passed else "FAILED"
            console.print(f"{mark} {result.name}: {result.detail}")
    if not report.passed:
        raise typer.Exit(1)
