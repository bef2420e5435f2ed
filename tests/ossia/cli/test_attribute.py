import csv
import io
import json
import re
import sqlite3

import pytest

from ossia.cli.replay import replay_command

EPISODE = "control.wake.1"


def failed_tasks(folder):
    """Write a task and a script of a time role that gets it wrong; returns the model."""
    gold = {
        "domain": "alarm",
        "intent": "alarm_set",
        "kind": "change",
        "slots": {"time": "half past seven", "date": "tomorrow"},
        "time": {"time": "07:30", "date": "2026-03-14"},
    }
    task = {
        "schema": 1,
        "id": "wake",
        "utterance": "wake me up at half past seven tomorrow",
        "gold": gold,
    }
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n", "utf-8")
    wrong = {"rules": [{"answer": '{"time_slots": {"time": "19:30", "date": "2026-03-14"}}'}]}
    (folder / "script.json").write_text(json.dumps(wrong), "utf-8")
    return "time=scripted:script.json,*=offline"


@pytest.fixture
def failed(ossia, once, tmp_path):
    """A run of one task that the scripted time role gets wrong."""
    model = failed_tasks(tmp_path)
    done = once("run", "control", "--tasks", "tasks.jsonl", "--model", model)
    assert done.returncode == 0, done.stderr
    return ossia


def test_needs_a_run(ossia):
    done = ossia("attribute")
    assert done.returncode == 2
    assert "has no runs yet" in done.stderr


@pytest.mark.parametrize("option", ["--validate", "--quick", "--wild", "--seed=1"])
def test_has_no_second_command(ossia, option):
    done = ossia("attribute", option)
    name = option.partition("=")[0]
    # One that is spelt like another is told that.
    alike = r"( \(Possible options: .*\))?"
    line = rf"ossia: no such option: {name}{alike}; see `ossia attribute --help`\n"
    assert done.returncode == 2 and re.fullmatch(line, done.stderr)


def test_names_the_culprit_with_evidence_and_goes_on_from_there(failed):
    done = failed("attribute", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    (found,) = result["attributions"]
    assert (found["status"], found["families"]) == ("attributed", [["time#1"]])
    assert found["evidence"] == (
        "*time* turned 'half past seven' into 19:30; with 07:30 the alarm is set as asked."
    )
    assert result["summary"]["failures"] == 1
    again = json.loads(failed("attribute", "--json").stdout)
    assert again["attributions"] == result["attributions"]
    assert "time#1" in failed("attribute").stdout


def test_prints_a_line_of_csv_for_each_cause(failed):
    (line,) = csv.DictReader(io.StringIO(failed("attribute", "--csv").stdout))
    assert (line["episode"], line["role"], line["responsibility"]) == (EPISODE, "time", "1.0000")


def test_blame_shows_the_search(failed):
    done = failed("blame", EPISODE)
    assert done.returncode == 0, done.stderr
    assert "1. nothing repaired: still fails" in done.stdout
    assert "2. time#1 repaired: success" in done.stdout


def test_replay_puts_the_given_text_in_place_of_a_step(failed, tmp_path):
    right = '{"time_slots": {"time": "07:30", "date": "2026-03-14"}}'
    (tmp_path / "right.txt").write_text(right, "utf-8")
    same = json.loads(failed("replay", EPISODE, "--json").stdout)
    assert same["verdict_now"] == "failure"
    assert all(step["before"] == step["now"] for step in same["steps"])
    other = json.loads(failed("replay", EPISODE, "--set", "time=right.txt", "--json").stdout)
    assert (other["verdict_before"], other["verdict_now"]) == ("failure", "success")
    assert other["requests_now"] == [
        "/alarm intent=alarm_set time=07:30 date=2026-03-14 -> SUCCESS"
    ]


def test_replay_names_the_steps_that_are_assumed_right(failed, home, tmp_path, monkeypatch, capsys):
    (tmp_path / "empty.txt").write_text(" \n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSSIA_HOME", str(home))
    replay_command(EPISODE, ["intent=empty.txt"])
    told = capsys.readouterr()
    assert told.err == "the text for 'intent' is empty: the step then says nothing\n"
    last = told.out.splitlines()[-1]
    assert last.startswith("assuming that time#1, url#1 would then have answered correctly")
    replay_command(EPISODE, ["time=empty.txt"], json=True)
    assert json.loads(capsys.readouterr().out)["assumed"] == []


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("time", "--set needs STEP=FILE, not 'time'"),
        ("time=nowhere.txt", "nowhere.txt: No such file or directory"),
        ("99=tasks.jsonl", "has no step '99'"),
    ],
)
def test_a_replacement_that_is_none_ends_with_one_line(failed, argument, said):
    done = failed("replay", EPISODE, "--set", argument)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_unknown_framework_ends_with_one_line(failed):
    done = failed("attribute", "--framework", "nobody")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "has no framework 'nobody'" in done.stderr


