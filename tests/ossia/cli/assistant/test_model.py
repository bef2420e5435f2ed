"""`ossia model train` and `ossia model evaluate`, as a user sees them."""

import re

from typer.testing import CliRunner

from ossia.cli.app import build_app
from ossia.errors import UserError
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.tasks import write_tasks
from ossia_servers.assistant.offline.understanding.corpus import Corpus, load_corpus

TESTS = assistant_tasks("test")
CSV = "id,sentence,intent,slots\n1,ring me at six,alarm_set,\"['time : six']\"\n"


def run(*arguments, code=0):
    done = CliRunner().invoke(build_app(), ["model", *map(str, arguments)])
    if isinstance(done.exception, UserError):
        assert code == 2
        return str(done.exception)
    assert done.exit_code == code, done.output
    return done.output


def test_evaluate_shows_domains_times_and_errors(tmp_path):
    some = [task for task in TESTS if task.gold.domain in ("alarm", "podcasts")]
    file = tmp_path / "some.jsonl"
    write_tasks(file, some)
    told = run("evaluate", "--tasks", file, "--errors")
    for line in (r"alarm +\d+ +\d\.\d{3}", rf"all +{len(some)} ", r"answers in .* loaded in"):
        assert re.search(line, told)
    assert re.search(r"\n    read   \w+ \{.*\n    meant  \w+ \{", told)


def test_train_writes_a_model_that_evaluate_reads(tmp_path, monkeypatch):
    corpus = load_corpus()
    small = tuple(e for e in corpus.examples if e.domain in ("alarm", "stock", "general"))
    monkeypatch.setattr(
        "ossia_servers.assistant.offline.understanding.corpus.load_corpus",
        lambda: Corpus(small, corpus.gazetteers),
    )
    csv, file, tasks = tmp_path / "mine.csv", tmp_path / "model.json", tmp_path / "tasks.jsonl"
    csv.write_text(CSV, "utf-8")
    write_tasks(tasks, [task for task in TESTS if task.gold.domain == "alarm"])
    told = run("train", "--with", "auto-slurp", csv, "--output", file)
    assert f"{len(small)} utterances of our own, 1 published" in told
    assert re.search(
        r"all +\d+ +(1\.000|0\.[89])", run("evaluate", "--model", file, "--tasks", tasks)
    )


def test_bad_input_is_one_line(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{}", "utf-8")
    assert "no such file" in run("evaluate", "--model", tmp_path / "none.json", code=2)
    assert "damaged" in run("evaluate", "--model", broken, code=2)
    assert "no such file" in run("train", "--with", "auto-slurp", tmp_path / "no.csv", code=2)
    assert "auto-slurp" in run("train", "--with", "other", broken, code=2)
    assert "--folds" in run("train", "--folds", 1, code=2)
