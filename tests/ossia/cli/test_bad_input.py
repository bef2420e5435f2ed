"""What cannot be carried out is told in one line, with code 2, and leaves nothing behind."""

import json
import shutil
import sqlite3
import zlib

import pytest

from .conftest import done_by, environment_of

CSV = "id,sentence,intent,slots\n1,ring me at six,alarm_set,\"['time : six']\"\n"


def refused(done):
    """The one line that a command ended with."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("ossia: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("compare", "--limit", "0"),
            "invalid value for '--limit' (env var: 'OSSIA_LIMIT'): must be at",
        ),
        (("compare", "--limit", "many"), "'OSSIA_LIMIT'): not a whole number; see"),
        (("attribute", "--by", "mood"), "'OSSIA_BY'): 'mood' is not one of 'framework'"),
        (
            ("compare", "--workflow-form", "code"),
            "--workflow-form has no effect without --workflow",
        ),
        (("compare", "--limit", "x"), "see `ossia compare --help`"),
        (("compare", "--repeats", "-1"), "--repeats"),
        (("compare", "--max-seconds", "inf"), "--max-seconds is not a number of seconds: inf"),
        (("compare", "--max-seconds", "nan"), "--max-seconds"),
        (("compare", "--framework", ","), "no framework is named"),
        (("run", "control", "--model", "replay:/dev/zero"), "cannot be read: it is not a file"),
        (("compare", "--framework", " , "), "no framework is named"),
        (("compare", "--framework", "/"), "/pyproject.toml cannot be read: No such file or dir"),
        (("compare", "--framework", " control , nobody "), "there is no adapter 'nobody'"),
        (
            ("compare", "--model", "openai/gpt-4o", "--call-seconds", "200"),
            "--call-seconds 200 is longer than --max-seconds",
        ),
        (
            ("run", "control", "--model", "openai/gpt-4o", "--max-cost", "inf"),
            "--max-cost is not an amount in US dollars: inf",
        ),
        (("compare", "--call-seconds", "nan"), "invalid value for '--call-seconds'"),
        (("compare", "--nonsense"), "no such option: --nonsense"),
        (("compare", "--framework"), "requires an argument"),
        (("run",), "missing argument 'framework'; see `ossia run --help`"),
        (("nonsense",), "no such command 'nonsense'; see `ossia --help`"),
        (("adapter", "nonsense"), "see `ossia adapter --help`"),
        (("adapter", "install", "control", "--jobs", "0"), "--jobs"),
        (("attribute", "--by", "colour"), "'colour' is not one of"),
        (("serve", "--port", "99999"), "--port"),
        (("serve", "--suite", "chess"), "no suite is called 'chess'"),
        (("compare", "-f", "langraph"), "no adapter 'langraph'; did you mean langgraph?"),
        (("serve", "--suite", "workbnch"), "called 'workbnch'; did you mean workbench"),
        (("serve", "--suite", "workbench", "--tasks", "nowhere"), "called 'nowhere'"),
        (
            ("serve", "--suite", "workbench", "--now", "2024-01-01"),
            "--now cannot be used with the suite",
        ),
        (
            ("serve", "--suite", "workbench-react", "--home", "Oslo"),
            "--home cannot be used with the suite",
        ),
        (("serve", "--tasks", "nowhere"), "--tasks cannot be used with the suite assistant"),
        (("serve", "--home", ""), "--home is not a place"),
        (
            ("run", "control", "--model", "openai/gpt-4o", "--model-param", "temperature=NaN"),
            "--model-param 'temperature=NaN': the value is not valid JSON",
        ),
        (
            ("run", "control", "--model", "openai/gpt-4o", "--model-param", "temperature"),
            "'temperature' is not name=value, name=, or one of these after MODEL: where MODEL is"
            " one of openai/",
        ),
        (
            ("run", "control", "--model", "openai/gpt-4o", "--model-param", "model=x"),
            "'model=x': model is set by the framework",
        ),
        (("serve", "--suite", "worfbench"), "the suite 'worfbench' has no domain servers"),
        (("serve", "--compat", "2024"), "the suite 'assistant' has no compatibility '2024'"),
        (("serve", "--suite", "workbench", "--compat", "2026"), "there is: 2024"),
        (("model", "train", "--output", "nowhere/model.json"), "there is no folder nowhere"),
        (("model", "train", "--output", "folder"), "folder is not a file that can be written"),
        (("tape", "--out", "folder"), "folder is not a file that can be written"),
        (("tape", "--out", "nowhere/tape.jsonl"), "there is no folder nowhere"),
        (
            ("dataset", "import", "auto-slurp", "mine.csv", "--out", "folder"),
            "folder is not a file",
        ),
        (("dataset", "import", "auto-slurp", "mine.csv", "--out", "no/t.jsonl"), "no folder no"),
        (("dataset", "import", "workbench", "folder", "--out", "no/data"), "there is no folder no"),
        (("dataset", "import", "who-and-when", "folder", "--out", "no/l.jsonl"), "no folder no"),
        (("dataset", "build", "--out", "no/set"), "there is no folder no"),
        (("dataset", "build", "--out", "mine.csv"), "mine.csv is not a folder"),
        (("dataset", "generate", "workbench", "--out", "no/set"), "there is no folder no"),
        (("dataset", "generate-plans", "--out", "no/set"), "there is no folder no"),
        (("report", "--out", "no/report"), "there is no folder no"),
        (("export", "who-and-when", "--out", "no/logs"), "there is no folder no"),
        (("dataset", "facts", "folder"), "folder: contains no task file"),
        (("dataset", "stats", "--write", "binary"), "binary: the file is not in UTF-8"),
    ],
)
def test_one_line_and_nothing_is_left(ossia, tmp_path, arguments, sentence):
    (tmp_path / "folder").mkdir()
    (tmp_path / "mine.csv").write_text(CSV, "utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    before = sorted(path for path in tmp_path.rglob("*"))
    assert sentence in refused(ossia(*arguments))
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_a_value_of_the_environment_or_the_file_is_one_line_as_well(ossia, tmp_path):
    assert "OSSIA_LIMIT" in refused(ossia("compare", OSSIA_LIMIT="x"))
    (tmp_path / "ossia.toml").write_text("[compare]\nlimit = 'x'\n")
    assert "--limit" in refused(ossia("compare"))


def test_help_is_no_error(ossia):
    assert ossia("compare", "--help").returncode == 0
    alone = ossia("dataset")
    assert alone.returncode == 2
    assert alone.stderr.startswith("Usage: ossia dataset ")
    assert "\n  import " in alone.stderr


@pytest.fixture(scope="module")
def played(command, environments, tmp_path_factory):
    """A home that holds one finished run of two episodes, one of them a failure."""
    home = tmp_path_factory.mktemp("played")
    (home / "envs").symlink_to(environments)
    arguments = ("compare", "-f", "control", "--limit", "2", "--model", "offline:noise=1")
    done = done_by(command, arguments, environment_of(home), home)
    assert done.returncode == 0, done.stderr
    return home


def changed(played, home, change):
    """Copy the run into a home and change its database."""
    shutil.copytree(played / "runs", home / "runs")
    (file,) = (home / "runs").glob("*/run.sqlite")
    database = sqlite3.connect(file)
    with database:
        change(database)
    database.close()


def config(**values):
    def change(database):
        (text,) = database.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
        new = json.dumps({**json.loads(text), **values})
        database.execute("UPDATE meta SET value = ? WHERE key = 'config'", (new,))

    return change


def statement(text, *values):
    return lambda database: database.execute(text, values)


def without_figures(text, *values):
    """A change of a run that other code has made, whose figures are made anew."""

    def change(database):
        database.execute("DELETE FROM figures")
        database.execute(text, values)

    return change


DAMAGE = {
    "another layout": (statement("PRAGMA user_version = 9"), "another version of Ossia"),
    "another format": (config(version=99), "stored in format 99"),
    "cut off at its start": (statement("DELETE FROM meta"), "has no configuration"),
    "torn configuration": (statement("UPDATE meta SET value = '{\"ver'"), "configuration cannot"),
    "no configuration": (statement("UPDATE meta SET value = '[]'"), "configuration cannot"),
    "unknown fact": (config(surprise=1), "configuration cannot be read"),
    "unknown suite": (config(suite="chess"), "no suite is called 'chess'"),
    "tasks gone": (config(tasks="/nowhere/at/all"), "'/nowhere/at/all'"),
    "torn trace": (without_figures("UPDATE episodes SET trace = x'0102'"), "damaged or of another"),
    "another trace": (
        without_figures("UPDATE episodes SET trace = ?", zlib.compress(b"{}")),
        "damaged or of another",
    ),
    "another score": (without_figures("UPDATE scores SET score = '{}'"), "damaged or of another"),
    "no scores": (statement("DROP TABLE scores"), "it lacks a table"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_run_that_cannot_be_read_is_one_line(ossia, played, home, tmp_path, name):
    change, sentence = DAMAGE[name]
    changed(played, home, change)
    assert sentence in refused(ossia("report", "--out", tmp_path / "report"))
    assert not (tmp_path / "report").exists()


def test_what_a_torn_trace_has_shown_before_is_still_compared(ossia, played, home, tmp_path):
    changed(played, home, statement("UPDATE episodes SET trace = x'0102'"))
    told = ossia("report", "--out", tmp_path / "report")
    assert told.returncode == 0
    found = json.loads((tmp_path / "report" / "comparison.json").read_text("utf-8"))
    assert found["finished"] == 2
    failed = sum(line["success"]["of"] - line["success"]["count"] for line in found["frameworks"])
    assert failed == len(found["facts"]["damaged"].split(": ")[1].split(", ")) == 2
    assert found["facts"]["damaged"] in " ".join(told.stderr.split())


def without_its_first_episode(database):
    (first,) = database.execute("SELECT MIN(id) FROM episodes").fetchone()
    database.execute("DELETE FROM scores WHERE episode = ?", (first,))
    database.execute("DELETE FROM episodes WHERE id = ?", (first,))


def test_an_unfinished_run_is_shown_as_such_and_finished_later(ossia, played, home, tmp_path):
    changed(played, home, without_its_first_episode)
    told = ossia("report", "--out", tmp_path / "report")
    assert told.returncode == 0, told.stderr
    found = json.loads((tmp_path / "report" / "comparison.json").read_text("utf-8"))
    assert (found["finished"], found["planned"]) == (1, 2)
    again = ossia("resume", "--json")
    assert json.loads(again.stdout)["finished"] == 2, again.stderr


def test_outputs_over_a_file_are_one_line(ossia, played, home, tmp_path):
    shutil.copytree(played / "runs", home / "runs")
    (tmp_path / "file").write_text("kept", "utf-8")
    for command in (("report",), ("export", "who-and-when")):
        for out, said in {"file": "file is not a folder", "file/inner": "no folder file"}.items():
            assert said in refused(ossia(*command, "--out", out))
    assert (tmp_path / "file").read_text("utf-8") == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "home"]
