"""How well a model reads: the figures of its frames."""

import pytest

from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.assistant.contract import Frame
from ossia_evaluation.assistant.frames import Reader, figures, single
from ossia_servers.assistant.catalogue import load_domains


@pytest.fixture(scope="module")
def tasks():
    return single(assistant_tasks("test"))


@pytest.fixture(scope="module")
def reader():
    return Reader(load_domains())


def frame_of(task):
    return Frame(task.gold.domain, task.gold.intent, task.gold.slots)


def test_the_gold_frame_has_every_figure(tasks, reader):
    readings = [reader.judge(task, frame_of(task)) for task in tasks[::9]]
    result = figures(readings)
    shares = (result.intent, result.slot_f1, result.exact, result.meant, result.lenient)
    assert (*shares, result.success) == (1.0,) * 6


def test_a_frame_without_its_slots_has_the_intent_alone(tasks, reader):
    task = next(t for t in tasks if t.id.startswith("alarm") and t.gold.kind is GoldKind.CHANGE)
    reading = reader.judge(task, Frame(task.gold.domain, task.gold.intent, {}))
    assert reading.intent_right
    assert not (reading.exact or reading.meant or reading.lenient or reading.success)
    assert reading.right_slots == 0


def test_a_wrong_domain_is_wrong_throughout(tasks, reader):
    task = next(t for t in tasks if t.gold.domain == "weather")
    reading = reader.judge(task, Frame("nowhere", "weather_query", task.gold.slots))
    assert not (reading.intent_right or reading.exact or reading.lenient or reading.success)
