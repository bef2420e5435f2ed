"""The command itself."""

import os
import re
import subprocess
import sys

import pytest
import typer

from ossia.cli import app, main
from ossia.cli.commands import COMMANDS


def test_the_version_names_the_code(ossia):
    done = ossia("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"ossia \d+\.\d+\.\d+\+[0-9a-f]{10}\n", done.stdout)
    assert done.stdout == ossia("--version").stdout


def test_the_end_of_a_command_imports_nothing():
    code = "from ossia.cli.app import main\nmain(['serve', '--help'])"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True
    )
    assert "ossia_evaluation.worlds.gold" not in done.stderr


def test_ctrl_c_while_a_command_is_loaded_is_one_line(monkeypatch, capsys):
    # The end of the command ignores further ones, which the tests must not.
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "build_app", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["run", "control"])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "ossia: stopped\n"


KILLED_WHILE_LOADING = """
import os, signal, sys

class Killer:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["KILLED_AT"]:
            os.kill(os.getpid(), getattr(signal, os.environ["KILLED_BY"]))

sys.meta_path.insert(0, Killer())
"""


@pytest.mark.parametrize(
    ("by", "at", "arguments"),
    [
        ("SIGTERM", "ossia.cli.app", ("--version",)),
        ("SIGHUP", "ossia.cli.app", ("--version",)),
        ("SIGINT", "ossia.cli.app", ("--version",)),
        ("SIGTERM", "ossia.cli.serve", ("serve", "--port", "0")),
        ("SIGTERM", "uvloop", ("serve", "--port", "0")),
        ("SIGINT", "uvloop", ("serve", "--port", "0")),
        ("SIGHUP", "ossia.cli.report", ("report",)),
        ("SIGINT", "ossia.cli.attribute", ("attribute",)),
        ("SIGTERM", "ossia.runner.runs", ("runs",)),
        ("SIGTERM", "ossia.run_plan", ("run", "control")),
        ("SIGINT", "ossia.run_plan", ("run", "control")),
    ],
)
def test_a_signal_while_a_command_is_loaded_ends_it_in_one_line(ossia, tmp_path, by, at, arguments):
    (tmp_path / "sitecustomize.py").write_text(KILLED_WHILE_LOADING)
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    done = ossia(*arguments, PYTHONPATH=path, KILLED_AT=at, KILLED_BY=by)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == "ossia: stopped"


def test_a_broken_compiled_module_is_told_as_what_it_is(ossia, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Cut:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'ossia.cli.report':\n"
        "            raise EOFError('marshal data too short')\n"
        "sys.meta_path.insert(0, Cut())\n"
    )
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    done = ossia("report", PYTHONPATH=path)
    assert done.returncode == 1
    assert "EOFError: marshal data too short" in done.stderr
    assert "stopped" not in done.stderr


def test_ctrl_c_while_the_process_ends_changes_nothing(tmp_path):
    # Handlers run in the reverse order, so this one comes when the program has done its own.
    code = (
        "import atexit, os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "from ossia.cli import main\n"
        "main(['--version'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


HEAVY = ("pydantic", "rich", "httpx", "starlette", "fastapi", "uvicorn", "jinja2", "genai_prices")
"""Libraries of the commands; each costs more than all that the program itself needs."""


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], []])
def test_what_needs_no_command_loads_no_library_of_one(arguments):
    code = (
        "import sys\n"
        "from ossia.cli import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit:\n"
        "    print('LOADED', *sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split("LOADED", 1)[1].split()
    assert [name for name in HEAVY if name in loaded] == []
    ours = {name for name in loaded if name.startswith(("ossia_", "ossia.runner"))}
    assert ours <= {"ossia_evaluation", "ossia_evaluation.visible"}


def test_each_command_has_a_whole_line_on_the_help_page(ossia):
    page = ossia("--help").stdout
    for name, (_, line) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", page, re.MULTILINE), name


def paths(group, *before):
    for name, command in group.commands.items():
        yield (*before, name), command
        if hasattr(command, "commands"):
            yield from paths(command, *before, name)


ALL = dict(paths(typer.main.get_group(app.build_app())))


def test_each_command_is_called_as_it_is_listed():
    assert [path[0] for path in ALL if len(path) == 1] == list(COMMANDS)
    assert {path: command.name for path, command in ALL.items()} == {path: path[-1] for path in ALL}


def test_a_misspelt_command_is_answered_with_the_nearest(ossia):
    assert "Did you mean 'compare'?" in ossia("compar").stderr
