import asyncio
import os
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from benchmarks.attribution.cases import CaseMaker, Clean, Injected
from ossia.adapters import find_adapter, install, ossia_home
from ossia.attribution.attributor import Attributor
from ossia.attribution.replayer import open_replayer
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.tasks import find_tasks
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.tasks import dataset_hash
from ossia_dataset.world_tasks import Gold, GoldKind
from ossia_evaluation.assistant.contracts import AssistantContracts
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.faults import Catalogue, FaultMaker

WAKE = AssistantTask(
    id="wake",
    utterance="wake me up at half past seven tomorrow",
    gold=Gold(
        domain="alarm",
        intent="alarm_set",
        kind=GoldKind.CHANGE,
        slots={"time": "half past seven", "date": "tomorrow"},
        time={"time": "07:30", "date": "2026-03-14"},
    ),
)
WEATHER = AssistantTask(
    id="weather",
    utterance="what will the weather be in dallas tomorrow",
    gold=Gold(
        domain="weather",
        intent="weather_query",
        kind=GoldKind.ANSWER,
        slots={"place_name": "dallas", "date": "tomorrow"},
        time={"date": "2026-03-14"},
        place={"place_name": "Dallas, Texas"},
    ),
)
POUND = next(task for task in find_tasks("test", "assistant") if task.id == "currency-002")
"""A task without a time, in a domain that knows times."""


class Bench:
    """Injects faults into episodes of the control and attributes them."""

    def __init__(self, maker, replayer):
        self.maker = maker
        self.replayer = replayer

    async def attribute(self, task, *faults):
        """Attribute the first of some ways in which the faults do harm."""
        clean = await self.maker.clean(task, "control")
        assert isinstance(clean, Clean), "the offline model must master the task"
        for seed in range(10):
            case = await self.maker.inject(clean, [replace(fault, seed=seed) for fault in faults])
            if isinstance(case, Injected):
                return case, await self.maker.attribute(task, case.trace, case.score)
        raise AssertionError("the faults do no harm")


@pytest.fixture(scope="session")
def control():
    """How a worker of the control is started; its environment is made if it is missing."""
    info = find_adapter("control", ossia_home(os.environ))
    install(info)
    return info.worker


@asynccontextmanager
async def opened(control):
    """A bench with real services and a real worker of the control."""
    domains, tasks = load_domains(), (WAKE, WEATHER, POUND)
    config = RunConfig(
        suite="assistant",
        tasks="by hand",
        dataset_hash=dataset_hash(tasks),
        task_ids=tuple(task.id for task in tasks),
        frameworks=(FrameworkVersion(name="control", source="0"),),
        models=("offline",),
    )
    by_id, workers = {task.id: task for task in tasks}, {"control": control}
    scorer = AssistantScorer(domains)
    async with open_replayer(config, by_id, domains, workers, jobs=2) as replayer:
        attributor = Attributor(replayer, scorer, AssistantContracts(domains))
        faults = FaultMaker(Catalogue.of(domains))
        maker = CaseMaker(replayer, scorer, attributor, faults, OfflineModel.load())
        yield Bench(maker, replayer)


@pytest.fixture(scope="module")
def bench(control):
    """Run a test against the bench of its module."""
    with asyncio.Runner() as runner:
        context = opened(control)
        made = runner.run(context.__aenter__())
        yield lambda test: runner.run(test(made))
        runner.run(context.__aexit__(None, None, None))
