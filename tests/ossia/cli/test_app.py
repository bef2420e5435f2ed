"""The command itself."""

import re
import subprocess
import sys


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
