"""`ossia dataset audit`, as a user sees it."""

import json
import subprocess
import sys

import pytest

from ossia.suites.workbench import office_tasks
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.tasks import write_tasks


def line(**changes):
    sound = {
        "suite": "assistant",
        "task": "alarm-001",
        "should": "success",
        "behaviour": "as told",
        "requests": ["G"],
        "reply": None,
    }
    return json.dumps({**sound, **changes})


def written(folder, *lines):
    path = folder / "own.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


RIGHT = line()
WRONG = line(should="failure", behaviour="does nothing", requests=[], reply="Done.")
FALSE = line(should="told_falsely", behaviour="denies it", reply="Sorry, I could not do that.")


def test_both_shares_are_printed(ossia, tmp_path):
    debatable = line(should="debatable", behaviour="twice", requests=["G", "G"])
    done = ossia("dataset", "audit", written(tmp_path, RIGHT, WRONG, FALSE, debatable))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("right behaviours accepted: 1 of 1 (100.0 %, 95 % [")
    assert lines[1].startswith("wrong or falsely told ones refused: 2 of 2 (100.0 %, 95 % [")
    assert lines[2].startswith("  failure: 1 of 1 (100.0 %")
    assert lines[3].startswith("  told_falsely: 1 of 1 (100.0 %")
    assert "alarm-001" not in done.stdout


def test_the_reason_is_the_same_in_every_process(environ, tmp_path):
    many = line(task="cooking-005", should="failure", requests=["/cooking?intent=cooking_recipe"])
    said = set()
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "ossia", "dataset", "audit", "--all"]
        command.append(str(written(tmp_path, many)))
        env = {**environ, "PYTHONHASHSEED": seed}
        said.add(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    assert len(said) == 1
    assert b"told beside the answer: " in said.pop()


def test_a_verdict_that_differs_from_its_label_is_explained(ossia, tmp_path):
    lied = line(should="failure", behaviour="done after all")
    missed = line(behaviour="forgets it", requests=[], reply="Done.")
    done = ossia("dataset", "audit", written(tmp_path, RIGHT, lied, missed))
    assert done.returncode == 0
    assert (
        "alarm-001, 'done after all': should be failure, is success (the outcome is the gold"
        " outcome)\n    requests G; reply the servers' words\n"
    ) in done.stdout
    assert "alarm-001, 'forgets it': should be success, is failure (missing: " in done.stdout
    assert "requests none; reply 'Done.'" in done.stdout
    assert "'as told'" not in done.stdout
    assert "right behaviours accepted: 1 of 2 (50.0 %" in done.stdout
    assert "wrong or falsely told ones refused: 0 of 1 (0.0 %" in done.stdout


def test_every_verdict_is_printed_on_demand(ossia, tmp_path):
    done = ossia("dataset", "audit", written(tmp_path, RIGHT, WRONG), "--all")
    assert done.returncode == 0
    assert "alarm-001, 'as told': should be success, is success" in done.stdout
    assert "alarm-001, 'does nothing': should be failure, is failure" in done.stdout


def test_without_behaviours_of_a_kind_there_is_no_share(ossia, tmp_path):
    done = ossia("dataset", "audit", written(tmp_path, RIGHT))
    assert done.returncode == 0
    assert "wrong or falsely told ones refused: none" in done.stdout


def test_behaviours_of_every_suite_stand_in_one_file(ossia, tmp_path):
    compound = line(suite="assistant-compound", task="compound-001")
    office = line(suite="workbench", task=office_tasks("test")[0].id)
    done = ossia("dataset", "audit", written(tmp_path, RIGHT, compound, office))
    assert done.returncode == 0, done.stderr
    assert "right behaviours accepted: 3 of 3" in done.stdout


def test_tasks_may_be_ones_own(ossia, tmp_path):
    (sound,) = (one for one in assistant_tasks("test") if one.id == "alarm-001")
    tasks = tmp_path / "tasks.jsonl"
    write_tasks(tasks, [sound.model_copy(update={"id": "mine"})])
    path = written(tmp_path, line(task="mine"))
    done = ossia("dataset", "audit", path, "--tasks", tasks)
    assert done.returncode == 0, done.stderr
    assert "right behaviours accepted: 1 of 1" in done.stdout
    assert ossia("dataset", "audit", path).returncode == 2


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ((RIGHT, "{"), "own.jsonl:2: Invalid JSON: EOF while parsing an object at column 1"),
        ((line(why="because"),), "own.jsonl:1: why: "),
        ((line(should="maybe"),), "own.jsonl:1: should: "),
        (("",), "own.jsonl: contains no behaviour"),
        ((line(task="alarm-999"),), "the suite assistant has no task 'alarm-999'"),
        ((line(task="compound-001"),), "the suite assistant has no task 'compound-001'"),
        ((line(suite="chess"),), "no suite is called 'chess'"),
        ((line(requests=["G7"]),), "alarm-001: there is no gold request G7"),
        ((line(requests=["/chess?intent=play"]),), "alarm-001, 'as told': "),
    ],
)
def test_bad_input_is_one_line(ossia, tmp_path, lines, sentence):
    done = ossia("dataset", "audit", written(tmp_path, *lines))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_file_that_is_not_there_is_one_line(ossia, tmp_path):
    done = ossia("dataset", "audit", tmp_path / "nowhere.jsonl")
    assert done.returncode == 2
    assert done.stderr == f"ossia: {tmp_path / 'nowhere.jsonl'}: No such file or directory\n"
