"""The example of the guide is a complete adapter that passes every check."""

import re

import pytest

from ossia.adapters import (
    InstallError,
    NewAdapter,
    install,
    make_project,
    read_project,
    sdk_project,
)
from ossia.conformance import CHECKS, check_adapter

from .support.environments import ROOT

GUIDE = ROOT / "docs" / "adapters.md"


def block(language):
    """Return the first block of a language after the heading of the example."""
    example = GUIDE.read_text("utf-8").partition("## A complete example")[2]
    return re.search(rf"^```{language}\n(.*?)^```$", example, re.MULTILINE | re.DOTALL)[1]


def variant(name):
    """Return the complete example with the method `run` of a variant in place of its own."""
    source = block("python")
    if name == "example":
        return source
    start = source.index("    async def run(")
    end = source.index("    def _agent(")
    imports = ""
    if name == "structured":
        imports = "from typing import Literal\nfrom pydantic import Field, create_model\n"
    head = source[:start].replace("from openai import", f"{imports}from openai import")
    return head + block(f"python {name}") + "\n" + source[end:]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project of the guide, installed such that its source can be exchanged."""
    folder = tmp_path_factory.mktemp("guide")
    new = NewAdapter("openai-agents", "openai-agents==0.24.0")
    project = folder / "openai-agents"
    problem = make_project(new, project)
    if problem is not None:
        pytest.skip(str(problem))
    declared = (project / "pyproject.toml").read_text("utf-8")
    assert "[tool.ossia.environment]\n" in declared
    declared = declared.replace("[tool.ossia.environment]\n", block("toml"))
    (project / "pyproject.toml").write_text(declared, "utf-8")
    info = read_project(project, sdk=sdk_project(), home=folder / "home")
    assert info.switches == {"OPENAI_AGENTS_DISABLE_TRACING": "1"}
    try:
        install(info, editable=True)
    except InstallError as error:
        pytest.skip(str(error))
    return project


OF_ROUTING = ("every-role", "order", "answer", "turns")
"""The checks of what the variants do otherwise than the complete example."""


@pytest.mark.timeout(600)
@pytest.mark.framework("openai-agents")
@pytest.mark.parametrize("name", ["example", "handoffs", "structured"])
def test_the_examples_pass_the_checks(project, name):
    source = project / "ossia_adapter_openai_agents" / "adapter.py"
    source.write_text(variant(name), "utf-8")
    info = read_project(project, sdk=sdk_project(), home=project.parent / "home")
    checks = [each for each in CHECKS if name == "example" or each.name in OF_ROUTING]
    report = check_adapter(info, checks=checks, seed="tests")
    assert [f"{result.name}: {result.detail}" for result in report.failed] == []
    assert report.version == "0.24.0"
    if name == "example":
        assert "manager 7, intent 1, time 2" in report.results[0].detail, (
            "15 calls, as the page says"
        )


def test_the_guide_explains_every_check():
    section = GUIDE.read_text("utf-8").partition("## The checks")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == [c.name for c in CHECKS]
