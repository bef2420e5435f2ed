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


@pytest.mark.timeout(600)
@pytest.mark.framework("openai-agents")
def test_the_example_passes_every_check(tmp_path):
    new = NewAdapter("openai-agents", "openai-agents==0.24.0")
    project = tmp_path / "openai-agents"
    problem = make_project(new, project)
    if problem is not None:
        pytest.skip(str(problem))
    (project / new.module / "adapter.py").write_text(block("python"), "utf-8")
    declared = (project / "pyproject.toml").read_text("utf-8")
    assert "[tool.ossia.environment]\n" in declared
    declared = declared.replace("[tool.ossia.environment]\n", block("toml"))
    (project / "pyproject.toml").write_text(declared, "utf-8")
    info = read_project(project, sdk=sdk_project(), home=tmp_path / "home")
    assert info.switches == {"OPENAI_AGENTS_DISABLE_TRACING": "1"}
    try:
        install(info)
    except InstallError as error:
        pytest.skip(str(error))
    report = check_adapter(info)
    assert [f"{result.name}: {result.detail}" for result in report.failed] == []
    assert report.version == "0.24.0"
    assert "manager 7, intent 1, time 2" in report.results[0].detail, "15 calls, as the page says"


def test_the_guide_explains_every_check():
    section = GUIDE.read_text("utf-8").partition("## The checks")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == [c.name for c in CHECKS]
