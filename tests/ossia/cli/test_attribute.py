import csv
import io
import json

import pytest

EPISODE = "control.wake.1"


@pytest.fixture
def failed(ossia, tmp_path):
    """A run of one task that the scripted time role gets wrong."""
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
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task) + "\n", "utf-8")
    wrong = {"rules": [{"answer": '{"time_slots": {"time": "19:30", "date": "2026-03-14"}}'}]}
    (tmp_path / "script.json").write_text(json.dumps(wrong), "utf-8")
    model = "time=scripted:script.json,*=offline"
    done = ossia("run", "control", "--tasks", "tasks.jsonl", "--model", model)
    assert done.returncode == 0, done.stderr
    return ossia


def test_needs_a_run(ossia):
    done = ossia("attribute")
    assert done.returncode == 2
    assert "holds no run yet" in done.stderr


def test_quick_needs_validate(ossia):
    done = ossia("attribute", "--quick")
    assert (done.returncode, done.stderr) == (2, "ossia: --quick goes with --validate\n")


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
