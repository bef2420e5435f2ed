"""`ossia compare` and its relatives, as a user starts them."""

import csv
import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ossia.runner.store import RunStore
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.score import SCORER_VERSION
from ossia_servers.gateway import Tape
from tests.ossia.overwriting import overwrite

COMPARE = ("compare", "-f", "control", "--limit", "12", "--jobs", "2")
LONG = ("compare", "-f", "control", "--limit", "60", "--jobs", "2")
"""Not over before a signal that is sent after its second episode."""


def run_folder(home):
    (folder,) = (home / "runs").iterdir()
    return folder


def stored(home):
    folder = home / "runs"
    if not folder.is_dir():
        return 0
    for path in folder.glob("*/run.sqlite"):
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                return database.execute("SELECT COUNT(*) FROM episodes").fetchone()[0]
        except sqlite3.OperationalError:
            return 0
    return 0


def start(environ, folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "ossia", *arguments],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # Whoever runs the tests in the background may have had interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(condition, seconds=90):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def untimed(comparison):
    """A comparison without what differs between two identical runs."""
    for line in comparison["frameworks"]:
        for name in ("wall_s", "wall_p50_s", "wall_p95_s", "cpu_s"):
            assert line.pop(name) is not None
        assert line.pop("worker")["memory_mib"] > 0
    return comparison


