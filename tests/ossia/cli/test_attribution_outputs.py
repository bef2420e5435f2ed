"""Attributions of every status, and damaged ones, in all that the commands print and write."""

import csv
import html
import io
import json
import re
import shutil
import sqlite3
import zlib
from contextlib import closing

import pytest
from rich.console import Console

from ossia.attribution.run import stored_result
from ossia.attribution.shown import episode_text
from ossia.attribution.store import AttributionStore, digest_of
from ossia.run_plan import tasks_of
from ossia.runner.store import RunStore
from ossia_evaluation.attribution import ATTRIBUTION_VERSION, Attribution, Cause, Status, StepShown

from .conftest import done_by, environment_of
from .test_attribute import failed_tasks

EACH = [(status, family) for status in Status for family in (True, False)]
EPISODES = {f"control.wake-{number}.1": each for number, each in enumerate(EACH, start=1)}
IDS = [f"{status}-{'family' if family else 'none'}" for status, family in EACH]


def made(episode, status, family):
    """An attribution of a status, with a family or without anything that follows from one."""
    cause = Cause(
        step=3,
        situation="time#1",
        role="time",
        responsibility=1.0,
        necessary=True,
        sufficient=True,
        said="19:30",
        meant="07:30",
        fault="said 19:30",
        remedy="with 07:30",
    )
    step = StepShown(step=3, situation="time#1", role="time", said="19:30", culprit=family)
    return Attribution(
        episode=episode,
        task=episode.split(".")[1],
        framework="control",
        domain="alarm",
        intent="alarm_set",
        status=status,
        reason=f"the verdict's reason [{status}]",
        families=(("time#1",),) if family else (),
        causes=(cause,) if family else (),
        evidence=f"The evidence of {status} [b] {family}." if family else "",
        rules=("time",),
        steps=(step,),
    )


