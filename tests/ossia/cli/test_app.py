"""The command itself."""

import re
import subprocess
import sys

import pytest

from ossia.cli import app, main


def test_the_version_names_the_code(ossia):
    done = ossia("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"ossia \d+\.\d+\.\d+\+[0-9a-f]{10}\n", done.stdout)
    assert done.stdout == ossia("--version").stdout


def test_the_end_of_a_command_imports_nothing():
    code = "from ossia.cli.app import main\nmain(['serve', '--help'])"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True
    )
    assert "ossia_evaluation.gold" not in done.stderr


def test_ctrl_c_while_a_command_is_loaded_leaves_no_trace(monkeypatch, capsys):
    def interrupted(command):
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "build_app", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["run", "control"])
    assert ended.value.code == 130
    assert capsys.readouterr().err == ""
