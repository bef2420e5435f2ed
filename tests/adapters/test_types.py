"""Every adapter is typed strictly against its real framework, in its own environment."""

import subprocess
import sys

import pytest

from .support.environments import ADAPTERS, ROOT, found


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.framework(n)) for n in ADAPTERS]
)
def test_an_adapter_is_typed_strictly(name):
    info = found(name)
    if not info.installed:
        pytest.skip(f"not installed: ossia adapter install {name}")
    command = [sys.executable, "-m", "mypy", "--python-executable", info.python]
    cache = ["--cache-dir", ROOT / ".mypy_cache" / "adapters" / name]
    done = subprocess.run(
        [*command, *cache, "--config-file", "pyproject.toml", info.package.replace("-", "_")],
        cwd=info.project,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "strict = true" in (info.project / "pyproject.toml").read_text()
