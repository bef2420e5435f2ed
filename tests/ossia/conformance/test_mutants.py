"""Adapters made of the control by a small change of its text, each with one flaw to be found.

They are edited in place under one editable installation, as an author would work.
"""

import shutil
from pathlib import Path

import pytest

from ossia.adapters import InstallError, install, read_project, sdk_project
from ossia.conformance import CHECKS, cancelled, check_adapter

from ...adapters.support.environments import ROOT
from ...adapters.support.index import skip_or_fail
from .mutants import MUTANTS

pytestmark = pytest.mark.framework("control")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the control, installed editable."""
    folder = tmp_path_factory.mktemp("mutants")
    project = folder / "control"
    shutil.copytree(ROOT / "adapters" / "control", project)
    info = read_project(project, sdk=sdk_project(), home=folder / "home")
    try:
        install(info, editable=True)
    except InstallError as error:
        skip_or_fail(f"{error}: {error.output[-300:]}")
    return project


def changed(project, changes):
    """Return the adapter with its text changed; no new environment is made."""
    modules = [Path("ossia_adapter_control", f"{name}.py") for name in ("common", "router")]
    texts = {path: (ROOT / "adapters" / "control" / path).read_text("utf-8") for path in modules}
    for old, new in changes.items():
        assert sum(text.count(old) for text in texts.values()) == 1, old
        texts = {path: text.replace(old, new) for path, text in texts.items()}
    for path, text in texts.items():
        (project / path).write_text(text, "utf-8")
    shutil.rmtree(project / "ossia_adapter_control" / "__pycache__", ignore_errors=True)
    info = read_project(project, sdk=sdk_project(), home=project.parent / "home")
    assert info.installed
    assert info.editable
    return info


def failed(info, *names, seconds=8.0):
    return {each.name: each.detail for each in checked(info, *names, seconds=seconds).failed}


def checked(info, *names, seconds=8.0):
    checks = [each for each in CHECKS if not names or each.name in names]
    # One draw, so that a test says the same each time.
    return check_adapter(info, checks=checks, seconds=seconds, seed="1")


@pytest.mark.parametrize("name", MUTANTS)
def test_a_flaw_is_found(project, name, monkeypatch):
    # A run that never ends is waited for as long as this.
    monkeypatch.setattr(cancelled, "_END_SECONDS", 3.0)
    changes, failing = MUTANTS[name]
    found = failed(changed(project, changes), "every-role", *failing)
    assert set(found) == failing, found


AGAIN = '            said = self.complete(role, talk, tools, tool_choice="none")\n'
ROUND = "            said = self.complete(role, talk, tools)\n"
TOLD = "            talk += [called(tools, call) for call in calls]\n"
NOTED = {
    "an empty answer is asked for again": (
        {AGAIN: AGAIN + AGAIN},
        "weak-model",
        "asked again in the same words: ",
    ),
    "a first call of a tool is forced": (
        {ROUND: ROUND.replace("tools)", 'tools, tool_choice="required")')},
        "parameters",
        "tool_choice of ",
    ),
    "tools are offered once": (
        {ROUND: ROUND.replace("tools)", "tools if len(talk) < 4 else ())")},
        "tool-rounds",
        "only before the first result",
    ),
    "earlier rounds are forgotten": (
        {TOLD: "            del talk[1:-1]\n" + TOLD},
        "tool-rounds",
        "earlier rounds of the turn are not shown again",
    ),
}


@pytest.mark.parametrize("name", NOTED)
def test_what_a_framework_may_do_is_noted(project, name):
    changes, check, said = NOTED[name]
    report = checked(changed(project, changes), "every-role", check)
    assert {each.name: each.detail for each in report.failed} == {}
    (noted,) = report.noted
    assert noted.name == check
    assert said in noted.detail
