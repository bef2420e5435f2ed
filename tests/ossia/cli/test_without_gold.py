"""A run of tasks whose golds are all wrong asks models and servers for the very same."""

import json

import pytest

from ossia.runner.store import RunStore
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.tasks import dump_task
from ossia_evaluation.grade import Verdict

pytestmark = pytest.mark.framework("control")

TASKS = 12


def one_of_each_domain():
    """The first task of each of some domains."""
    first = {}
    for task in assistant_tasks("test"):
        first.setdefault(task.gold.domain, task)
    return list(first.values())[:TASKS]


def play(ossia, home, tmp_path, name, tasks):
    """Run tasks from a file; returns the traces and the verdicts by task."""
    file = tmp_path / f"{name}.jsonl"
    file.write_text("".join(dump_task(task) + "\n" for task in tasks), "utf-8")
    done = ossia("run", "control", "--tasks", file, "--jobs", "2", "--json")
    assert done.returncode == 0, done.stderr
    with RunStore(home / "runs" / json.loads(done.stdout)["run"]) as store:
        traces = {trace.episode.task: trace for trace in store.traces()}
        verdicts = {name: store.score(trace.episode.id).verdict for name, trace in traces.items()}
    return traces, verdicts


def wire(trace):
    """Everything that models and servers were asked in an episode and answered, and its end."""
    exchanges = [
        [one.role, one.request, one.forced, one.response, one.status]
        for one in trace.gateway.exchanges
    ]
    requests = [request.model_dump(mode="json") for request in trace.requests]
    return json.dumps([exchanges, requests, trace.answer], ensure_ascii=False).encode()


def test_no_gold_reaches_a_model_or_an_agent(ossia, home, tmp_path):
    tasks = one_of_each_domain()
    assert len({task.gold.domain for task in tasks}) == TASKS
    golds = [task.gold for task in tasks]
    strange = [
        task.model_copy(update={"gold": gold})
        for task, gold in zip(tasks, (*golds[1:], golds[0]), strict=True)
    ]
    traces, verdicts = play(ossia, home, tmp_path, "true", tasks)
    others, other_verdicts = play(ossia, home, tmp_path, "strange", strange)
    assert traces.keys() == others.keys() == {task.id for task in tasks}
    assert all(trace.gateway.exchanges for trace in traces.values())
    assert any(trace.requests for trace in traces.values())
    for name, trace in traces.items():
        assert wire(trace) == wire(others[name]), name
    # Where the golds were read, they were read: by the scorer.
    assert Verdict.SUCCESS in verdicts.values()
    assert set(other_verdicts.values()) == {Verdict.FAILURE}
