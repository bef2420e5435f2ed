"""The command itself."""

import re


def test_the_version_names_the_code(ossia):
    done = ossia("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"ossia \d+\.\d+\.\d+\+[0-9a-f]{10}\n", done.stdout)
    assert done.stdout == ossia("--version").stdout
