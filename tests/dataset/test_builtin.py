"""The built-in test set is large enough, sound, unseen, and provable."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from ossia_dataset.auto_slurp import DOMAIN_OF, PARAMETERS
from ossia_dataset.builtin import builtin_sets, load_tasks
from ossia_dataset.quality import TEST_COVERAGE, find_problems, training_utterances
from ossia_dataset.tasks import GoldKind, TaskError, dump_task
from ossia_evaluation.gold import GoldRunner
from ossia_evaluation.proof import Prover
from ossia_servers.catalogue import load_domains

DATA = Path(__file__).parents[3] / "shared" / "data" / "auto-slurp"
TASKS = load_tasks("test")


def test_the_set_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    assert "test" in builtin_sets()
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(dump_task, TASKS[:3])), "utf-8")
    assert load_tasks(str(path)) == TASKS[:3]


def test_an_unknown_name_is_an_error_that_names_the_sets() -> None:
    with pytest.raises(TaskError, match=r"the built-in sets are: .*test"):
        load_tasks("tset")
    assert builtin_sets("no-suite") == ()
    with pytest.raises(TaskError, match="the built-in sets are: none"):
        load_tasks("test", "no-suite")


def test_there_are_enough_tasks() -> None:
    domains = Counter(task.gold.domain for task in TASKS)
    intents = Counter(task.gold.intent for task in TASKS)
    assert len(TASKS) >= 230
    assert set(domains) == set(PARAMETERS)
    assert set(intents) == set(DOMAIN_OF)
    assert min(domains.values()) >= 10
    assert min(intents.values()) >= 3


def test_the_tasks_are_of_every_kind_and_of_many_days_and_homes() -> None:
    kinds = Counter(task.gold.kind for task in TASKS)
    assert set(kinds) == set(GoldKind)
    assert kinds[GoldKind.CLARIFICATION] >= 10
    assert len({task.now.date() for task in TASKS}) >= 30
    assert len({task.home for task in TASKS}) >= 5


def test_ids_are_the_domain_and_a_number() -> None:
    for task in TASKS:
        domain, _, number = task.id.partition("-")
        assert domain == task.gold.domain
        assert number.isdigit() and len(number) == 3


def test_every_rule_is_kept() -> None:
    assert find_problems(TASKS, training_utterances(), TEST_COVERAGE) == ()


@pytest.mark.skipif(
    not DATA.is_dir(), reason="the published Auto-SLURP data is not beside the tree"
)
def test_no_task_is_a_published_one() -> None:
    published = []
    for name in ("test.csv", "train.csv"):
        with (DATA / name).open(encoding="utf-8-sig", newline="") as file:
            published += [row.get("query") or row["sentence"] for row in csv.DictReader(file)]
    assert len(published) == 1100
    assert find_problems(TASKS, published) == ()


def test_every_answer_rests_on_something_known() -> None:
    runner = GoldRunner(load_domains())
    for task in TASKS:
        if task.gold.kind is GoldKind.ANSWER:
            result = runner.gold(task).requests[-1].result
            assert result, task.id
            assert not any(row.get("asked") == "unknown" for row in result if "asked" in row)


def test_every_task_is_proven() -> None:
    prover = Prover(load_domains())
    proofs = [prover.prove(task) for task in TASKS]
    assert {proof.task: proof.problems for proof in proofs if proof.problems} == {}
    assert all(proof.mutants for proof in proofs)
