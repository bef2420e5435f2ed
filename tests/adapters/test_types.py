"""Every adapter is typed strictly against its real framework, in its own environment."""

import subprocess
import sys

import pytest

from .support.environments import ADAPTERS, ROOT, found

_UNREAD = (
    # Two thirds of what mypy would read are the two thousand modules in which the client of OpenAI
    # keeps the shapes of answers. An adapter makes the client and hands it to its framework.
    *("openai.lib", "openai.resources", "openai.types"),
    # No adapter imports these, and frameworks but few of their types: they are half of the rest.
    *("PIL", "anyio", "cryptography", "httpcore", "httpcore2", "langgraph_sdk", "langsmith", "mcp"),
    *("opentelemetry", "pydantic.v1", "starlette", "urllib3", "uvicorn", "websockets"),
)
"""Packages of which no module is read, so that their types are `Any`."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.framework(n)) for n in ADAPTERS]
)
def test_an_adapter_is_typed_strictly(name, tmp_path):
    info = found(name)
    if not info.installed:
        pytest.skip(f"not installed: ossia adapter install {name}")
    declared = (info.project / "pyproject.toml").read_text("utf-8")
    assert "strict = true" in declared
    unread = [f"{package}.*" for package in _UNREAD]
    skipped = f'\n[[tool.mypy.overrides]]\nmodule = {unread}\nfollow_imports = "skip"\n'
    (tmp_path / "pyproject.toml").write_text(declared + skipped, "utf-8")
    command = [sys.executable, "-m", "mypy", "--python-executable", info.python]
    # Of one cache each takes what the others have read: the standard library, and frameworks' own
    # dependencies in the same version.
    cache = ["--cache-dir", ROOT / ".mypy_cache" / "adapters"]
    config = ["--config-file", tmp_path / "pyproject.toml"]
    done = subprocess.run(
        [*command, *cache, *config, info.package.replace("-", "_")],
        cwd=info.project,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
