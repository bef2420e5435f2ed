"""Whether the package index can be reached: the only reason to skip a test that installs."""

import os
import subprocess
from functools import cache
from typing import NoReturn

import pytest
import uv

# Small, without requirements of its own, and needed by every adapter.
_PROBE = "idna==3.10"


@cache
def reachable() -> bool:
    """Return whether uv, as the tester has set it up, gets an answer from its index.

    It is asked once, and past uv's cache, which would answer without any index.
    """
    try:
        done = subprocess.run(
            [uv.find_uv_bin(), "pip", "compile", "--no-cache", "--quiet", "-"],
            input=_PROBE,
            env={**os.environ, "UV_HTTP_TIMEOUT": "20"},
            capture_output=True,
            text=True,
            timeout=120,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def skip_or_fail(reason: str) -> NoReturn:
    """End a test that could not install something.

    Without an index it cannot be known whether the installer works, so the test is skipped. With
    one the installer is broken.

    Args:
        reason: what the installer said.
    """
    if reachable():
        pytest.fail(f"the package index can be reached, so this must work: {reason}")
    pytest.skip(f"the package index cannot be reached: {reason}")
