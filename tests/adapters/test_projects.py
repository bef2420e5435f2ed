"""The adapters' projects are alike, as is the one that the template makes."""

import re
import tomllib

import pytest

from ossia.adapters import NewAdapter, make_project

from .support.environments import ADAPTERS, ROOT

MOST_LINES = 185
"""An adapter plays a team, or a single agent, and does nothing else."""

MOST_LINES_OF_A_VARIANT = 150
"""A module of an adapter with variants: one of them, or what they share."""


def read(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))


def check(folder, name):
    project = read(folder)
    module = f"ossia_adapter_{name.replace('-', '_')}"
    assert project["build-system"]["build-backend"] == "hatchling.build"
    assert project["project"]["name"] == f"ossia-adapter-{name}"
    assert project["project"]["readme"] == "README.md"
    # An index must never be asked for the SDK: Ossia installs its own.
    depended = project["project"]["dependencies"]
    assert not [each for each in depended if each.startswith("ossia-adapter")]
    assert not [each for each in depended if not any(mark in each for mark in "=<")]
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [module]
    declared = project["tool"]["ossia"]
    for each in declared.get("variants", [declared]):
        assert re.fullmatch(rf"{module}(\.\w+)?:ADAPTER", each["entry"])
    assert project["tool"]["mypy"]["strict"] is True
    assert (folder / module / "py.typed").is_file()
    assert (folder / "README.md").is_file()
    assert {"build-system", "project", "tool"} == project.keys()
    assert {"hatch", "ossia", "mypy"} == project["tool"].keys()


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_project_of_an_adapter(name):
    check(ROOT / "adapters" / name, name)


def test_the_project_that_the_template_makes(tmp_path, monkeypatch):
    monkeypatch.setenv("UV_OFFLINE", "1")
    make_project(NewAdapter("mine", "some-framework==1.0"), tmp_path / "mine")
    check(tmp_path / "mine", "mine")


def test_every_adapter_is_listed():
    folders = {path.parent.name for path in (ROOT / "adapters").glob("*/pyproject.toml")}
    assert folders == {"sdk", *ADAPTERS}
    page = (ROOT / "adapters" / "README.md").read_text("utf-8")
    for name in ADAPTERS:
        assert f"[{name}]({name}/README.md)" in page


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_is_short(name):
    """What is longer does the framework's or the harness's work."""
    folder = ROOT / "adapters" / name
    files = (folder / f"ossia_adapter_{name.replace('-', '_')}").rglob("*.py")
    lines = [len(file.read_text("utf-8").splitlines()) for file in files]
    if "variants" in read(folder)["tool"]["ossia"]:
        assert 0 < max(lines) <= MOST_LINES_OF_A_VARIANT
    else:
        assert 0 < sum(lines) <= MOST_LINES
