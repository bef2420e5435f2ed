"""Variants of adapters at the command line: named, run, shown and attributed."""

import csv
import json
import os

import pytest

import ossia as product
from ossia.adapters import find_adapters, ossia_home
from ossia.adapters.shown import variants_table
from ossia.cli import options
from ossia.cli.adapter_check import check_command
from ossia.errors import UserError

from ...adapters.support.environments import ROOT

pytestmark = pytest.mark.framework("control")

KEYS = ["control", "control:handoffs", "control:hardened", "control:tools"]


def test_variants_are_compared_told_and_attributed_by_their_names(ossia, home, tmp_path):
    # An offline model gets this one wrong.
    chosen = ("--task", "alarm-013", "--json")
    done = ossia("compare", "-f", "control:router,control:all", *chosen)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [line["framework"] for line in told["frameworks"]] == KEYS
    assert [line["label"] for line in told["frameworks"]] == [
        "control router",
        "control handoffs",
        "control hardened router",
        "control agents as tools",
    ]
    again = ossia("compare", "-f", "control:all", "--task", "alarm-013", COLUMNS="80")
    assert told["run"] in again.stdout
    assert max(map(len, again.stdout.splitlines())) <= 80
    assert "Tokens of an episode by idiom" in again.stdout

    one = ossia("attribute", "-f", "control:router", "--json")
    assert [each["framework"] for each in json.loads(one.stdout)["attributions"]] == ["control"]
    shown = ossia("attribute", "--all", COLUMNS="80")
    assert "control agents" in shown.stdout
    assert max(map(len, shown.stdout.splitlines()[:40])) <= 80
    whole = json.loads(ossia("attribute", "--json").stdout)
    groups = [each for each in whole["summary"]["tables"] if each["by"] == "framework"]
    assert [(each["group"], each["label"]) for each in groups][3] == (
        "control:tools",
        "control agents as tools",
    )
    episode = "control:tools.alarm-013.1"
    for command in ("show", "blame"):
        assert "intent" in ossia(command, episode).stdout
    assert ossia("replay", episode).returncode == 0

    assert ossia("report", "--out", "report").returncode == 0
    page = (tmp_path / "report" / "report.html").read_text()
    assert f'id="episode-{episode}"' in page
    assert '<th scope="row" title="control:tools">control agents as tools</th>' in page
    with (tmp_path / "report" / "comparison.csv").open() as file:
        assert [line["label"] for line in csv.DictReader(file)][3] == "control agents as tools"
    with (tmp_path / "report" / "failures_by_role.csv").open() as file:
        assert {"control agents as tools", "all"} <= {
            line["label"] for line in csv.DictReader(file)
        }
    exported = ossia("export", "who-and-when", "--out", "logs")
    assert exported.returncode == 0, exported.stderr
    assert (tmp_path / "logs" / "control_tools.alarm-013.1.json").is_file()


def test_from_python_variants_are_named_alike(home, monkeypatch):
    monkeypatch.setenv("OSSIA_HOME", str(home))
    run = product.compare(["control:tools"], tasks="test", limit=1)
    assert [line.label for line in run.summary.frameworks] == ["control agents as tools"]
    assert run.episodes[0].episode.startswith("control:tools.")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "-f", "control,control:gold", "--limit", "1"),
        ("run", "control:gold"),
        ("adapter", "check", "control:gold"),
        ("adapter", "install", "control:gold"),
    ],
)
def test_an_unknown_variant_is_one_line_that_names_those_there_are(ossia, home, arguments):
    done = ossia(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "ossia: the adapter control has no variant 'gold'; there are router, tools, handoffs,"
        " hardened"
    ]
    assert not (home / "runs").exists()


def test_each_variant_is_checked_by_itself(ossia):
    one = ossia("adapter", "check", "control:tools", "--only", "framework", "--json")
    assert json.loads(one.stdout)["adapter"] == "control:tools"
    every = ossia("adapter", "check", "control:all", "--only", "framework", "--json")
    found = {each["adapter"]: each["results"] for each in json.loads(every.stdout)}
    assert sorted(found) == KEYS
    assert all(len(results) == 1 for results in found.values())


def test_a_check_is_of_one_name_or_of_all():
    for given in ({}, {"name": "control", "every": True}):
        with pytest.raises(UserError, match="give either an adapter or --all"):
            check_command(**{"name": None, **given})


def test_the_list_tells_idiom_and_page_and_the_page_of_adapters_keeps_it(ossia, tmp_path):
    listed = ossia("adapter", "list").stdout
    lines = [line.split() for line in listed.splitlines() if line.startswith("  control:")]
    assert [(line[0], line[-2]) for line in lines] == [
        ("control:router", "router"),
        ("control:tools", "tools"),
        ("control:handoffs", "handoffs"),
        ("control:hardened", "router"),
    ]
    assert all(line[-1].startswith("https://") for line in lines)
    kept = (ROOT / "adapters" / "README.md").read_text("utf-8")
    # `ossia adapter list --write adapters/README.md` writes it anew.
    assert variants_table(find_adapters(ossia_home(os.environ))) in kept
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- variants:begin -->\nold\n<!-- variants:end -->\nb\n")
    assert ossia("adapter", "list", "--write", "page.md").returncode == 0
    assert "`control:tools`" in page.read_text() and "old" not in page.read_text()
    page.write_text("no marks")
    refused = ossia("adapter", "list", "--write", "page.md")
    assert refused.returncode == 2 and page.read_text() == "no marks"


def test_variants_are_completed_after_a_colon(monkeypatch, tmp_path):
    monkeypatch.setenv("OSSIA_HOME", str(tmp_path))
    assert options.framework_names("contr") == ["control"]
    assert options.framework_names("camel,control:t") == ["camel,control:tools"]