def test_no_address_is_cut(failed):
    address = re.compile(r"/alarm\?intent=alarm_set&time=\d\d%3A30&date=2026-03-14(?![^\s\";)])")
    for command in (("blame", EPISODE), ("show", EPISODE), ("replay", EPISODE)):
        text = failed(*command, COLUMNS="40").stdout
        assert len(address.findall(text)) == text.count("/alarm?") > 0, command
        rest = [line for line in text.splitlines() if "/alarm?" not in line and "/…" not in line]
        assert "show" not in command or max(map(len, rest)) <= 40


def test_blame_stores_its_result(failed, home):
    assert failed("blame", EPISODE).returncode == 0
    (folder,) = (home / "runs").iterdir()
    with sqlite3.connect(folder / "attribution.sqlite") as database:
        rows = database.execute("SELECT episode, attribution FROM attributions").fetchall()
    assert [(episode, json.loads(text)["status"]) for episode, text in rows] == [
        (EPISODE, "attributed")
    ]
    failed("report")
    assert "<em>time</em> turned" in (folder / "report" / "report.html").read_text("utf-8")


def test_prints_a_line_of_csv_for_each_role_of_a_group(failed):
    lines = list(csv.DictReader(io.StringIO(failed("attribute", "--csv", "--by", "domain").stdout)))
    assert {(line["by"], line["group"], line["failures"]) for line in lines} == {
        ("domain", "alarm", "1")
    }
    assert [line["role"] for line in lines if line["causes_count"] == "1"] == ["time"]


def test_prints_the_matrix_the_failure_modes_and_the_cost(failed):
    text = failed("attribute").stdout
    assert ": 1 failure; 1 different one, of 1 task\n" in text
    assert "Causes: a step of the role is in a minimal repair family" in text
    assert re.search(r"^control router +1 +- +1 100%", text, re.MULTILINE)
    assert "3.1 Premature termination" in failed("attribute", "--all").stdout
    assert re.search(r"CPU time, all processes: attribution / run \d+\.\d\d \(", text)
    by_domain = failed("attribute", "--by", "domain").stdout
    assert re.search(r"^alarm +1 +- +1 100%", by_domain, re.MULTILINE)


def test_the_report_holds_the_attributions_once_they_are_made(failed, home):
    (folder,) = (home / "runs").iterdir()
    assert failed("report").returncode == 0
    report = folder / "report"
    assert not (report / "attribution.json").exists()
    assert 'id="blame"' not in (report / "report.html").read_text("utf-8")
    assert failed("attribute").returncode == 0
    assert failed("report").returncode == 0
    page = (report / "report.html").read_text("utf-8")
    assert page.count('<tr class="culprit">') == 1
    assert json.loads((report / "attribution.json").read_text("utf-8"))["failures"] == 1
    roles = csv.DictReader((report / "failures_by_role.csv").open(encoding="utf-8"))
    assert {row["by"] for row in roles} == {"all", "framework", "domain", "intent"}
    assert len((report / "failure_modes.csv").read_text("utf-8").splitlines()) == 1 + 14


def test_an_unknown_grouping_ends_with_exit_code_two(failed):
    done = failed("attribute", "--by", "weekday")
    assert done.returncode == 2
