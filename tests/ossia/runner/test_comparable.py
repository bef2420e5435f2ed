"""Runs on different datasets are not laid side by side unless that is forced."""

import pytest

from ossia.errors import UserError
from ossia.runner.comparable import require_same_dataset
from ossia.runner.config import RunConfig

BASE = {
    "suite": "assistant",
    "tasks": "test",
    "dataset_hash": "aaaa",
    "set_hash": "ffff",
    "dataset_version": "1.0",
    "task_ids": ("a",),
    "frameworks": (),
    "models": ("offline",),
}


def config(**changes):
    return RunConfig.model_validate({**BASE, **changes})


def test_other_tasks_of_the_same_set_are_the_same_dataset():
    require_same_dataset([config(), config(dataset_hash="bbbb", task_ids=("b",)), config()])
    require_same_dataset([config()])


@pytest.mark.parametrize(
    "changes",
    [
        {"dataset_version": "1.1"},
        {"set_hash": "eeee"},
        {"suite": "assistant-compound"},
        {"dataset_version": "", "set_hash": ""},
    ],
)
def test_different_datasets_are_refused_unless_forced(changes):
    with pytest.raises(UserError, match=r"were made with different datasets: .*version 1\.0"):
        require_same_dataset([config(), config(**changes)])
    require_same_dataset([config(), config(**changes)], force=True)
