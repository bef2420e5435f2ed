"""Recorded runs of WorkBench, scored and held against the published verdicts."""

import ast
import csv
import json
import re

import pytest

from .conftest import write


def test_recorded_runs_are_scored_and_compared(ossia, data):
    done = ossia("score", "workbench-log", data / "results", "--oracle", data / "oracle")
    assert done.returncode == 0, done.stderr
    assert "690 of 690 oracle verdicts agree" in done.stdout
    assert re.search(r"all +690 +99\.13 +0\.87", done.stdout)


def test_a_difference_is_named_and_fails(ossia, data, tmp_path):
    oracle = tmp_path / "oracle"
    oracle.mkdir()
    text = (data / "oracle/all__model__email.csv").read_text("utf-8")
    (oracle / "email.csv").write_text(text.replace("True,False", "False,False", 1), "utf-8")
    log = data / "results/email/model_all.csv"
    done = ossia("score", "workbench-log", log, "--oracle", oracle)
    assert done.returncode == 1
    assert "email-0: correct True, side effects False; the oracle says False, False" in done.stdout
    assert "89 of 90 oracle verdicts agree" in done.stdout


def rewritten(file, target, change):
    """Write a changed copy of a CSV file's lines; the first one is its head."""
    with file.open(encoding="utf-8", newline="") as source:
        head, *lines = csv.reader(source)
    write(target, head, change(lines))


@pytest.mark.parametrize(
    ("change", "agreed", "told"),
    [
        (lambda lines: lines[:1], 1, "no run of "),
        (lambda lines: [*lines, lines[0], lines[0]], 89, "email-0: recorded 3 times"),
    ],
    ids=["cut", "doubled"],
)
def test_a_log_that_is_not_whole_differs(ossia, data, tmp_path, change, agreed, told):
    log = tmp_path / "email/model_all.csv"
    rewritten(data / "results/email/model_all.csv", log, change)
    oracle = ("--oracle", data / "oracle", "--data", data)
    done = ossia("score", "workbench-log", log, *oracle, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert f"{agreed} of 90 oracle verdicts agree" in done.stderr
    assert (found["oracle"]["verdicts"], found["oracle"]["agreed"]) == (90, agreed)
    differences = found["oracle"]["differences"]
    assert len(differences) == (89 if agreed == 1 else 1) and told in differences[0]


def test_an_empty_or_missing_file_of_a_folder_is_told(ossia, data, tmp_path):
    results = tmp_path / "results"
    for domain in ("email", "calendar"):
        log = f"{domain}/model_all.csv"
        rewritten(data / "results" / log, results / log, lambda lines: lines)
    rewritten(results / "email/model_all.csv", results / "email/model_all.csv", lambda lines: [])
    alone = ossia("score", "workbench-log", results, "--data", data)
    assert alone.returncode == 2 and "contains no recorded run" in alone.stderr
    done = ossia("score", "workbench-log", results, "--oracle", data / "oracle")
    assert done.returncode == 1
    assert "email/model_all.csv: contains no recorded run; the oracle judges 90" in done.stdout
    assert "analytics/model_all.csv: the file is missing; the oracle judges 120" in done.stdout
    assert "110 of 690 oracle verdicts agree" in done.stdout
    # A folder of one domain is whole without the others.
    whole = ossia("score", "workbench-log", results / "calendar", "--oracle", data / "oracle")
    assert whole.returncode == 0 and "110 of 110 oracle verdicts agree" in whole.stdout


def test_an_oracle_that_contradicts_itself_is_refused(ossia, data, tmp_path):
    oracle = tmp_path / "oracle"
    judged = data / "oracle/all__model__email.csv"
    rewritten(judged, oracle / "a.csv", lambda lines: lines)
    turn = {"True": "False", "False": "True"}
    rewritten(judged, oracle / "b.csv", lambda ls: [[ls[0][0], turn[ls[0][1]], *ls[0][2:]]])
    log = data / "results/email/model_all.csv"
    done = ossia("score", "workbench-log", log, "--oracle", oracle)
    assert done.returncode == 2 and "two verdicts of model_all.csv on" in done.stderr


def test_each_task_is_told(ossia, data, tmp_path):
    log = tmp_path / "email/model_all.csv"
    broken = "email.delete_email.func(id='1')"

    def spoil(lines):
        first = next(i for i, line in enumerate(lines) if line[1] != "[]")
        query, calls, *rest = lines[first]
        lines[first] = [query, str([broken, *ast.literal_eval(calls)]), *rest]
        return lines

    rewritten(data / "results/email/model_all.csv", log, spoil)
    table = tmp_path / "tasks.csv"
    done = ossia(
        *("score", "workbench-log", log, "--oracle", data / "oracle", "--data", data),
        *("--json", "--tasks-csv", table),
    )
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)["runs"]
    lines = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    assert len(runs) == len(lines) == 90
    for run, line in zip(runs, lines, strict=True):
        assert line["query"] == run["query"]
        assert line["correct"] == line["oracle_correct"] == str(run["correct"])
        assert line["oracle_side_effects"] == str(run["oracle"]["side_effects"])
        assert line["agrees"] == "True"
        assert json.loads(line["skipped"] or "[]") == run["skipped"]
    (skipped,) = [run["skipped"] for run in runs if run["skipped"]]
    assert skipped == [f"{broken}: unknown argument 'id'"]
    assert (runs[-1]["correct"], runs[-1]["side_effects"]) == (False, True)
    assert runs[-1]["category"] == lines[-1]["category"] == "other"


def test_the_scores_as_json(ossia, data):
    done = ossia("score", "workbench-log", data / "results/calendar/model_all.csv", "--json")
    found = json.loads(done.stdout)
    assert found["version"] == 2
    assert found["total"] == {
        "name": "all",
        "tasks": 110,
        "correct": 109,
        "side_effects": 1,
        "succeeded": None,
    }
    assert found["errors"] == {"other": [1, 0]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("query,function_calls\n", "the column 'error' is missing"),
        ("query,function_calls,error\n", "contains no recorded run"),
        ("query,function_calls,error\nx,[1],\n", "run 1: function_calls: no list of texts: '[1]'"),
        ("query,function_calls,error\nx,oops(,\n", "run 1: function_calls: no list of texts"),
        ("query,function_calls,error\nno such task,[],\n", "no task of release"),
    ],
)
def test_a_bad_log_is_one_line(ossia, data, tmp_path, content, said):
    log = tmp_path / "log.csv"
    log.write_text(content, "utf-8")
    done = ossia("score", "workbench-log", log, "--data", data)
    assert done.returncode == 2
    assert done.stderr.startswith("ossia: ") and done.stderr.count("\n") == 1
    assert said in done.stderr


def test_missing_things_are_one_line(ossia, data, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    log = data / "results/email/model_all.csv"
    for arguments, said in (
        ((tmp_path / "none.csv",), "no such file or folder"),
        ((empty,), "no WorkBench data lies around"),
        ((log, "--data", empty), "contains no WorkBench data"),
        ((log, "--oracle", empty), "contains no verdict of model_all.csv"),
    ):
        done = ossia("score", "workbench-log", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr and done.stderr.count("\n") == 1
