"""The assistant's own commands of `ossia dataset`, as a user sees them."""

import pytest

from ossia_dataset.assistant.tasks import AssistantTask, assistant_tasks
from ossia_dataset.tasks import dump_task, read_tasks


def run(ossia, *arguments, code=0):
    done = ossia("dataset", *arguments)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def test_facts_are_added_to_a_file(ossia, tmp_path):
    path = tmp_path / "own.jsonl"
    whole = next(one for one in assistant_tasks("test") if one.id == "alarm-001")
    bare = whole.model_copy(update={"gold": whole.gold.model_copy(update={"facts": ()})})
    path.write_text(dump_task(bare) + "\n", "utf-8")
    assert run(ossia, "facts", path) == "alarm-001: 07:30; 2026-03-14\n"
    assert read_tasks(path, AssistantTask) == (whole,)


def test_build_writes_elsewhere_and_lists_what_it_rejects(ossia, tmp_path):
    told = run(ossia, "build", "--domain", "phone", "--out", tmp_path, "--rejected")
    assert len(read_tasks(tmp_path / "phone.jsonl", AssistantTask)) >= 50
    assert "enough tasks of the intent ask back" in told


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("build", "--domain", "chess"), "no domain is called 'chess'"),
        (("facts", "nowhere"), "nowhere: no such file or folder"),
        (("import", "auto-slurp", "nowhere"), "nowhere: no such file"),
        (("import", "auto-slurp", "/dev"), "/dev: not a file"),
    ],
)
def test_bad_input_is_one_line(ossia, arguments, sentence):
    told = run(ossia, *arguments, code=2)
    assert sentence in told
    assert told.count("\n") == 1