@pytest.fixture(scope="module")
def played(command, environments, tmp_path_factory):
    """A run with an episode for each status, with and without a family; attributed by hand."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "home").mkdir()
    (folder / "home" / "envs").symlink_to(environments)
    model = failed_tasks(folder)
    task = json.loads((folder / "tasks.jsonl").read_text("utf-8"))
    ids = [episode.split(".")[1] for episode in EPISODES]
    lines = (json.dumps({**task, "id": name}) + "\n" for name in ids)
    (folder / "tasks.jsonl").write_text("".join(lines), "utf-8")
    arguments = ("run", "control", "--tasks", "tasks.jsonl", "--model", model)
    done = done_by(command, arguments, environment_of(folder / "home"), folder)
    assert done.returncode == 0, done.stderr
    (run,) = (folder / "home" / "runs").iterdir()
    with RunStore(run) as store, AttributionStore(run) as attributions:
        tasks = tasks_of(store.config())
        for episode, (status, family) in EPISODES.items():
            digest = digest_of(tasks[episode.split(".")[1]], store.trace(episode))
            attributions.put(made(episode, status, family), digest)
    return run


@pytest.fixture
def folder(played, home):
    """A copy of that run, in a home of its own."""
    shutil.copytree(played, home / "runs" / played.name)
    return home / "runs" / played.name


def words(page):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def sentence(status, family):
    return f"The evidence of {status} [b] {family}." if family else f"verdict's reason [{status}]"


def test_every_status_is_in_every_output(ossia, folder):
    text = ossia("attribute", "--all").stdout
    flat = " ".join(text.split())
    short = ossia("attribute").stdout
    assert len(short.splitlines()) <= 50
    assert "--all" in short
    found = json.loads(ossia("attribute", "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(ossia("attribute", "--csv").stdout)))
    report = ossia("report")
    assert (report.returncode, told(report)) == (0, "")
    written_page = (folder / "report" / "report.html").read_text("utf-8")
    by_episode = {item["episode"]: item["status"] for item in found["attributions"]}
    written = {row["episode"]: row["status"] for row in rows}
    assert by_episode == written == {e: str(status) for e, (status, _) in EPISODES.items()}
    for episode, (status, family) in EPISODES.items():
        assert sentence(status, family) in flat, (status, family)
        assert f"{status} 2" in flat
        assert f"{status} 2" in short
        assert sentence(status, family) in words(written_page)
        assert f'id="episode-{episode}"' in written_page
    assert "and the replay with" in words(written_page)
    again = json.loads((folder / "report" / "attribution.json").read_text("utf-8"))
    assert again["attributions"] == found["attributions"]


def test_show_leads_with_the_attribution_of_any_status(ossia, folder):
    for episode, (status, family) in list(EPISODES.items())[:: 1 if len(EACH) < 6 else 3]:
        lines = ossia("show", episode).stdout.splitlines()
        assert lines[1].startswith(f"attribution: {status} (")
        assert sentence(status, family) in lines[2]
        steps = next(n for n, line in enumerate(lines) if line.startswith("  1. manager"))
        rules = next(n for n, line in enumerate(lines) if "failed role, by the rules: time" in line)
        assert 2 < steps < rules
        said = "\n".join(lines[:steps])
        if family:
            assert "culprit: step 4 time#1" in said
            assert "repaired: 07:30" in said
            assert "the rules name the same: time" in said
        else:
            none = {Status.FRAMEWORK: "framework", Status.SERVICE: "service"}
            names = none.get(status, "nobody")
            assert f"the rules differ: they name time, the attribution names {names}" in said


@pytest.mark.parametrize(("status", "family"), EACH, ids=IDS)
def test_blame_prints_every_status(status, family):
    console = Console(width=80, file=io.StringIO(), highlight=False)
    console.print(episode_text(made("control.wake-1.1", status, family)))
    text = " ".join(console.file.getvalue().split())
    assert f"status: {status}" in text
    assert sentence(status, family) in text


def changed(folder, file, *statement):
    """Change a file of the run by a statement."""
    with closing(sqlite3.connect(folder / file)) as database, database:
        database.execute(*statement)


def damaged(folder, change):
    """Change the stored text of the first episode's attribution."""
    where = "attributions WHERE episode = 'control.wake-1.1'"
    with closing(sqlite3.connect(folder / "attribution.sqlite")) as database:
        (text,) = database.execute(f"SELECT attribution FROM {where}").fetchone()
    update = "UPDATE attributions SET attribution = ? WHERE episode = 'control.wake-1.1'"
    changed(folder, "attribution.sqlite", update, (change(text),))


def field(**changes):
    return lambda text: json.dumps({**json.loads(text), **changes})


DAMAGE = {
    "truncated": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "another object": lambda text: "[1, 2]",
    "binary": lambda text: b"\xff\x00\xfe\x80",
    "a number": lambda text: 7,
    "unknown status": field(status="enchanted"),
    "older": field(version=ATTRIBUTION_VERSION - 1),
    "newer": field(version=ATTRIBUTION_VERSION + 1),
    "unknown field": field(surprise=1),
    "wrong types": field(families="time#1", causes={"a": 1}),
    "another's": field(episode="control.wake-2.1"),
    "deep": lambda text: "[" * 20_000,
}
LOST = "1 attribution could not be read: control.wake-1.1"


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_attribution_costs_its_own_entry(folder, name):
    damaged(folder, DAMAGE[name])
    with RunStore(folder) as store:
        result = stored_result(store, tasks_of(store.config()))
    assert result.unreadable == ("control.wake-1.1",)
    assert len(result.attributions) == len(EACH) - 1


def told(done):
    """What a command says on its error output, but for where the report is."""
    lines = done.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("open in a browser: "))


def page(folder):
    return words((folder / "report" / "report.html").read_text("utf-8"))


def test_a_damaged_attribution_is_told_everywhere_and_made_again(ossia, folder):
    damaged(folder, DAMAGE["truncated"])
    done = ossia("report")
    assert (done.returncode, told(done)) == (0, f"{LOST}\n")
    assert LOST in page(folder)
    written = json.loads((folder / "report" / "attribution.json").read_text("utf-8"))
    assert written["unreadable"] == ["control.wake-1.1"]
    assert f"attribution: {LOST}" in ossia("show", "control.wake-1.1").stdout
    exported = ossia("export", "who-and-when")
    assert exported.returncode == 0, exported.stderr
    again = ossia("attribute", "--json")
    assert (again.returncode, again.stderr) == (0, f"{LOST}; attributed again\n")
    found = json.loads(again.stdout)
    assert (found["unreadable"], len(found["attributions"])) == ([], len(EACH))
    assert found["attributions"][0]["families"] == [["time#1"]]
    assert told(ossia("report")) == ""


