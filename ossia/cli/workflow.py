"""`ossia workflow`: scenarios as knowledge for a team, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ossia.cli.told import say
from ossia.errors import UserError
from ossia.outputs import require_file
from ossia_workflows.graph import GraphError, write_svg
from ossia_workflows.scenario import (
    FORMS,
    finding_lines,
    load_scenario,
    read_scenario,
    scenario_source,
    scenario_text,
)

Scenario = Annotated[
    str,
    typer.Argument(
        help="A TOML file, or the name of a scenario that ships with Ossia, such as"
        " restaurant-booking."
    ),
]


def show_command(
    scenario: Scenario,
    form: Annotated[
        Literal["text", "code", "mermaid", "ensemble", "svg"],
        typer.Option("--format", help="How it is written."),
    ] = "text",
    out: Annotated[
        Path | None, typer.Option(help="Write it to this file instead of printing it.")
    ] = None,
) -> None:
    """Print a scenario's workflow as text for a team, or as a picture.

    An ensemble is text, code and mermaid together; svg is a picture, which needs ossia[svg].
    """
    if out is not None:
        require_file(out)
    graph = load_scenario(scenario).graph
    try:
        said = write_svg(graph) if form == "svg" else FORMS[form].write(graph)
    except GraphError as error:
        raise UserError(str(error)) from None
    if out is None:
        say(said)
    else:
        out.write_text(said + "\n", "utf-8")


def check_command(scenario: Scenario) -> None:
    """List what is wrong with a scenario, one problem per line.

    The exit code is 1 if anything is wrong, and 2 if the file is not a scenario.
    """
    text, source = scenario_text(scenario), scenario_source(scenario)
    read = read_scenario(text, source)
    found = [*finding_lines(read, text, source)]
    for finding in found:
        say(finding)
    if found:
        raise typer.Exit(1)
    say(f"{source}: {len(read.steps)} steps, {len(read.tools)} tools, no findings")
