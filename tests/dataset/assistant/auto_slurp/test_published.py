"""The published files themselves: every row imports, and the servers serve what it asks for."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from ossia_dataset.assistant.auto_slurp import (
    CHANGING,
    DOMAIN_OF,
    PARAMETERS,
    Import,
    read_auto_slurp,
)
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.tasks import Request, dump_task, parse_task
from ossia_dataset.world_tasks import GoldKind
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import Executed, execute
from ossia_servers.worlds.world import World

DATA = Path(__file__).parents[5] / "shared" / "data" / "auto-slurp"
NOW = datetime(2026, 3, 13, 10, 0)
HOME = "New York, New York"

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the published Auto-SLURP data is not beside the tree"
)


def published(name: str) -> Import:
    return read_auto_slurp(DATA / name, now=NOW, home=HOME)


@pytest.fixture(scope="module")
def store() -> Iterator[WorldStore]:
    opened = WorldStore(load_domains())
    yield opened
    opened.close()


@needs_data
@pytest.mark.parametrize(("name", "rows"), [("test.csv", 100), ("train.csv", 1000)])
def test_every_row_imports(name: str, rows: int) -> None:
    result = published(name)
    assert result.rejected == ()
    assert len({task.id for task in result.tasks}) == rows
    assert all(parse_task(dump_task(task), AssistantTask) == task for task in result.tasks)


@needs_data
def test_the_test_rows_are_as_counted_by_hand() -> None:
    tasks = published("test.csv").tasks
    domains = Counter(task.gold.domain for task in tasks)
    # Two rows of chit-chat stand under qa in the file's own domain column.
    assert domains["general"] == 2
    assert domains["calendar"] == 17
    assert domains["iot"] == 12
    assert sum(bool(task.gold.dropped) for task in tasks) == 4


@needs_data
def test_the_repairs_of_the_test_rows_are_told() -> None:
    repaired = {note.row_id for note in published("test.csv").notes}
    assert {"14933", "16989", "16717", "17138", "5635", "15032"} <= repaired


def test_the_servers_know_the_same_catalogue() -> None:
    domains = {domain.name: domain for domain in load_domains()}
    assert set(domains) == set(PARAMETERS) - {"general"}
    for name, domain in domains.items():
        assert {item.name for item in domain.fields} == set(PARAMETERS[name])
        assert {intent.name for intent in domain.intents} == {
            intent for intent, owner in DOMAIN_OF.items() if owner == name
        }
        for intent in domain.intents:
            assert intent.writes is (intent.name in CHANGING)


def served(store: WorldStore, world: World, request: Request) -> Executed:
    domains = {domain.name: domain for domain in load_domains()}
    return execute(store, world, domains[request.domain], request.params)


def refusals(store: WorldStore, world: World, task: AssistantTask) -> list[str]:
    """Run a task's setup and gold requests; say what did not go as its kind promises."""
    found = [
        f"setup {request.url}: {executed.body['msg']}"
        for request in task.setup
        if (executed := served(store, world, request)).record.code != "SUCCESS"
    ]
    expected = "CLARIFICATION" if task.gold.kind is GoldKind.CLARIFICATION else "SUCCESS"
    changed = False
    for request in task.gold.gold_requests():
        executed = served(store, world, request)
        changed = changed or bool(executed.record.changes)
        if executed.record.code != expected:
            found.append(f"{request.url}: {executed.body['msg']}")
    if not found and changed is not (task.gold.kind is GoldKind.CHANGE):
        found.append(f"a task of kind {task.gold.kind} with changes: {changed}")
    return found


@needs_data
def test_the_servers_serve_every_test_row(store: WorldStore) -> None:
    wrong = {}
    for task in published("test.csv").tasks:
        world = store.create(task.id, seed=task.seed, now=task.now, home=task.home)
        found = refusals(store, world, task)
        if found:
            wrong[task.id] = found
    assert wrong == {}


@needs_data
def test_the_servers_serve_nearly_every_train_row(store: WorldStore) -> None:
    tasks = published("train.csv").tasks
    wrong = {}
    for task in tasks:
        world = store.create(task.id, seed=task.seed, now=task.now, home=task.home)
        found = refusals(store, world, task)
        if found:
            wrong[task.id] = found
    assert len(wrong) <= len(tasks) // 100, wrong
