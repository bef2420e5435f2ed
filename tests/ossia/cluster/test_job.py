"""What travels to a node, and what a node refuses."""

import shutil

import pytest

from ossia.adapters import find_adapter, sdk_project
from ossia.cluster.crew import shares_of
from ossia.cluster.job import Job, equipment, pack_adapters, unpacked
from ossia.errors import UserError
from ossia.run_plan import Wish, plan_run
from ossia.runner.config import USUAL_BUDGET
from ossia.session import Means
from ossia.tasks import Choice
from ossia_servers.gateway import UpstreamOptions


@pytest.fixture
def made(tmp_path):
    """Plan a run and pack its job."""

    def make(framework, model="offline", keys=()):
        wish = Wish(
            (str(framework),), "assistant", "test", (model,), 1, USUAL_BUDGET, Choice(limit=2)
        )
        plan = plan_run(wish, tmp_path / "driver")
        bundles = pack_adapters(plan.config.frameworks, plan.adapters)
        return Job(plan.config, plan.tasks, bundles, keys, jobs=2, paced=False)

    return make


@pytest.fixture
def own_adapter(tmp_path):
    """An adapter that Ossia does not bring, with what must not travel."""
    folder = tmp_path / "mine"
    shutil.copytree(sdk_project().parent / "control", folder)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "large").write_bytes(b"0" * 10_000)
    return folder


def test_an_adapter_of_ones_own_travels_and_is_the_same_there(
    made, own_adapter, tmp_path, monkeypatch
):
    job = made(own_adapter)
    (bundle,) = job.bundles.values()
    digest = find_adapter(str(own_adapter), tmp_path).digest
    shutil.rmtree(own_adapter)
    installed = []
    monkeypatch.setattr("ossia.cluster.job.install", installed.append)
    for _ in range(2):
        (info,) = unpacked(job, tmp_path / "node")
        assert info.digest == digest
        assert info.project.is_relative_to(tmp_path / "node")
        assert not (info.project / ".venv").exists()
    assert [each.project for each in installed] == [info.project] * 2
    assert [each.name for each in (tmp_path / "node" / "projects").iterdir()] == [digest]
    assert b"large" not in bundle


def test_what_comes_with_ossia_does_not_travel(made):
    assert made("control").bundles == {}


def test_a_node_with_another_ossia_or_another_adapter_is_refused(made, own_adapter, tmp_path):
    job = made("control")
    other = Job(job.config.model_copy(update={"ossia": "0.0.1"}), job.tasks, {}, (), 2, False)
    with pytest.raises(
        UserError, match=r"the run uses 0\.0\.1: install the same version on every node"
    ):
        unpacked(other, tmp_path)
    (framework,) = job.config.frameworks
    changed = framework.model_copy(update={"source": "0123456789abcdef"})
    config = job.config.model_copy(update={"frameworks": (changed,)})
    with pytest.raises(UserError, match="its adapter 'control' differs from the run's"):
        unpacked(Job(config, job.tasks, {}, (), 2, False), tmp_path)


def test_a_node_reads_keys_of_its_own_and_the_files_of_the_run(made, tmp_path, monkeypatch):
    script = tmp_path / "script.toml"
    job = made("control", "openai/gpt-4o", keys=("UPSTREAM_KEY",))
    monkeypatch.delenv("UPSTREAM_KEY", raising=False)
    with pytest.raises(UserError, match="UPSTREAM_KEY is empty or not set"):
        equipment(job, (), UpstreamOptions())
    monkeypatch.setenv("UPSTREAM_KEY", "sk-of-this-node-0123456789")
    opened = equipment(job, (), UpstreamOptions())
    assert "sk-of-this-node" not in repr((job, opened))
    script.write_text("[[rule]]\nanswer = 'x'\n")
    job = made("control", f"scripted:{script}")
    script.write_text("[[rule]]\nanswer = 'y'\n")
    with pytest.raises(UserError, match="is missing or differs"):
        equipment(job, (), UpstreamOptions())


def test_nodes_play_by_their_cpus_and_one_without_plays_nothing():
    assert shares_of(8, {"a": 2.0, "b": 2.0}) == {"a": 4, "b": 4}
    assert shares_of(10, {"a": 2.0, "b": 8.0}) == {"a": 2, "b": 8}
    assert shares_of(1, {"a": 2.0, "b": 8.0}) == {"b": 1}


def test_an_engine_that_is_not_there_is_refused():
    with pytest.raises(UserError, match="there is no engine 'rey'; there are: local, ray"):
        Means(jobs=1, engine="rey")
