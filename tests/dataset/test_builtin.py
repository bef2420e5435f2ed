"""The built-in test set is large enough, sound, unseen, and provable."""

import csv
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from ossia_dataset import builtin
from ossia_dataset.assistant.auto_slurp import DOMAIN_OF, PARAMETERS
from ossia_dataset.assistant.quality import (
    TEST_COVERAGE,
    TRAIN_COVERAGE,
    Split,
    find_problems,
    training_utterances,
)
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.builtin import (
    builtin_sets,
    present_version,
    record_version,
    recorded_version,
)
from ossia_dataset.tasks import TaskError, dump_task
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.assistant.proof import AssistantProver
from ossia_evaluation.worlds.gold import GoldRunner
from ossia_servers.assistant.catalogue import load_domains
from tests.thinned import thinned

DATA = Path(__file__).parents[3] / "shared" / "data" / "auto-slurp"
TASKS = assistant_tasks("test")
TRAINING = assistant_tasks("train")


def test_the_set_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    assert "test" in builtin_sets("assistant")
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(dump_task, TASKS[:3])), "utf-8")
    assert assistant_tasks(str(path)) == TASKS[:3]


def test_an_unknown_name_is_an_error_that_names_the_sets() -> None:
    with pytest.raises(TaskError, match=r"the built-in sets are: .*test"):
        assistant_tasks("tset")
    assert builtin_sets("no-suite") == ()
    with pytest.raises(TaskError, match="the built-in sets are: none"):
        assistant_tasks("test", "no-suite")


def test_there_are_enough_tasks() -> None:
    for tasks, least, of_domain, of_intent in ((TASKS, 300, 12, 4), (TRAINING, 1200, 50, 15)):
        domains = Counter(task.gold.domain for task in tasks)
        intents = Counter(task.gold.intent for task in tasks)
        assert len(tasks) >= least
        assert set(domains) == set(PARAMETERS)
        assert set(intents) == set(DOMAIN_OF)
        assert min(domains.values()) >= of_domain
        assert min(intents.values()) >= of_intent


def test_the_tasks_are_of_every_kind_and_of_many_days_and_homes() -> None:
    kinds = Counter(task.gold.kind for task in TASKS)
    assert set(kinds) == set(GoldKind) - {GoldKind.NONE}
    assert kinds[GoldKind.CLARIFICATION] >= 10
    assert len({task.now.date() for task in TASKS}) >= 30
    assert len({task.home for task in TASKS}) >= 5


def test_ids_are_the_domain_and_a_number() -> None:
    for task in TASKS:
        domain, _, number = task.id.partition("-")
        assert domain == task.gold.domain
        assert number.isdigit() and len(number) == 3
    for task in TRAINING:
        word, domain, number = task.id.split("-")
        assert (word, domain) == ("train", task.gold.domain)
        assert number.isdigit() and len(number) == 3


@pytest.mark.slow
def test_every_rule_is_kept() -> None:
    splits = [
        Split(TASKS, TEST_COVERAGE, facts=True),
        Split(TRAINING, TRAIN_COVERAGE, held_out=False, facts=True),
    ]
    assert find_problems(splits, training_utterances()) == ()


def test_the_sets_are_what_is_recorded_of_their_version() -> None:
    known = recorded_version("assistant")
    assert known is not None
    assert present_version(known.version, "assistant", assistant_tasks) == known, (
        "see `ossia dataset record`"
    )
    assert set(known.sets) == {"test", "train"}
    assert recorded_version("no-suite") is None


@pytest.mark.skipif(
    not DATA.is_dir(), reason="the published Auto-SLURP data is not beside the tree"
)
@pytest.mark.slow
def test_no_task_is_a_published_one() -> None:
    published: dict[str, list[str]] = {}
    for name in ("test.csv", "train.csv"):
        with (DATA / name).open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            published[name] = [row.get("query") or row["sentence"] for row in rows]
    assert {name: len(texts) for name, texts in published.items()} == {
        "test.csv": 100,
        "train.csv": 1000,
    }
    for texts in published.values():
        assert find_problems([Split(TASKS)], texts) == ()
    assert find_problems([Split(TRAINING)], published["test.csv"]) == ()
    # Two people may say "turn the volume up"; more than a few such would be no chance.
    alike = {problem.task for problem in find_problems([Split(TRAINING)], published["train.csv"])}
    assert len(alike) <= 0.01 * len(TRAINING)


@pytest.mark.slow
def test_every_answer_rests_on_something_known() -> None:
    runner = GoldRunner(load_domains())
    for task in (*TASKS, *TRAINING):
        if task.gold.kind is GoldKind.ANSWER:
            result = runner.gold(task).requests[-1].result
            assert result, task.id
            assert not any(row.get("asked") == "unknown" for row in result if "asked" in row)


@pytest.mark.slow
def test_every_task_is_proven() -> None:
    prover = AssistantProver(load_domains())
    # Each training task was proven when it was built: here two of each intent at least.
    proven = (*TASKS, *thinned(TRAINING, 9))
    proofs = [prover.prove(task) for task in proven]
    unproven = [proof for proof in proofs if not proof.proven]
    assert {proof.task: (*proof.problems, *proof.surviving) for proof in unproven} == {}
    # Who is asked back has done nothing yet, whatever was asked of the server.
    asked_back = {t.id for t in proven if t.gold.kind is GoldKind.CLARIFICATION}
    assert all(p.mutants > len(p.idle) for p in proofs if p.task not in asked_back)


def test_an_earlier_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "_FOLDER", tmp_path)
    (tmp_path / "own" / "test").mkdir(parents=True)
    (tmp_path / "own" / "test" / "tasks.jsonl").write_text(dump_task(TASKS[0]) + "\n", "utf-8")
    assert record_version("1.9", "own", partial(assistant_tasks, suite="own")).version == "1.9"
    assert record_version("1.10", "own", partial(assistant_tasks, suite="own")) == recorded_version(
        "own"
    )
    with pytest.raises(ValueError, match=r"version 1\.10 is recorded already, which is later"):
        record_version("1.9", "own", partial(assistant_tasks, suite="own"))
