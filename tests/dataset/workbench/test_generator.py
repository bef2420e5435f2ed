"""The generated office and its tasks."""

import re
from collections import Counter
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia.suites.workbench import office_tasks
from ossia_dataset.builtin import builtin_sets
from ossia_dataset.tasks import TaskError
from ossia_dataset.workbench.database import Database, read_database, write_database
from ossia_dataset.workbench.generated import generated_database, names, office_seed
from ossia_dataset.workbench.generator import (
    TASK_SETS,
    disagreement,
    generate_tasks,
    office_of,
)
from ossia_dataset.workbench.office import read_day, say_day
from ossia_dataset.workbench.templates.all import templates
from ossia_dataset.world_tasks import GoldKind


@pytest.mark.parametrize("task_set", TASK_SETS)
def test_the_builtin_sets_are_those_of_the_generator(task_set):
    assert builtin_sets("workbench") == TASK_SETS
    assert office_tasks(task_set) == generate_tasks(task_set)


SPREAD = {2: (70, 100), 3: (13, 33), 4: (7, 24), **dict.fromkeys(range(5, 13), (0, 14))}
"""Fewest and most tasks by number of actions; published: 88, 23, 14, 2, 5, 3, 4, 3, 2, 6, 2."""


@pytest.mark.parametrize("seed", [1, 2])
def test_the_spread_is_the_published_one(seed):
    tasks = generate_tasks("test", seed)
    assert Counter(task.gold.domain for task in tasks) == {
        "analytics": 120,
        "calendar": 110,
        "customer_relationship_manager": 80,
        "email": 90,
        "multi_domain": 210,
        "project_management": 80,
    }
    counts = Counter(len(task.gold.gold_requests()) for task in tasks)
    assert counts[0] == 122
    # Two standard deviations around the mean of the published generator.
    assert abs(counts[1] - 417) <= 13
    assert abs(len(tasks) - counts[0] - counts[1] - 152) <= 10
    # Of single numbers above one only the published set is known.
    assert {n: counts[n] for n, (low, high) in SPREAD.items() if not low <= counts[n] <= high} == {}
    assert 15 <= sum(counts[number] for number in range(5, 13)) <= 45
    assert max(counts) == 12
    idle = Counter(task.gold.domain for task in tasks if not task.gold.gold_requests())
    assert idle == {
        "analytics": 40,
        "calendar": 11,
        "customer_relationship_manager": 8,
        "email": 1,
        "multi_domain": 41,
        "project_management": 21,
    }


def test_questions_have_facts_and_ask_for_nothing_else():
    tasks = generate_tasks("retrieval")
    assert len(tasks) >= 60
    assert all(task.gold.kind is GoldKind.ANSWER and task.gold.facts for task in tasks)


@pytest.mark.parametrize("seed", [1, 77])
@pytest.mark.parametrize("task_set", TASK_SETS)
def test_every_truth_is_what_its_prompt_asks_for(task_set, seed):
    tasks = generate_tasks(task_set, seed)
    assert [task.id for task in tasks if disagreement(task) is not None] == []
    assert len({task.id for task in tasks}) == len({task.utterance for task in tasks}) == len(tasks)


def test_a_changed_prompt_no_longer_agrees():
    task = next(t for t in generate_tasks("test") if t.gold.intent == "ca-cancel-next")
    others = [name for name in office_of(task.seed).people if name not in task.utterance]
    person = next(name for name in office_of(task.seed).people if name in task.utterance)
    said = [task.utterance.replace(person, other) for other in others]
    wrong = [task.model_copy(update={"utterance": text}) for text in said]
    assert all(disagreement(item) is not None for item in wrong)


def test_each_template_has_three_phrasings_with_the_same_placeholders():
    for task_set in TASK_SETS:
        for item in templates(task_set):
            assert len(set(item.phrasings)) == 3
            for number in range(3):
                values = {name: f"x{place}" for place, name in enumerate(item.placeholders)}
                assert list(item.read(item.say(number, values))) == [values]


def test_the_office_is_the_same_for_the_same_seed_and_another_for_another():
    first, second = (generated_database(office_seed(seed)) for seed in (1, 2))
    generated_database.cache_clear()
    assert generated_database(office_seed(1)).tables == first.tables
    assert first.digest != second.digest


def test_the_office_is_sound():
    database = generated_database(office_seed(1))
    sizes = {name: len(rows) for name, rows in database.tables.items()}
    assert sizes == {
        "analytics.visits": 1000,
        "calendar.events": 300,
        "company_directory.people": 20,
        "customer_relationship_manager.customers": 200,
        "email.emails": 500,
        "project_management.tasks": 300,
    }
    events = database.tables["calendar.events"]
    ends = datetime.min
    for event in events:
        start = datetime.fromisoformat(event["event_start"])
        assert start >= ends and start.weekday() < 5 and start.hour >= 9
        ends = start + timedelta(minutes=int(event["duration"]))
        assert ends <= start.replace(hour=18, minute=0)
    firsts = [name.split()[0].lower() for name in names()["people"]]
    addresses = [row["email_address"] for row in database.tables["company_directory.people"]]
    for first in firsts:
        assert sum(first in address for address in addresses) == 1


@pytest.mark.parametrize("seed", ["home", "office-1-", "office-2-1", "office-1-1x"])
def test_another_name_is_no_office(seed):
    with pytest.raises(TaskError, match="no office is called"):
        generated_database(seed)


@given(st.dates(datetime(2023, 9, 1).date(), datetime(2023, 12, 31).date()))
def test_days_are_read_as_they_are_said(day):
    assert read_day(say_day(day)) == day


def test_databases_are_stored_with_their_version(tmp_path):
    database = generated_database(office_seed(1))
    file = tmp_path / "database.json"
    write_database(file, database)
    assert read_database(file) == database
    file.write_text(file.read_text("utf-8").replace('"version":1', '"version":9'), "utf-8")
    with pytest.raises(TaskError, match="no WorkBench database: version"):
        read_database(file)
    with pytest.raises(TaskError, match="no such file"):
        read_database(tmp_path / "none.json")


def test_a_database_has_exactly_its_columns():
    tables = dict(generated_database(office_seed(1)).tables)
    tables["email.emails"] = ({"email_id": "1"},)
    with pytest.raises(ValueError, match=r"email\.emails, row 1: other columns"):
        Database(release="x", tables=tables)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_fact_of_a_question_stands_in_its_prompt(seed):
    for task in generate_tasks("retrieval", seed):
        said = set(re.findall(r"\w+", task.utterance.lower()))
        assert not said & {fact.lower() for fact in task.gold.facts}, task.utterance
        assert len(set(task.gold.facts)) == len(task.gold.facts)
