"""The office's suites and scores, as a user starts them."""

import csv
import json
import re
import subprocess
import sys

import httpx
import pytest

from ossia.suites.workbench import office_tasks
from ossia_dataset.builtin import present_version, recorded_version
from ossia_dataset.workbench.generator import generate_tasks
from ossia_dataset.workbench.published import DOMAINS

from ....adapters.support.environments import installed

pytestmark = pytest.mark.framework("control")


def test_published_data_is_imported_proven_and_played(ossia, data, tmp_path):
    out = tmp_path / "imported"
    done = ossia("dataset", "import", "workbench", data, "--out", out)
    assert "690 tasks of release wb-unknown-" in done.stdout, done.stderr
    assert (
        "690 of 690 tasks proven" in ossia("dataset", "check", out, "--suite", "workbench").stdout
    )
    played = ossia(
        *("compare", "-f", "control", "--suite", "workbench-react", "--tasks", out),
        *("--model", "gold", "--limit", "6", "--jobs", "2", "--json"),
    )
    (framework,) = json.loads(played.stdout)["frameworks"]
    assert framework["success"]["count"] == 6


def test_the_generator_makes_other_offices(ossia, tmp_path):
    done = ossia("dataset", "generate", "workbench", "--seed", "5", "--out", tmp_path / "five")
    assert done.returncode == 0, done.stderr
    checked = ossia("dataset", "check", tmp_path / "five/retrieval", "--suite", "workbench")
    assert checked.returncode == 0
    assert "80 of 80 tasks proven" in checked.stdout
    # A fact that is told twice is not missed when it is left out once: a wrong answer passes.
    lines = (tmp_path / "five/retrieval/tasks.jsonl").read_text("utf-8").splitlines()
    first = json.loads(lines[0])
    first["gold"]["facts"] *= 2
    (tmp_path / "weak").mkdir()
    (tmp_path / "weak/tasks.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]), "utf-8")
    weak = ossia("dataset", "check", tmp_path / "weak", "--suite", "workbench")
    assert weak.returncode == 1
    assert f"{first['id']}: the answer does not tell " in weak.stdout
    assert "79 of 80 tasks proven" in weak.stdout


def test_the_built_in_sets_have_a_version(ossia):
    for suite in ("workbench", "workbench-react"):
        assert ossia("dataset", "list", "--suite", suite).stdout.startswith(
            f"{suite}: version {recorded_version('workbench').version}\n"
        )
    known = recorded_version("workbench")
    # Else: `ossia dataset record`.
    assert present_version(known.version, "workbench", office_tasks) == known


@pytest.mark.parametrize(("options", "status"), [((), 404), (("--compat", "2024"), 200)])
def test_the_servers_behave_as_published_on_request(environ, tmp_path, options, status):
    command = [sys.executable, "-m", "ossia", "serve", "--port", "0", "--suite", "workbench"]
    with subprocess.Popen(
        [*command, *options], cwd=tmp_path, env=environ, stdout=subprocess.PIPE, text=True
    ) as serving:
        try:
            url, world = re.search(
                r"at (\S+), .* first world: (\S+)", serving.stdout.readline()
            ).groups()
            wanted = {"intent": "update_event", "event_id": "00000001"}
            answer = httpx.post(
                f"{url}/calendar",
                json={**wanted, "field": "room", "new_value": "B2"},
                headers={"X-Ossia-World": world},
            )
        finally:
            serving.terminate()
    assert answer.status_code == status, answer.text


def test_an_unknown_suite_is_one_line(ossia):
    done = ossia("compare", "-f", "control", "--suite", "office")
    assert done.returncode == 2
    assert "there are: assistant, assistant-compound, flowbench, " in done.stderr


def play(ossia, framework, suite, models, tasks, limit):
    """Run some tasks by several models at once; returns what came of each model."""
    installed(framework)
    chosen = [option for model in models for option in ("--model", model)]
    done = ossia(
        *("compare", "-f", framework, "--suite", suite, "--tasks", tasks, *chosen),
        *("--limit", limit, "--jobs", "4", "--json", "--force"),
    )
    assert done.returncode == 0, done.stderr
    return {found["model"]: found for found in json.loads(done.stdout)["frameworks"]}


def idle_tasks(limit):
    tasks = generate_tasks("test")
    chosen = [tasks[index * len(tasks) // limit] for index in range(limit)]
    return sum(not task.gold.gold_requests() for task in chosen)


def counts(line):
    return line["success"]["count"], line["metrics"]["side_effects"]["count"]


# Other frameworks do such tasks in checks of adapters and in `test_rules_adapters.py`.
@pytest.mark.parametrize(
    ("suite", "limit"), [("workbench", 6), ("workbench-react", 3), ("workbench-react-all", 3)]
)
def test_the_control_plays_the_teams(ossia, suite, limit):
    found = play(ossia, "control", suite, ("gold", "idle", "offline"), "test", limit)
    assert set(found) == {"gold", "idle", "offline"}
    for line in found.values():
        assert (line["episodes"], line["invalid"]) == (limit, 0)
    gold, idle = found["gold"], found["idle"]
    assert counts(gold) == (limit, 0)
    # Doing nothing succeeds exactly where nothing is to be done.
    assert 0 < idle_tasks(limit) < limit
    assert counts(idle) == (idle_tasks(limit), 0)


def test_two_tasks_of_each_template_by_the_control(ossia, tmp_path):
    limit = 138
    found = play(ossia, "control", "workbench", ("gold", "idle"), "test", limit)
    gold, idle = found["gold"], found["idle"]
    assert counts(gold) == (limit, 0)
    assert counts(idle) == (idle_tasks(limit), 0)
    # Whoever was asked first did nothing; what the others should have done nobody asked them for.
    kits = {*DOMAINS} - {"multi_domain"}
    assert set(idle["failures_by_role"]) == {*kits, "manager"}
    told = ossia("score", "workbench-run", "--templates", "--json")
    by_model = json.loads(told.stdout)
    right = idle_tasks(limit)
    assert by_model["control, gold"]["total"]["correct"] == limit
    assert by_model["control, idle"]["total"] == {
        "name": "all",
        "tasks": limit,
        "correct": right,
        "side_effects": 0,
        "succeeded": right,
    }
    assert len(by_model["control, idle"]["by_template"]) == 69
    assert by_model["control, idle"]["errors"] == {"no_actions": [0, limit - right]}
    assert ossia("report", "--out", tmp_path / "report").returncode == 0
    assert json.loads((tmp_path / "report/workbench.json").read_text("utf-8")) == by_model
    written = (tmp_path / "report/workbench.csv").read_text("utf-8")
    assert written == ossia("score", "workbench-run", "--csv").stdout
    lines = list(csv.DictReader(written.splitlines()))
    assert sum(line["group"] == "template" for line in lines) == 2 * 69
    assert {line["group"] for line in lines} == {"domain", "need", "actions", "template", "error"}
    page = (tmp_path / "report/report.html").read_text("utf-8")
    for kind in ("domain", "need", "actions", "template", "errors"):
        assert f'id="workbench-{kind}">' in page


def test_questions_are_scored_by_the_facts_of_the_answer(ossia):
    found = play(ossia, "control", "workbench", ("gold", "idle"), "retrieval", 16)
    assert found["gold"]["success"]["count"] == 16
    assert found["idle"]["success"]["count"] == 0


def test_releases_are_never_mixed_even_by_force(ossia, tmp_path, home):
    ossia("dataset", "generate", "workbench", "--seed", "5", "--out", tmp_path / "five")
    small = "compare -f control --suite workbench-react --model idle --limit 1 --json".split()
    first = json.loads(ossia(*small).stdout)["run"]
    for force in ((), ("--force",)):
        done = ossia(*small, "--tasks", tmp_path / "five/test", "--with", first, *force)
        assert (done.returncode, done.stdout) == (2, "")
        assert "use different releases: office-1-5 and office-1-1" in done.stderr
        assert done.stderr.count("\n") == 1
    assert [path.name for path in (home / "runs").iterdir()] == [first]
