"""The office's suites and scores, as a user starts them."""

import ast
import csv
import json
import re
import subprocess
import sys

import httpx
import pytest

from ossia.suites.workbench import office_tasks
from ossia_dataset.builtin import present_version, recorded_version
from ossia_dataset.workbench.database import COLUMNS
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_dataset.workbench.generator import generate_tasks
from ossia_dataset.workbench.published import DOMAINS, FILES
from ossia_evaluation.workbench.actions import write_action

from ....adapters.support.environments import installed

pytestmark = pytest.mark.framework("control")

OTHER_RUN = 'email.delete_email.func(email_id="00000001")'


def actions(task):
    return [
        write_action(
            f"{request.domain}.{request.params['intent']}",
            {name: text for name, text in request.params.items() if name != "intent"},
        )
        for request in task.gold.gold_requests()
    ]


def write(file, columns, rows):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        if columns:
            writer.writerow(columns)
        writer.writerows(rows)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder in the publication's layout, filled with the generated office."""
    folder = tmp_path_factory.mktemp("workbench")
    for table, file in FILES.items():
        rows = generated_database(office_seed(1)).tables[table]
        header = COLUMNS[table] if len(COLUMNS[table]) > 1 else ()
        write(folder / file, header, [[row[c] or "" for c in COLUMNS[table]] for row in rows])
    tasks = generate_tasks("test")
    for domain in DOMAINS:
        mine = [task for task in tasks if task.gold.domain == domain]
        truths = folder / f"processed/queries_and_answers/{domain}_queries_and_answers.csv"
        head = ("query", "answer", "base_template", "chosen_template", "domains")
        rows = [
            (t.utterance, actions(t), t.gold.intent, t.gold.intent, list(t.toolkits)) for t in mine
        ]
        write(truths, head, rows)
        runs = [(t.utterance, actions(t), "{}", "") for t in mine]
        runs[-1] = (mine[-1].utterance, [OTHER_RUN], "{}", "")
        results = folder / f"results/{domain}/model_all.csv"
        write(results, ("query", "function_calls", "full_response", "error"), runs)
        judged = [(t.utterance, True, False, str(results)) for t in mine]
        judged[-1] = (mine[-1].utterance, False, True, str(results))
        oracle = folder / f"oracle/all__model__{domain}.csv"
        write(oracle, ("query", "correct", "side_effects", "source_file"), judged)
    return folder


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
    assert alone.returncode == 2 and "holds no recorded run" in alone.stderr
    done = ossia("score", "workbench-log", results, "--oracle", data / "oracle")
    assert done.returncode == 1
    assert "email/model_all.csv: holds no recorded run; the oracle judges 90" in done.stdout
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
        ("query,function_calls,error\n", "holds no recorded run"),
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
        ((log, "--data", empty), "holds no WorkBench data"),
        ((log, "--oracle", empty), "holds no verdict of model_all.csv"),
    ):
        done = ossia("score", "workbench-log", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr and done.stderr.count("\n") == 1


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
    done = ossia("compare", "-f", "control", "--suite", "workbank")
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


PLAYED = [
    pytest.param(name, suite, limit, marks=pytest.mark.framework(name))
    for suite, limit, names in (
        # That every framework does tasks of this suite is a check of adapters, and tested there.
        ("workbench", 6, ("control", "langgraph")),
        ("workbench-react", 3, ("control", "autogen")),
        ("workbench-react-all", 3, ("control",)),  # The same agent with more tools.
    )
    for name in names
]


def counts(line):
    return line["success"]["count"], line["metrics"]["side_effects"]["count"]


@pytest.mark.parametrize(("framework", "suite", "limit"), PLAYED)
def test_adapters_play_the_teams(ossia, framework, suite, limit):
    found = play(ossia, framework, suite, ("gold", "idle", "offline"), "test", limit)
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


@pytest.mark.parametrize(
    ("framework", "limit"),
    [("control", 16), pytest.param("agentlite", 4, marks=pytest.mark.framework("agentlite"))],
)
def test_questions_are_scored_by_the_facts_of_the_answer(ossia, framework, limit):
    found = play(ossia, framework, "workbench", ("gold", "idle"), "retrieval", limit)
    assert found["gold"]["success"]["count"] == limit
    assert found["idle"]["success"]["count"] == 0


def test_releases_are_never_mixed_even_by_force(ossia, tmp_path, home):
    ossia("dataset", "generate", "workbench", "--seed", "5", "--out", tmp_path / "five")
    small = "compare -f control --suite workbench-react --model idle --limit 1 --json".split()
    first = json.loads(ossia(*small).stdout)["run"]
    for force in ((), ("--force",)):
        done = ossia(*small, "--tasks", tmp_path / "five/test", "--with", first, *force)
        assert (done.returncode, done.stdout) == (2, "")
        assert "rest on different releases: office-1-5 and office-1-1" in done.stderr
        assert done.stderr.count("\n") == 1
    assert [path.name for path in (home / "runs").iterdir()] == [first]
