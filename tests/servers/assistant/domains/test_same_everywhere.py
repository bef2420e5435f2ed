"""The frozen world says the same, byte for byte, in every process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ossia_dataset
import ossia_servers
import ossia_workflows

SCRIPT = """
import json
from ossia_servers.assistant.catalogue import load_domains
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_servers.worlds.execute import execute
from ossia_servers.worlds import WorldStore

domains = {domain.name: domain for domain in load_domains()}
store = WorldStore(load_domains())
for task in assistant_tasks("test"):
    world = store.create(task.id, seed=task.seed, now=task.now, home=task.home)
    for request in (*task.setup, *task.gold.gold_requests()):
        done = execute(store, world, domains[request.domain], request.params)
        print(task.id, done.status, json.dumps(done.body))
    print(repr(world.diff()))
"""


def said(hash_seed: str) -> bytes:
    """Run gold requests of every domain in a process of their own; return what they answer."""
    packages = (ossia_dataset, ossia_servers, ossia_workflows)
    folders = [str(Path(str(package.__file__)).parents[1]) for package in packages]
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(folders),
        "TZ": "Pacific/Auckland" if hash_seed == "1" else "America/Denver",
    }
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=120)
    return done.stdout


@pytest.mark.slow
def test_two_processes_with_other_hashes_and_time_zones_say_the_same() -> None:
    first = said("1")
    assert first.count(b"\n") > 100
    assert said("2") == first
