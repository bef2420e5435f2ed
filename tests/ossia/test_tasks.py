"""Which tasks of a set are chosen, and what is told where none fits."""

import pytest

from ossia.errors import UserError
from ossia.tasks import Choice, choose
from ossia_dataset.tasks import Task

TASKS = tuple(Task(id=name, suite="sums", utterance=f"1 + {name}") for name in "ab")


def test_a_set_without_domains_is_told_as_such():
    with pytest.raises(UserError) as told:
        choose(TASKS, Choice(domains=("2",)))
    assert str(told.value) == "the task set has no domain '2': its tasks have no domains"


def test_a_task_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(UserError, match=r"has no task 'x'; it has a, b$"):
        choose(TASKS, Choice(ids=("x",)))
    assert choose(TASKS, Choice(ids=("b",))) == (TASKS[1],)
