"""Which tasks of a set are chosen, and what is told where none fits."""

import pytest

from ossia.errors import UserError
from ossia.suites import find_suite
from ossia.tasks import Choice, choose, find_task
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


def test_a_task_that_is_misspelt_is_looked_for_in_its_own_suite_alone(monkeypatch):
    asked = []

    def found(name):
        asked.append(name)
        return find_suite(name)

    monkeypatch.setattr("ossia.tasks.find_suite", found)
    with pytest.raises(UserError) as told:
        find_task("alarm-0001", "assistant")
    assert "'assistant' have no task 'alarm-0001'; did you mean alarm-001 or" in str(told.value)
    assert "--suite NAME looks in those of another suite, --tasks FILE in your own" in str(
        told.value
    )
    assert set(asked) == {"assistant"}
