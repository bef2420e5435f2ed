"""Models by role and side by side, as a user asks for them."""

import csv
import json
import sqlite3
import zlib

import pytest

from ossia.runner.config import RunConfig
from ossia.runner.plan import plan
from ossia.runner.store import RunStore

NOISY = "offline:noise=0.5,seed=3"
BOTH = ("--model", "offline", "--model", NOISY)
COMPARE = ("compare", "-f", "control", "--limit", "6", "--jobs", "2")


def run_folder(home):
    (folder,) = (home / "runs").iterdir()
    return folder


@pytest.fixture
def compared(ossia):
    """A comparison of two models, as JSON; its run is the latest."""
    done = ossia(*COMPARE, *BOTH, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_two_models_are_laid_side_by_side(compared):
    result = compared
    assert result["models"] == ["offline", NOISY]
    assert [(x["framework"], x["model"]) for x in result["frameworks"]] == [
        ("control", "offline"),
        ("control", NOISY),
    ]
    assert result["planned"] == result["finished"] == 12
    (pair,) = result["pairs"]
    assert (pair["of"], pair["within"]) == ("models", "control")
    accuracy = [line["metrics"]["frame_exact"] for line in result["frameworks"]]
    assert [share["of"] for share in accuracy] == [6, 6]


def test_a_run_of_two_models_is_resumed(ossia, home, compared):
    with RunStore(run_folder(home)) as store:
        before = {name: store.trace(name) for name in store.episodes()}
        run = store.config().run_id
    assert {trace.episode.model for trace in before.values()} == {"offline", NOISY}
    assert {e.model for trace in before.values() for e in trace.gateway.exchanges} == {
        "offline",
        NOISY,
    }
    with sqlite3.connect(run_folder(home) / "run.sqlite") as database:
        gone = next(name for name in before if name.endswith(".m2"))
        database.execute("DELETE FROM episodes WHERE id = ?", (gone,))
        database.execute("DELETE FROM scores WHERE episode = ?", (gone,))
    resumed = ossia("resume", run)
    assert resumed.returncode == 0, resumed.stderr
    for part in (
        "m1 = offline",
        f"m2 = {NOISY}",
        "Intent accuracy, exact, by domain",
        "control router: m1 / m2",
    ):
        assert part in resumed.stdout
    with RunStore(run_folder(home)) as store:
        again = store.trace(gone)
    assert again.answer == before[gone].answer
    assert [e.response for e in again.gateway.exchanges] == [
        e.response for e in before[gone].gateway.exchanges
    ]


def test_two_models_are_reported_and_one_of_them_is_replayed(ossia, compared, tmp_path):
    reported = ossia("report", "--out", tmp_path / "out")
    assert reported.returncode == 0, reported.stderr
    rows = list(csv.DictReader((tmp_path / "out" / "episodes.csv").open()))
    assert {row["model"] for row in rows} == {"offline", NOISY}
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "control router m2" in page
    assert 'id="by-group-frame_exact"' in page

    mixed = ossia("tape", "--out", tmp_path / "tape.jsonl")
    assert mixed.returncode == 2
    assert f"several models: m1 = offline, m2 = {NOISY}; name one with --model" in mixed.stderr
    unknown = ossia("tape", "--model", "m3")
    assert unknown.returncode == 2
    assert "no model 'm3'" in unknown.stderr
    assert ossia("tape", "--out", tmp_path / "tape.jsonl", "--model", "m2").returncode == 0
    replayed = ossia(*COMPARE, "--model", f"replay:{tmp_path / 'tape.jsonl'}", "--json")
    (line,) = json.loads(replayed.stdout)["frameworks"]
    assert line["success"] == compared["frameworks"][1]["success"]


def test_roles_are_answered_by_the_models_that_are_named_for_them(ossia, home, tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"rules": [{"answer": "It is done."}]}))
    done = ossia(*COMPARE, "--model", "response=scripted:script.json,*=offline")
    assert done.returncode == 0, done.stderr
    with RunStore(run_folder(home)) as store:
        config = store.config()
        traces = list(store.traces())
    # Stored as it is found from any folder.
    assert config.models == (f"response=scripted:{script},*=offline",)
    assert config.model_hashes[0]
    for trace in traces:
        assert trace.answer == "It is done."
        for exchange in trace.gateway.exchanges:
            assert exchange.model == ("scripted" if exchange.role == "response" else "offline")


