"""The options of all commands: shared groups, help lines and environment variables."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from ossia.cli import main
from ossia.cli.app import build_app
from ossia.cli.commands import _command as made
from ossia.cli.groups import grouped
from ossia.cli.variables import KNOWN


def commands(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands(typer.main.get_group(build_app())))


def options_of(name):
    return {
        each.name: each
        for each in COMMANDS[name].params
        if each.param_type_name == "option" and each.name != "help"
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_line_and_a_variable(name):
    assert COMMANDS[name].help
    for option in options_of(name).values():
        assert option.help, option.name
        assert option.envvar.startswith("OSSIA_"), option.name


def test_the_variables_of_all_options_are_known():
    read = {option.envvar for name in COMMANDS for option in options_of(name).values()}
    assert read | {"OSSIA_CONFIG", "OSSIA_HOME", "OSSIA_LOG"} == KNOWN


def test_a_variable_sets_an_option_by_its_name_unless_it_is_anothers():
    def show(home: Annotated[str, typer.Option(help="Not of Ossia.")] = "") -> None:
        """Show."""

    assert options_of("compare")["max_calls"].envvar == "OSSIA_MAX_CALLS"
    assert options_of("attribute")["max_calls"].envvar == "OSSIA_VERIFY_MAX_CALLS"
    assert options_of("tape")["out"].envvar == "OSSIA_TAPE_OUT", "the command's own"
    assert options_of("adapter new")["out"].envvar == "OSSIA_ADAPTER_OUT", "the group's own"
    assert options_of("adapter check")["json"].envvar == "OSSIA_JSON"
    assert made(("show",), show).params[0].envvar is None
    show.__module__ = "ossia.cli.show"
    assert made(("show",), show).params[0].envvar == "OSSIA_HOME"


def test_a_misspelt_variable_is_told_with_the_nearest(monkeypatch, capsys):
    for name in ("OSSIA_MODL", "OSSIA_HOME", "OSSIA_TOKEN", "OSSIA_EXPLORE"):
        monkeypatch.setenv(name, "x")
    with pytest.raises(SystemExit):
        main(["--version"])
    told = capsys.readouterr().err
    assert told == "ossia: unknown environment variable OSSIA_MODL; did you mean OSSIA_MODEL?\n"


@pytest.mark.parametrize("name", ["OSSIA_MAX_COSTS", "OSSIA_RPMS", "OSSIA_PRICEAS"])
def test_a_misspelt_limit_of_money_or_pace_is_refused(monkeypatch, capsys, name):
    monkeypatch.setenv(name, "1")
    with pytest.raises(SystemExit) as ended:
        main(["run", "control"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(f"ossia: unknown environment variable {name}; did you mean OSSIA_")
    assert told.endswith("? Correct or unset it: without this limit, a run may cost more\n")


def test_each_command_has_a_whole_line_of_80_columns_on_its_groups_page():
    for group in typer.main.get_group(build_app()).commands.values():
        inner = getattr(group, "commands", {})
        room = 80 - 2 - 6 - max(map(len, inner), default=0)
        lines = {name: each.get_short_help_str(room) for name, each in inner.items()}
        assert [name for name, line in lines.items() if line.endswith("...")] == []


def test_compare_and_run_share_their_options():
    def told(option):
        return option.opts, option.envvar, option.help, option.default, option.multiple

    compare, run = options_of("compare"), options_of("run")
    assert set(compare) - set(run) == {"framework", "beside"}
    assert set(run) <= set(compare)
    for name, option in run.items():
        assert told(option) == told(compare[name])
    assert next(iter(compare)) == "framework", "the first on the help page"
    assert list(compare)[1:-2] == list(run)[:-1]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("attribute", {"--framework", "-f", "--jobs", "--json", "--csv", "--by", "--verify"}),
        ("attribute", {"--max-calls", "--api-key-env", "--all"}),
    ],
)
def test_grouped_options_are_options_of_the_command(command, options):
    known = {name for option in options_of(command).values() for name in option.opts}
    assert options <= known


@dataclass(frozen=True)
class Size:
    """A group."""

    width: Annotated[int, typer.Option(min=1, help="How wide.")]
    height: Annotated[int, typer.Option(help="How high.")] = 2


def invoke(command, *arguments):
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, arguments)


def test_a_group_is_made_of_its_options():
    @grouped
    def draw(name: Annotated[str, typer.Argument()], *, size: Size, bold: bool = False) -> None:
        """Draw."""
        typer.echo(f"{name} {size} {bold}")

    done = invoke(draw, "box", "--width", "3", "--bold")
    assert done.stdout == f"box {Size(3, 2)} True\n"
    assert invoke(draw, "box").exit_code == 2, "a field without a default is needed"
    assert invoke(draw, "box", "--width", "0").exit_code == 2


def test_two_parameters_of_one_name_are_refused():
    def draw(height: int, size: Size) -> None:
        """Draw."""

    with pytest.raises(ValueError, match="height"):
        grouped(draw)
