"""Who&When at the command line: logs in, figures out, and our own failures as logs."""

import json

import pytest

from ossia.attribution.store import AttributionStore, digest_of
from ossia.run_plan import tasks_of
from ossia.runner.find import find_run
from ossia.runner.store import RunStore
from ossia_evaluation.attribution import Attribution, Cause, Status
from ossia_evaluation.grade import Verdict


def log(agents, agent, step, *, key="name", **changes):
    speakers = [{key: name, "content": "..."} for name in agents]
    data = {"question": "?", "history": speakers, "mistake_agent": agent, "mistake_step": str(step)}
    return {**data, **changes}


@pytest.fixture
def clone(tmp_path):
    """Two logs in one collection, and one in the other."""
    logs = {
        "Algorithm-Generated/1.json": log(["A", "Computer_terminal", "B"], "A", 0),
        "Algorithm-Generated/2.json": log(["A", "B", "B", "A"], "B", 1),
        "Hand-Crafted/1.json": log(["human", "O (thought)", "W"], "W", 12, key="role"),
    }
    for name, data in logs.items():
        path = tmp_path / "clone" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data), "utf-8")
    return tmp_path / "clone"


def predictions(tmp_path, name, *rows):
    path = tmp_path / name
    text = "".join(f"Prediction for {n}:\nAgent Name: {a}\nStep Number: {s}\n" for n, a, s in rows)
    path.write_text(text, "utf-8")
    return path


def test_import_prints_the_baselines_of_each_collection(ossia, clone, tmp_path):
    done = ossia(
        *("dataset", "import", "who-and-when", clone, "--notes", "--out", tmp_path / "logs.jsonl")
    )
    assert done.returncode == 0, done.stderr
    assert "note hand-crafted/1.json: the label's step 12 is beyond the end" in done.stdout
    assert "algorithm-generated (2 logs)" in done.stdout
    assert "The labelled agent speaks at the labelled step in 2/2" in done.stdout
    assert "3 logs imported, 1 notes" in done.stdout
    assert len((tmp_path / "logs.jsonl").read_text("utf-8").splitlines()) == 3


def test_scores_stand_beside_the_baselines(ossia, clone, tmp_path):
    file = predictions(tmp_path, "m_alg_generated.txt", ("1.json", "A", 10), ("2.json", "B", 1))
    other = predictions(tmp_path, "m_handcrafted.txt", ("1.json", "W", 12))
    done = ossia("score", "who-and-when", file, other, "--logs", clone, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["version"] == 1
    assert [one["collection"] for one in found["collections"]] == [
        "algorithm-generated",
        "hand-crafted",
    ]
    first, second = (one["score"] for one in found["files"])
    assert (first["step"]["count"], first["step_substring"]["count"]) == (1, 2)
    assert (first["agent"]["count"], first["both"]["count"]) == (2, 1)
    assert second["step"]["count"] == 1
    table = ossia("score", "who-and-when", file, "--logs", clone).stdout
    assert "step %, near" in table
    assert "most frequent agent's first step" in table


def test_bad_input_is_one_line_and_exit_code_2(ossia, clone, tmp_path):
    file = predictions(tmp_path, "mine.txt", ("1.json", "A", 0))
    empty = predictions(tmp_path, "empty.txt")
    broken = clone / "Hand-Crafted" / "7.json"
    for words, expected in (
        (("score", "who-and-when", file), "name the folder of the logs with --logs"),
        (("score", "who-and-when", file, "--logs", clone), "say --collection"),
        (("score", "who-and-when", empty, "--logs", clone), "contains no block"),
        (("score", "who-and-when", tmp_path / "no.txt", "--logs", clone), "no such file"),
        (("dataset", "import", "who-and-when", tmp_path / "nowhere"), "no such folder"),
        (("dataset", "import", "who-and-what", clone), "did you mean who-and-when?"),
    ):
        done = ossia(*words)
        assert done.returncode == 2, words
        assert expected in done.stderr
        assert done.stderr.count("\n") == 1
    broken.write_text('{"question": "?"}', "utf-8")
    done = ossia("dataset", "import", "who-and-when", clone)
    assert (done.returncode, done.stderr) == (
        2,
        f"ossia: {broken}: 'history' is not a list of messages\n",
    )


def test_a_collection_may_be_named(ossia, clone, tmp_path):
    file = predictions(tmp_path, "mine.txt", ("1.json", "W", 12))
    done = ossia(
        *("score", "who-and-when", file, "--logs", clone, "--collection", "hand-crafted", "--json")
    )
    assert json.loads(done.stdout)["files"][0]["score"]["step"]["count"] == 1


def test_failures_of_a_run_become_logs_that_read_back(ossia, home, tmp_path):
    done = ossia(
        *("run", "control", "--model", "offline:noise=0.3,seed=1", "--limit", "12", "--jobs", "2")
    )
    assert done.returncode == 0, done.stderr
    out = tmp_path / "exported"
    done = ossia("export", "who-and-when", "--out", out)
    assert done.returncode == 0, done.stderr
    files = sorted(out.glob("*.json"))
    assert files
    assert f"{len(files)} logs written to {out}: {len(files)} labelled by rules" in done.stdout
    for file in files:
        data = json.loads(file.read_text("utf-8"))
        assert data["history"][int(data["mistake_step"])]["name"] == data["mistake_agent"]
        assert data["ossia"]["source"] == "rules"
    done = ossia("score", "who-and-when", "--logs", out, "--json")
    (figures,) = json.loads(done.stdout)["collections"]
    assert figures["logs"] == len(files)
    assert figures["label_is_speaker"] == {"count": len(files), "of": len(files)}
    attributed = name_another_step(home)
    done = ossia("export", "who-and-when", "--out", out)
    assert "1 labelled by intervention" in done.stdout
    data = json.loads((out / f"{attributed}.json").read_text("utf-8"))
    assert (data["mistake_agent"], data["mistake_step"]) == ("manager", "0")
    assert data["mistake_reason"] == "manager called url"


def name_another_step(home):
    """Store an attribution of the run's first failure to its first step; returns the episode."""
    folder = find_run(home, None)
    with RunStore(folder) as store, AttributionStore(folder) as known:
        episode = next(e for e in store.episodes() if store.score(e).verdict is Verdict.FAILURE)
        trace = store.trace(episode)
        task = tasks_of(store.config())[trace.episode.task]
        fields = {
            "step": 0,
            "situation": "manager@start",
            "role": "manager",
            "responsibility": 1.0,
            "necessary": True,
            "sufficient": True,
            "said": "url",
            "meant": "intent",
            "fault": "called url",
            "remedy": "with intent",
        }
        cause = Cause(**{name: v for name, v in fields.items() if name in Cause.model_fields})
        found = Attribution(
            episode=episode,
            task=task.id,
            framework="control",
            domain=task.gold.domain,
            intent=task.gold.intent,
            status=Status.ATTRIBUTED,
            reason="as told",
            causes=(cause,),
            decisive="manager@start",
        )
        known.put(found, digest_of(task, trace))
    return episode
