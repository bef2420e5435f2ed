"""Commands that run as printed, wherever Ossia is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ossia import called


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """An environment below the present folder, with the script of this Ossia."""
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    for name in ("ossia", "python"):
        (scripts / name).write_text("#!/bin/sh\n")
        (scripts / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(scripts / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    called.program.cache_clear()
    yield scripts
    called.program.cache_clear()


def test_the_name_alone_where_the_path_leads_to_it(environment, monkeypatch):
    monkeypatch.setenv("PATH", f"{environment}:/usr/bin")
    assert called.command("report", "a b") == "ossia report 'a b'"
    assert called.as_called("see `ossia report`") == "see `ossia report`"


def test_the_script_from_here_where_the_environment_is_not_active(environment):
    assert called.command("report") == ".venv/bin/ossia report"
    assert called.as_called("see `ossia report`, not ossia") == (
        "see `.venv/bin/ossia report`, not ossia"
    )


def test_a_marker_of_a_file_stays_as_the_file_has_it(environment):
    marker = "<!-- made by `ossia dataset stats --write`: begin -->"
    assert called.as_called(marker) == marker


def test_another_ossia_on_the_path_is_not_this_one(environment, monkeypatch, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "ossia").write_text("#!/bin/sh\n")
    (other / "ossia").chmod(0o755)
    monkeypatch.setenv("PATH", f"{other}:/usr/bin")
    assert called.program() == ".venv/bin/ossia"


def test_without_a_script_the_module_is_run(environment):
    (environment / "ossia").unlink()
    assert called.program() == ".venv/bin/python -m ossia"


def test_make_leads_no_path_astray():
    """Else `ossia` would be found while make runs, and be gone when its hints are read."""
    makefile = Path(__file__).resolve().parents[2] / "Makefile"
    assert "export PATH" not in makefile.read_text("utf-8")
    # The tests themselves may run below a make, whose flags and level are not this one's.
    outer = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    shown = subprocess.run(
        ["make", "-n", "compare", "ARGS="],
        cwd=makefile.parent,
        env=outer,
        capture_output=True,
        text=True,
        check=True,
    )
    *_, plain, stressed = [line.strip() for line in shown.stdout.splitlines()]
    assert plain == ".venv/bin/ossia compare"
    assert stressed == ".venv/bin/ossia compare --stress quick --limit 24"
