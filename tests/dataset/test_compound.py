"""The compound tasks are many, of many kinds, and need more than one request or a condition."""

from collections import Counter

from ossia_dataset.assistant.auto_slurp.catalogue import PARAMETERS
from ossia_dataset.assistant.quality import Rule, Split, find_problems
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.world_tasks import GoldKind, Part, WorldTask

TASKS = assistant_tasks("test", "assistant-compound")
CONDITIONAL = [task for task in TASKS if any(part.condition for part in task.gold.parts)]


def test_there_are_enough_of_each_kind() -> None:
    kinds = Counter(task.gold.kind for task in TASKS)
    assert len(TASKS) >= 66
    assert len(CONDITIONAL) >= 30
    assert kinds[GoldKind.NONE] >= 16
    assert kinds[GoldKind.ANSWER] >= 3
    assert sum(bool(part.taken) for task in TASKS for part in task.gold.parts) >= 20


def test_every_domain_is_spoken_of() -> None:
    assert {name for task in TASKS for name in task.domains} == set(PARAMETERS)


def test_each_needs_several_requests_or_hangs_on_an_answer() -> None:
    for task in TASKS:
        assert len(task.gold.parts) >= 2
        assert task.suite == "assistant-compound"
        assert len(task.gold.gold_requests()) > 1 or task in CONDITIONAL, task.id


def test_what_hangs_on_a_condition_comes_after_what_tells_it() -> None:
    for task in CONDITIONAL:
        first = next(part for part in task.gold.parts if part.condition)
        assert task.gold.parts.index(first) > 0


def test_clocks_and_homes_vary() -> None:
    assert len({task.now for task in TASKS}) >= 40
    assert len({task.home for task in TASKS}) >= 5


def test_the_set_keeps_the_rules() -> None:
    assert find_problems([Split(TASKS)]) == ()


def changed(task: WorldTask, number: int, **fields: object) -> WorldTask:
    parts = list(task.gold.parts)
    parts[number] = Part.model_validate({**parts[number].model_dump(), **fields})
    return task.model_copy(update={"gold": task.gold.model_copy(update={"parts": tuple(parts)})})


def test_the_rules_hold_for_each_part() -> None:
    task = next(task for task in TASKS if task.gold.kind is GoldKind.NONE)
    other = task.model_copy(update={"gold": task.gold.model_copy(update={"kind": GoldKind.CHANGE})})
    last = len(task.gold.parts) - 1
    for wrong, rule in (
        (changed(task, 0, intent="alarm_set"), Rule.INTENT),
        (changed(task, last, slots={"song_name": "x"}), Rule.SLOT_NAME),
        (
            changed(task, last, slots={**task.gold.parts[last].slots, "x": "zyzzyva"}),
            Rule.SLOT_WORDS,
        ),
        (changed(task, last, condition="it hails"), Rule.SLOT_WORDS),
        (changed(task, 0, time={}), Rule.TIME),
        (other, Rule.KIND),
    ):
        assert rule in {problem.rule for problem in find_problems([Split((wrong,))])}, rule
