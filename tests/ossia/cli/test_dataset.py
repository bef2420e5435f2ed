"""`ossia dataset`, as a user sees it."""

import json

import pytest
from typer.testing import CliRunner

from ossia.cli.app import build_app
from ossia.errors import UserError
from ossia.suites import find_suite, suite_names
from ossia.tasks import find_tasks
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.builtin import recorded_version
from ossia_dataset.tasks import dataset_hash, write_tasks


def run(*arguments, code=0):
    """Run a command and return what it prints."""
    done = CliRunner().invoke(build_app(), ["dataset", *map(str, arguments)])
    if isinstance(done.exception, UserError):
        assert code == 2
        return str(done.exception)
    assert done.exit_code == code, done.output
    return done.output


def task(name):
    return next(one for one in assistant_tasks("test") if one.id == name)


def test_list_tells_every_suite_and_what_can_be_imported():
    told = run("list")
    lines = [tuple(line.split()) for line in told.splitlines()]
    for suite in suite_names():
        known = find_suite(suite).version
        if known is None:
            assert find_suite(suite).sets == ()
            continue
        for name, digest in known.sets.items():
            tasks = find_tasks(name, suite)
            shown = dataset_hash(tasks)
            assert (suite, name, f"{len(tasks):,}", known.version, shown) in lines
            # The turns are taken from the sessions, whose files the version records.
            assert shown == digest or suite == "flowbench-turns"
    for kind in ("auto-slurp", "workbench", "worfbench", "who-and-when"):
        assert f"\n  {kind} " in told
    assert max(map(len, told.splitlines())) <= 80


def test_list_tells_version_size_and_hash():
    told = run("list", "--suite", "assistant")
    known = recorded_version("assistant")
    assert f"assistant: version {known.version}" in told
    for name, digest in known.sets.items():
        assert f"assistant/{name}: {len(assistant_tasks(name))} tasks, hash {digest}" in told


def test_show_prints_all_of_a_change():
    told = run("show", "transport-004")
    for line in (
        "utterance  get me a taxi for eight am on monday to city hall",
        "intent     transport / transport_taxi",
        "slot       to_place_name = city hall",
        "time       date = 2026-05-18",
        "place      to_place_name = City Hall",
        "request    /transport?intent=transport_taxi&",
        "outcome    transport.taxis: added taxi-2 (",
        "fact       08:00",
        "roles      intent, then location and time, then url, then request, then response",
    ):
        assert line in told


def test_show_prints_the_rows_of_an_answer_and_the_question_of_a_clarification():
    assert "outcome    symbol 'AAPL'" in run("show", "stock-001")
    asked = run("show", "calendar-005")
    assert "outcome    the user is asked back" in asked
    assert "fact       when?" in asked


def test_show_finds_training_tasks_and_prints_json():
    told = run("show", "train-alarm-001", "--json")
    assert json.loads(told)["id"] == "train-alarm-001"
    assert "roles      intent, then response" in run("show", "general-001")
    assert "the task set 'test' has no task 'train-alarm-001'" in run(
        "show", "train-alarm-001", "--tasks", "test", code=2
    )


def test_check_proves_a_file_and_names_what_is_wrong(tmp_path):
    path = tmp_path / "own.jsonl"
    sound = task("alarm-001")
    write_tasks(path, [sound])
    assert "1 of 1 tasks proven" in run("check", path)
    wrong = sound.model_copy(update={"gold": sound.gold.model_copy(update={"facts": ("08:00",)})})
    again = sound.model_copy(update={"id": "b"})
    write_tasks(path, [wrong, again])
    told = run("check", path, code=1)
    assert "alarm-001: the fact '08:00' is not in the servers' answer" in told
    assert "b: It is nearly the task alarm-001." in told


def test_stats_are_tables_or_json(tmp_path):
    path = tmp_path / "own.jsonl"
    write_tasks(path, [task("alarm-001")])
    assert "| tasks | 1 |" in run("stats", path)
    (found,) = json.loads(run("stats", path, "--json")).values()
    assert (found["version"], found["tasks"]) == (1, 1)
    assert "once each, in this order" in run("stats", path, "--write", path, code=2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("list", "--suite", "x"), "suite is called 'x'"),
        (("stats", "--suite", "x"), "suite is called 'x'"),
        (("record", "1.1", "--suite", "x"), "suite is called 'x'"),
        (("record", "one"), "'one' is not a version"),
        (("show", "x"), "the built-in sets of the suite 'assistant' have no task 'x'"),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence):
    told = run(*arguments, code=2)
    assert sentence in told
    assert "\n" not in told