TRACES = {
    "torn": b"\x01\x02",
    "another object": zlib.compress(b"{}"),
    "no bytes": None,
    "text": "gone",
}


@pytest.mark.parametrize("name", TRACES)
def test_a_damaged_trace_costs_its_own_entry(ossia, folder, name):
    changed(folder, "run.sqlite", "PRAGMA ignore_check_constraints = 1")
    value = TRACES[name] if TRACES[name] is not None else b""
    update = "UPDATE episodes SET trace = ? WHERE id = 'control.wake-1.1'"
    changed(folder, "run.sqlite", update, (value,))
    line = "1 episode could not be read: control.wake-1.1"
    done = ossia("report")
    assert (done.returncode, told(done)) == (0, f"{line}\n")
    assert line in page(folder)
    found = json.loads((folder / "report" / "attribution.json").read_text("utf-8"))
    assert found["damaged"] == ["control.wake-1.1"]
    assert len(found["attributions"]) == len(EACH) - 1
    shown = ossia("show", "control.wake-1.1")
    assert (shown.returncode, shown.stderr.count("\n")) == (2, 1)
    attributed = ossia("attribute")
    assert (attributed.returncode, attributed.stderr) == (0, f"{line}; left out\n")
    assert line in attributed.stdout


FILES = {
    "no database": (lambda folder: junk(folder), "file is not a database"),
    "no table": (
        lambda folder: changed(folder, "attribution.sqlite", "DROP TABLE attributions"),
        "run `ossia attribute` again",
    ),
    "another version": (
        lambda folder: changed(folder, "attribution.sqlite", "PRAGMA user_version = 99"),
        "another version of Ossia",
    ),
}


def junk(folder):
    (folder / "attribution.sqlite").write_bytes(b"no database at all" * 500)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_costs_the_attributions_alone(ossia, folder, name):
    spoil, said = FILES[name]
    spoil(folder)
    done = ossia("report")
    assert done.returncode == 0, done.stderr
    assert said in told(done)
    assert told(done).count("\n") == 1
    assert said.strip("`") in page(folder)
    assert not (folder / "report" / "attribution.json").exists()
    shown = ossia("show", "control.wake-1.1")
    assert shown.returncode == 0
    assert "attribution: cannot be read" in shown.stdout


def torn(folder):
    """Overwrite the middle of pages, as a crash or a bad disk does; the header stays."""
    file = folder / "attribution.sqlite"
    content = bytearray(file.read_bytes())
    for page_start in range(4096, len(content) - 4096, 4096):
        content[page_start + 8 : page_start + 1200] = b"\xa5" * 1192
    file.write_bytes(content)


def test_a_torn_file_costs_what_it_held(ossia, folder):
    torn(folder)
    done = ossia("report")
    assert done.returncode == 0
    assert told(done).count("\n") == 1
    assert "could not be read" in done.stderr
    for command in (("attribute",), ("blame", "control.wake-1.1")):
        refused = ossia(*command)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert "remove it and run `ossia attribute` again" in refused.stderr


def test_without_its_lesser_tables_a_file_is_still_read(ossia, folder):
    for table in ("verifications", "sessions"):
        changed(folder, "attribution.sqlite", f"DROP TABLE {table}")
    assert told(ossia("report")) == ""
    assert "CPU time of the attribution by that of the run: -" in page(folder)


def test_a_locked_file_costs_the_attributions_alone(ossia, folder):
    with closing(sqlite3.connect(folder / "attribution.sqlite")) as database:
        database.execute("BEGIN EXCLUSIVE")
        done = ossia("report")
    assert done.returncode == 0
    assert "database is locked" in done.stderr
    assert "database is locked" in page(folder)