@pytest.mark.parametrize(("suite", "role"), [("workbench", "email"), ("workbench-react", "agent")])
def test_the_roles_that_may_be_named_are_those_of_the_suites_team(ossia, home, suite, role):
    command = ("run", "control", "--suite", suite, "--limit", "2", "--jobs", "2", "--force")
    model = f"{role}=offline:noise=0.5,seed=3,*=offline"
    done = ossia(*command, "--model", model, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["models"] == [model]
    with RunStore(run_folder(home)) as store:
        asked = {e.role: e.model for trace in store.traces() for e in trace.gateway.exchanges}
    assert asked.get("manager") == ("offline" if suite == "workbench" else None)
    resumed = ossia("resume", "--json")
    assert json.loads(resumed.stdout)["models"] == [model], resumed.stderr


@pytest.mark.parametrize("suite", ["workbench", "workbench-react", "workbench-react-all"])
@pytest.mark.parametrize("model", [None, "offline:noise=0.5,seed=3", "{}=gpt-4o,*=offline"])
def test_a_model_that_cannot_play_the_suite_is_refused(ossia, home, suite, model):
    model = model and model.format("manager" if suite == "workbench" else "agent")
    named = () if model is None else ("--model", model)
    done = ossia("compare", "-f", "control", "--suite", suite, "--limit", "1", *named)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"'{model or 'offline'}' cannot play the suite '{suite}'" in done.stderr
    assert (
        "use --model gold or --model literal or --model idle (made from the tasks, to prove the"
        in done.stderr
    )
    assert not (home / "runs").exists()


@pytest.mark.parametrize(
    ("suite", "model"),
    [
        ("assistant", "offline"),
        ("assistant", "offline:noise=0.5,seed=3"),
        ("assistant", "replay:tape.jsonl"),
        ("assistant", "response=scripted:script.json,*=offline"),
        ("workbench", "gold"),
        ("workbench-react", "idle"),
    ],
)
def test_a_model_that_answers_always_alike_is_not_repeated(ossia, home, suite, model):
    command = ("compare", "-f", "control", "--suite", suite, "--limit", "1", "--model", model)
    done = ossia(*command, "--repeats", "2", "--force")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "--repeats 2 has no effect: the model '" in done.stderr
    assert not (home / "runs").exists()


@pytest.mark.parametrize(
    ("suite", "roles"),
    [
        ("assistant", "manager, intent, time, location, url, request, response"),
        ("assistant-compound", "manager, intent, time, location, url, request, response"),
        (
            "workbench",
            "manager, calendar, email, analytics, project_management,"
            " customer_relationship_manager, response",
        ),
        ("workbench-react", "agent"),
        ("workbench-react-all", "agent"),
    ],
)
def test_a_role_that_the_team_lacks_is_told_with_those_it_has(ossia, home, suite, roles):
    done = ossia("run", "control", "--suite", suite, "--model", "clerk=offline,*=offline")
    assert done.returncode == 2
    assert (
        f"names an unknown role: 'clerk'; the roles are {roles}, and * for all others"
        in done.stderr
    )
    assert done.stderr.count("\n") == 1
    assert not (home / "runs").exists()


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        (("offline:noise=7",), "needs a noise between 0 and 1"),
        (("tiem=offline,*=offline",), "names an unknown role: 'tiem'"),
        (("intent=offline",), "names no model for the other roles"),
        (("offline:file=nowhere.json",), "cannot be read"),
        (("local:tuned",), "/tuned cannot be asked: Ossia no longer serves tuned models"),
        (("intent=local:tuned,*=offline",), "no longer serves tuned models"),
    ],
)
def test_a_model_that_cannot_be_had_is_one_line_and_code_2(ossia, models, sentence):
    options = [part for model in models for part in ("--model", model)]
    done = ossia(*COMPARE, *options)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_run_of_an_earlier_format_is_told_apart(ossia, home):
    assert ossia(*COMPARE[:4], "1").returncode == 0
    with sqlite3.connect(run_folder(home) / "run.sqlite") as database:
        (text,) = database.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
        old = {**json.loads(text), "version": 1, "model": "offline"}
        del old["models"]
        database.execute("UPDATE meta SET value = ? WHERE key = 'config'", (json.dumps(old),))
    done = ossia("report")
    assert done.returncode == 2
    assert "format 1" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_run_of_a_tuned_model_that_ossia_served_can_still_be_read(ossia, home, tmp_path):
    (tmp_path / "script.json").write_text(json.dumps({"rules": [{"answer": "It is done."}]}))
    done = ossia(*COMPARE, "--model", "response=scripted:script.json,*=offline", "--json")
    assert done.returncode == 0, done.stderr
    new, old = f"scripted:{tmp_path}/script.json", "local:/gone/tuned"
    with sqlite3.connect(run_folder(home) / "run.sqlite") as database:
        database.execute("UPDATE meta SET value = replace(value, ?, ?)", (new, old))
        database.execute("UPDATE episodes SET model = replace(model, ?, ?)", (new, old))
        for name, blob in database.execute("SELECT id, trace FROM episodes").fetchall():
            text = zlib.decompress(blob).replace(new.encode(), old.encode())
            database.execute(
                "UPDATE episodes SET trace = ? WHERE id = ?", (zlib.compress(text), name)
            )
    with RunStore(run_folder(home)) as store:
        config = store.config()
    assert config.models == (f"response={old},*=offline",)
    run_folder(home).rename(home / "runs" / config.run_id)
    for command in (("report", "--out", tmp_path / "out"), ("rescore", "--json"), ("attribute",)):
        read = ossia(*command)
        assert read.returncode == 0, read.stderr
    assert old in (tmp_path / "out" / "report.html").read_text("utf-8")
    shown = ossia("show", "control.alarm-001.1")
    assert (shown.returncode, "It is done." in shown.stdout) == (0, True), shown.stderr
    resumed = ossia("resume")
    assert (resumed.returncode, resumed.stdout, resumed.stderr.count("\n")) == (2, "", 1)
    assert f"{old} cannot be asked: Ossia no longer serves tuned models" in resumed.stderr


def test_one_model_keeps_plain_names_and_several_are_numbered():
    config = RunConfig(
        suite="assistant",
        tasks="test",
        dataset_hash="0",
        task_ids=("a", "b"),
        frameworks=({"name": "one", "source": "0"}, {"name": "two", "source": "0"}),
        models=("offline",),
    )
    assert [key.id for key in plan(config)] == ["one.a.1", "two.a.1", "one.b.1", "two.b.1"]
    both = config.model_copy(update={"models": ("offline", "openai/gpt-4o")})
    assert [(key.id, key.model) for key in plan(both)][:3] == [
        ("one.a.1.m1", "offline"),
        ("one.a.1.m2", "openai/gpt-4o"),
        ("two.a.1.m1", "offline"),
    ]
    assert both.run_id != config.run_id
