"""A run on three nodes of a real Ray cluster: a node lost in the middle, and where keys are not."""

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from time import sleep

import pytest

from benchmarks.cluster import processes
from benchmarks.ray_nodes import ray_nodes
from ossia.adapters import find_adapter, install, ossia_home
from ossia.runner.store import RunStore
from tests.ossia.cli.test_live import KEY, Upstream, running

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    # Not imported here, as Ray reads the token of the cluster when it is.
    pytest.mark.skipif(find_spec("ray") is None, reason="no wheel of Ray for this system"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    environments = ossia_home(os.environ)
    install(find_adapter("control", environments))
    folder = tmp_path_factory.mktemp("home")
    (folder / "envs").symlink_to(environments / "envs")
    return folder


@pytest.fixture(scope="module")
def nodes(home):
    with ray_nodes(OSSIA_HOME=str(home), UPSTREAM_KEY=KEY) as found:
        yield found


def begun(home, *arguments, what=("compare", "-f", "control")):
    return subprocess.Popen(
        [sys.executable, "-m", "ossia", *what, *arguments],
        env={**os.environ, "OSSIA_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def played(home):
    """What the latest run holds of each episode, but for times and random names."""
    folder = max((home / "runs").iterdir(), key=lambda run: run.stat().st_mtime_ns)
    with RunStore(folder) as store:
        return {
            trace.episode.id: (trace.ending, trace.answer, trace.diff, grade.model_dump_json())
            for trace, grade in store.readable_episodes()
        }


def test_a_run_whose_node_is_lost_ends_as_without_a_cluster(nodes, home):
    asked = ("--limit", "24", "--model", "offline:delay=0.1")
    command = begun(home, *asked, "--engine", "ray", "--address", nodes.address)
    for line in command.stderr:
        if "episodes" in line:
            break
    nodes.lose(nodes.others[0])
    shown, said = command.communicate(timeout=300)
    assert command.returncode == 0, said
    assert "aylet" not in shown + said
    there = played(home)
    alone = begun(home, *asked, "--fresh")
    _, said = alone.communicate(timeout=300)
    assert alone.returncode == 0, said
    assert there == played(home)
    assert len(there) == 24


def attributed(home, *where):
    command = begun(home, "--json", *where, what=("attribute",))
    if where:
        # Once it works its processes are there; Ray begins the lost one anew.
        while not (parts := [pid for pid, title in processes() if "ray::Attributing" in title]):
            assert command.poll() is None
            sleep(0.02)
        os.kill(parts[0], signal.SIGKILL)
    shown, said = command.communicate(timeout=300)
    assert command.returncode == 0, said
    return [{**each, "cpu_s": 0} for each in json.loads(shown)["attributions"]]


def test_failures_are_attributed_as_without_a_cluster(nodes, home):
    command = begun(home, "--limit", "24", "--model", "offline:noise=0.1,seed=5")
    _, said = command.communicate(timeout=300)
    assert command.returncode == 0, said
    there = attributed(home, "--engine", "ray", "--address", nodes.address)
    for kept in (home / "runs").glob("*/attribution.sqlite*"):
        kept.unlink()
    assert there == attributed(home)
    assert len(there) > 5


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:99999999", "127.0.0.1:x"])
def test_an_address_where_nothing_listens_is_told_at_once(home, address):
    command = begun(home, "--limit", "2", "--fresh", "--engine", "ray", "--address", address)
    shown, said = command.communicate(timeout=100)
    assert (command.returncode, shown) == (2, "")
    assert said.splitlines()[-1].startswith(f"ossia: --address {address}: ")


def paid(url, *limits):
    model = ("--model", "tiny-1", "--base-url", f"{url}/v1", "--api-key-env", "UPSTREAM_KEY")
    return (*model, "--price-as", "openai/gpt-4o", "--model-param", "max_tokens=100", *limits)


def test_a_limit_of_cost_is_held_and_keys_of_nodes_are_nowhere_in_what_ray_keeps(nodes, home):
    upstream = Upstream()
    where = ("--engine", "ray", "--address", nodes.address)
    with running(upstream) as url:
        command = begun(home, *paid(url, "--limit", "6", "--max-cost", "0.01"), *where)
        _, said = command.communicate(timeout=300)
        assert command.returncode == 3, said
        assert "--max-cost" in said
        # A request of the upstream's kind costs 100 * 2.5 + 10 * 10 millionths of a dollar.
        assert 0 < upstream.calls * 0.00035 <= 0.01
        command = begun(home, *paid(url, "--limit", "6", "--max-cost", "1"), *where)
        _, said = command.communicate(timeout=300)
    assert command.returncode == 0, said
    assert upstream.calls * 0.00035 > 0.01
    assert " USD" in said
    files = [path for path in Path(nodes.folder).rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_run_stops_whose_account_cannot_be_reached(nodes, home):
    upstream = Upstream()
    upstream.seconds = 0.3
    where = ("--engine", "ray", "--address", nodes.address)
    with running(upstream) as url:
        command = begun(home, *paid(url, "--limit", "30", "--max-cost", "5", "--jobs", "2"), *where)
        for line in command.stderr:
            if "episodes" in line:
                break
        (account,) = [pid for pid, title in processes() if "ray::Mailbox" in title]
        os.kill(account, signal.SIGKILL)
        _, said = command.communicate(timeout=300)
    assert command.returncode == 3, said
    assert said.splitlines()[-1].startswith("ossia: the Ray cluster is lost")
    assert "Traceback" not in said