def workers_of(home):
    """Worker processes that were started from this home's environments."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                line = (entry / "cmdline").read_bytes()
                if str(home).encode() in line and b"ossia_adapter.worker" in line:
                    found.append(int(entry.name))
    return found


def test_kill_at_any_moment_then_the_same_command_goes_on(ossia, begin, environ, home, tmp_path):
    whole = ossia(*COMPARE, "--json")
    assert whole.returncode == 0, whole.stderr
    wanted = json.loads(whole.stdout)
    assert wanted["finished"] == wanted["planned"] == 12
    folder = run_folder(home)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()

    said = {"out": tmp_path / "out", "err": tmp_path / "err"}
    running = begin(COMPARE, environ=environ, folder=tmp_path, **said)
    wait_for(lambda: stored(home) >= 3)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = stored(home)
    assert 3 <= before < 12
    wait_for(lambda: not workers_of(home), 20)

    again = ossia(*COMPARE, "--json")
    assert again.returncode == 0, again.stderr
    assert untimed(json.loads(again.stdout)) == untimed(wanted)
    third = ossia(*COMPARE, "--json")
    assert third.stderr.endswith(": already finished (12 episodes); nothing was run\n")


@pytest.mark.parametrize(
    "signals",
    [
        (signal.SIGINT,) * 1000,
        (signal.SIGTERM,),
    ],
    ids=["hail", "term"],
)
def test_ctrl_c_and_the_like_are_clean(ossia, environ, home, tmp_path, signals):
    process = start(environ, tmp_path, *LONG)
    wait_for(lambda: stored(home) >= 2)
    for number in signals:
        process.send_signal(number)  # Nothing once it has ended.
        time.sleep(0.003)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "run the same command again" in output
    assert "press Ctrl-C again to end at once" in output
    assert "Traceback" not in output
    # A hail may have ended it at once: workers notice that their pipe has closed.
    wait_for(lambda: not workers_of(home), 20 if len(signals) > 1 else 0.1)
    if len(signals) > 1:
        # How it goes on is no matter of the signal; this is the worst end.
        resumed = ossia("resume", "--json")
        assert json.loads(resumed.stdout)["finished"] == 60


def test_a_run_is_shown_reported_and_scored_again(ossia, home):
    table = ossia(*COMPARE)
    assert table.returncode == 0, table.stderr
    assert re.match(r"control router succeeds in \d+ of 12 episodes \(", table.stdout), (
        "the finding first"
    )
    for title in ("Success by outcome", "Cost of an episode", "Success by domain"):
        assert title in table.stdout
    report = ossia("report")
    paths = report.stdout.split()
    assert [path.rsplit("/", 1)[1] for path in paths] == [
        "report.html",
        "episodes.csv",
        "comparison.csv",
        "by_domain.csv",
        "by_role.csv",
        "pairs.csv",
        "comparison.json",
    ]
    lines = Path(paths[1]).read_text("utf-8").splitlines()
    assert len(lines) == 13
    (line,) = csv.DictReader(Path(paths[2]).read_text("utf-8").splitlines())
    assert (line["framework"], line["episodes"]) == ("control", "12")
    episode = lines[1].split(",")[0]
    shown = ossia("show", episode)
    assert "verdict:" in shown.stdout
    assert "intent" in shown.stdout
    again = ossia("rescore")
    assert "12 scored, 0 changed: the verdicts are those of the scorer's version" in again.stderr
    assert "Success by outcome" in again.stdout


def test_the_scorers_that_gave_the_verdicts_are_told(ossia, home):
    assert ossia("compare", "-f", "control", "--limit", "2").returncode == 0
    with RunStore(run_folder(home), write=True) as store:
        first, second = store.episodes()
        old = store.score(first).model_copy(
            update={"version": SCORER_VERSION - 1, "verdict": Verdict.FAILURE}
        )
        store.put_scores(iter([(first, old, None), (second, store.score(second), None)]))
    facts = json.loads(ossia("compare", "-f", "control", "--limit", "2", "--json").stdout)["facts"]
    both = f"version {SCORER_VERSION - 1} and version {SCORER_VERSION}"
    present = f"(the current one is {SCORER_VERSION}: see `ossia rescore`)"
    assert facts["scorer"] == f"{both} {present}"
    line = (
        f"verdicts were given by the scorer's {both}, now {SCORER_VERSION}: see `ossia rescore`\n"
    )
    assert line in ossia("report").stderr
    assert f"\n{line}" in ossia("compare", "-f", "control", "--limit", "2").stdout
    again = ossia("rescore", "--json")
    assert f"2 scored, 1 changed: the verdicts were given by the scorer's {both}" in again.stderr
    assert json.loads(again.stdout)["facts"]["scorer"] == f"version {SCORER_VERSION}"
    assert "verdicts" not in ossia("report").stderr


def test_refused_connections_are_shown(ossia, home):
    assert ossia("compare", "-f", "control", "--limit", "1").returncode == 0
    with RunStore(run_folder(home), write=True) as store:
        episode = store.episodes()[0]
        trace = store.trace(episode).model_copy(update={"refused_connections": ("192.0.2.1:80",)})
        overwrite(store, trace, store.score(episode))
    assert "connection refused: 192.0.2.1:80" in ossia("show", episode).stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("compare", "-f", "control", "--tasks", "nowhere"),
            "no task set or file is called 'nowhere'",
        ),
        (("compare", "-f", "control", "--suite", "chess"), "no suite is called 'chess'"),
        (("compare", "-f", "nobody"), "no adapter 'nobody'"),
        (("compare", "-f", "control", "--domain", "chess"), "no domain 'chess'"),
        (("compare", "-f", "control", "--task", "x-1"), "no task 'x-1'"),
        (("compare", "-f", "control", "--model", "openai/gpt-4o"), "OPENAI_API_KEY"),
        (("compare", "-f", "control", "--model", "nonsense"), "nonsense"),
        (
            ("run", "control", "--suite", "workbench", "--model", "gol", "--limit", "1"),
            "(--base-url). The players of the suite 'workbench' are gold, literal, idle.\n",
        ),
        (
            ("run", "control", "--model", "openai/gpt-4o", "--api-key-env", "NO_SUCH"),
            "NO_SUCH is empty or not set",
        ),
        (("compare", "-f", "control", "--price-as", "chess/queen"), "no price is known"),
        (("run", "control", "--price-as", "chess/queen"), "no price is known"),
        (("report", "nothing"), "has no runs yet"),
        (("show", "control.alarm-001.1"), "has no runs yet"),
        (("adapter", "install"), "name the adapters"),
        (("dataset", "show", "alarm-999"), "no task 'alarm-999'"),
        (("dataset", "import", "chess", "x"), "no importer is called 'chess'"),
        (("serve", "--host", "0.0.0.0"), "give --token-env"),
        (("serve", "--database", __file__), "cannot be used: file is not a database"),
        (("serve", "--now", "0001-01-01T00:00"), "--now must be in the years"),
    ],
)
def test_bad_input_is_one_line_and_code_2(ossia, home, arguments, sentence):
    done = ossia(*arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (home / "runs").exists(), "nothing half-written"


@pytest.mark.parametrize(
    ("content", "sentence"), [(b"no database", "cannot be read"), (b"", "contains no run")]
)
def test_a_damaged_run_is_one_line_and_code_2(ossia, home, content, sentence):
    folder = home / "runs" / "assistant-offline-0"
    folder.mkdir(parents=True)
    (folder / "run.sqlite").write_bytes(content)
    done = ossia("report", folder.name)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&-"])
def test_a_standard_stream_that_the_shell_has_closed_is_no_crash(environ, tmp_path, closed):
    command = f'"{sys.executable}" -m ossia runs {closed}'
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=environ, capture_output=True)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    missing = f'"{sys.executable}" -m ossia report {closed}'
    done = subprocess.run(missing, shell=True, cwd=tmp_path, env=environ, capture_output=True)
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("place", "mode", "told"),
    [("/dev/full", "w", "No space left on device"), ("/dev/null", "r", "Bad file descriptor")],
)
def test_output_that_cannot_be_written_is_one_line(environ, tmp_path, place, mode, told):
    with Path(place).open(mode) as output:
        done = subprocess.run(
            [sys.executable, "-m", "ossia", "runs"],
            cwd=tmp_path,
            env=environ,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (
        2,
        f"ossia: the output: {told}\n",
    )


def test_a_full_disk_is_one_line_and_the_run_goes_on_later(ossia, environ, home, tmp_path):
    # A limit on the size of a file stands for a full disk.
    # Python would leave half of a compiled module behind, which nobody could import afterwards.
    limited = 'ulimit -f 96; PYTHONDONTWRITEBYTECODE=1 exec "$0" -m ossia "$@"'
    cut = subprocess.run(
        ["bash", "-c", limited, sys.executable, *COMPARE],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert cut.returncode == 2
    assert "cannot be written" in cut.stderr
    assert "Traceback" not in cut.stderr
    assert stored(home) < 12
    assert json.loads(ossia(*COMPARE, "--json").stdout)["finished"] == 12


def test_a_home_that_cannot_be_written_is_one_line_and_code_2(ossia, tmp_path):
    (tmp_path / "file").write_text("")
    done = ossia("adapter", "install", "control", OSSIA_HOME=str(tmp_path / "file"))
    assert done.returncode == 2
    last = done.stderr.strip().splitlines()[-1]
    assert last == f"ossia: OSSIA_HOME is not a folder: {tmp_path / 'file'}"
    assert "Traceback" not in done.stderr


def test_an_environment_variable_sets_an_option(ossia):
    done = ossia("compare", "--json", OSSIA_LIMIT="2", OSSIA_FRAMEWORK="control")
    assert json.loads(done.stdout)["planned"] == 2


def test_a_tape_answers_as_the_model_did(ossia, tmp_path):
    live = ossia(*COMPARE, "--json")
    tape = tmp_path / "tape.jsonl"
    assert "answers; use" in ossia("tape", "--out", tape).stdout
    written = tape.read_bytes()
    tape.write_bytes(b"mine")
    again = ossia("tape", "--out", tape)
    assert (again.returncode, tape.read_bytes()) == (2, b"mine")
    assert again.stderr == f"ossia: {tape} already exists; --force replaces it\n"
    assert ossia("tape", "--out", tape, "--force").returncode == 0
    assert tape.read_bytes() == written
    replayed = ossia(*COMPARE, "--model", "replay:tape.jsonl", "--json")
    first, second = json.loads(live.stdout), json.loads(replayed.stdout)
    assert second["facts"]["model"] == f"replay:{tape}"
    assert second["invalid"] == {}
    for one, other in zip(first["frameworks"], second["frameworks"], strict=True):
        assert one["success"] == other["success"]
        assert one["failures_by_role"] == other["failures_by_role"]
        assert one["calls"] == other["calls"]
    lines = tape.read_text("utf-8").splitlines()
    tape.write_text("\n".join(lines[: len(lines) // 2]) + "\n", "utf-8")
    missed = json.loads(ossia(*COMPARE, "--model", f"replay:{tape}", "--json").stdout)
    assert missed["invalid"], "a miss is loud"
    assert all("tape" in reason for reason in missed["invalid"].values())


def test_a_run_without_a_valid_episode_ends_with_code_1(ossia, tmp_path):
    Tape().write(tmp_path / "tape.jsonl")
    done = ossia("compare", "-f", "control", "--limit", "2", "--model", "replay:tape.jsonl")
    assert done.returncode == 1
    assert done.stdout == "", "no table of dashes stands before the reason"
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("ossia: "))
    assert line.startswith(
        "ossia: all episodes of the run are invalid; last reason: the model fail"
    )
    assert "tape" in line
