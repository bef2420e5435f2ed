import sys
from pathlib import Path

import pytest

from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.runner.run import Session
from ossia.worker import WorkerSpec
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.tasks import dataset_hash
from ossia_dataset.world_tasks import Gold, GoldKind
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline.opening import open_offline
from ossia_servers.gateway import Budget, open_model

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def worker():
    """How a worker with the control adapter, or with the moody one around it, is started."""
    modules = ("adapters/sdk", "adapters/control", "tests/ossia/runner/modules")
    return WorkerSpec(
        python=Path(sys.executable),
        entry="moody_adapter:ADAPTER",
        switches={"PYTHONPATH": ":".join(str(ROOT / module) for module in modules)},
    )


@pytest.fixture
def greeting():
    """Make a task of chit-chat, which needs few model calls."""
    gold = Gold(domain="general", intent="general_greet", kind=GoldKind.CHAT)

    def make(task_id, utterance):
        return AssistantTask(id=task_id, utterance=utterance, gold=gold)

    return make


@pytest.fixture
def make_session(worker):
    """Make a session of the moody framework on some tasks."""

    def make(tasks, *, model="offline", seconds=60.0, jobs=4, repeats=1, answers=None):
        config = RunConfig(
            suite="assistant",
            tasks="by hand",
            dataset_hash=dataset_hash(tasks),
            task_ids=tuple(task.id for task in tasks),
            frameworks=(FrameworkVersion(name="moody", source="0"),),
            models=(model,),
            repeats=repeats,
            budget=Budget(calls=60, tokens=400_000, seconds=seconds),
        )
        answering = {model: open_model(model, offline=open_offline) if answers is None else answers}
        by_id = {task.id: task for task in tasks}
        scorer = AssistantScorer(load_domains())
        workers = {"moody": worker}
        return Session(config, by_id, load_domains(), answering, workers, scorer, jobs)

    return make
