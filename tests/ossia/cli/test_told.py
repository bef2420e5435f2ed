"""No output of a model steers a terminal or turns a page, wherever it is shown."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
from io import StringIO
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from ossia.cli import told
from ossia.cli.folded import folded
from ossia.runner.store import RunStore
from ossia_evaluation.console import SafeConsole
from ossia_servers.trace import Trace
from tests.ossia.overwriting import overwrite

NASTY = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eevil\u2066\x85\rover"
HARMFUL = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
COLOUR = re.compile(r"\x1b\[[0-9;?]*[mhlKJAG]|\x1b\]8;[^\x1b]*\x1b\\")
"""What the program's own styles and live lines are made of."""


def harmless(text):
    """Whether nothing but the program's own colours is in it."""
    rest = COLOUR.sub("", text)
    return "\x1b[2J" not in text and "\x1b" not in rest and not HARMFUL.search(rest)


@pytest.fixture
def episode(ossia, home):
    """A failed episode whose model, server and answer wrote what steers a terminal."""
    done = ossia("run", "control", "--limit=2", "--model", "offline:noise=0.9,seed=1")
    assert done.returncode == 0, done.stderr
    (folder,) = (home / "runs").iterdir()
    with RunStore(folder, write=True) as store:
        scores = {name: store.score(name) for name in store.episodes()}
        name = next(name for name, score in scores.items() if score.verdict == "failure")
        data = json.loads(store.trace(name).model_dump_json())
        spoilt = Trace.model_validate(_spoilt(data))
        reason = scores[name].reason + NASTY
        overwrite(store, spoilt, scores[name].model_copy(update={"reason": reason}))
    return name


def _spoilt(data):
    if isinstance(data, dict):
        return {
            key: value + NASTY
            if key in ("content", "answer", "response", "detail") and isinstance(value, str)
            else _spoilt(value)
            for key, value in data.items()
        }
    return [_spoilt(item) for item in data] if isinstance(data, list) else data


def on_terminal(command, environ, folder, *arguments):
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    name = os.ttyname(theirs)

    def run():
        environment = {**environ, "TERM": "xterm-256color"}
        command(arguments, environ=environment, folder=folder, out=name, err=name)
        os.close(theirs)

    running = threading.Thread(target=run)
    running.start()
    written = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:
            break
        if not chunk:
            break
        written += chunk
    running.join()
    os.close(ours)
    return (
        written.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r\x1b", "\x1b")
    )


@pytest.mark.framework("control")
def test_every_command_writes_out_what_steers_a_terminal(
    ossia, home, command, environ, tmp_path, episode
):
    for words in (
        ("show", episode),
        ("show", episode, "--full"),
        ("show", episode, "--json"),
        ("attribute",),
        ("attribute", "--all"),
        ("attribute", "--csv"),
        ("report",),
        ("report", NASTY.replace("\x00", "")),
        ("show", NASTY),
        ("run", NASTY),
    ):
        done = ossia(*words)
        assert harmless(done.stdout), words
        assert harmless(done.stderr), words
        assert "\x1b" not in done.stdout + done.stderr, words
        shown = on_terminal(command, environ, tmp_path, *words)
        assert shown and harmless(shown), words
    assert r"\u001b[2J" in ossia("show", episode).stdout
    assert r"\u202eevil" in ossia("show", episode).stdout
    assert r"\u001b[2J" in ossia("report", NASTY).stderr
    assert NASTY in json.loads(ossia("show", episode, "--json").stdout)["answer"]
    (page,) = home.glob("runs/*/report/report.html")
    text = page.read_text("utf-8")
    assert not HARMFUL.search(text)
    assert "\x1b" not in text
    assert r"\u202eevil" in text


@pytest.mark.parametrize("terminal", [True, False])
def test_a_console_lays_out_what_it_writes_out(terminal):
    made = SafeConsole(file=StringIO(), width=40, force_terminal=terminal, color_system="standard")
    table = Table("name")
    table.add_column("said", overflow="fold")
    table.add_row("a", NASTY.replace("[", "\\["))
    table.add_row("b", Text(NASTY, style="red"))
    made.print(table)
    made.print(f"[bold]{NASTY.replace('[', chr(92) + '[')}[/bold]")
    shown = made.file.getvalue()
    assert harmless(shown)
    plain = COLOUR.sub("", shown)
    assert {len(line) for line in plain.splitlines()[:3]} == {len(plain.splitlines()[0])}
    words = re.sub(r"[\s│┃]", "", plain)
    assert words.count(r"\u202eevil\u2066\u0085") == 3, "nothing is cut off"


def test_all_words_leave_the_program_through_it():
    folder = Path(told.__file__).parent
    for path in folder.glob("*.py"):
        text = path.read_text("utf-8")
        if path.name not in ("told.py", "app.py", "progress.py"):
            assert not re.search(r"typer\.(s?echo)\(|(?<![.\w])print\(|\bConsole\(", text), (
                path.name
            )


@pytest.mark.parametrize(
    ("columns", "width"), [("80", 80), ("100", 100), ("0", 160), ("", 160), ("wide", 160)]
)
def test_the_width_without_a_terminal_is_that_of_columns_where_it_is_set(columns, width):
    script = "from ossia.cli.told import make_console; print(make_console(stderr=True).width)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "COLUMNS": columns},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == width


def test_errors_are_broken_between_words_on_a_terminal_and_nowhere_else(
    ossia, command, environ, tmp_path
):
    words = ("compare", "--suite", "workbench", "--model", "offline", "-f", "control")
    told = ossia(*words).stderr
    assert told.count("\n") == 1 and len(told) > 200
    shown = on_terminal(command, environ, tmp_path, *words)
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.split() == told.split(), "no word is broken"


def test_adapters_fit_eighty_columns(ossia):
    shown = ossia("adapter", "list", COLUMNS="80").stdout
    long = [line for line in shown.splitlines() if len(line) > 80]
    assert all(len(line.split()) == 1 for line in long), "only a path or an address"
    assert len(ossia("adapter", "list").stdout.splitlines()) < len(shown.splitlines())


def test_a_text_is_folded_with_its_indent_and_without_a_broken_word():
    text = "  one two-three four\nshort\n" + "x" * 12 + "\n"
    assert folded(text, 10, "  ") == ("  one\n    two-three\n    four\nshort\n" + "x" * 12 + "\n")
