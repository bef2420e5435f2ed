import os
import subprocess
import sys
from pathlib import Path

import pytest

from ossia.adapters import find_adapter, install, ossia_home

ROOT = Path(__file__).resolve().parents[3]

KEPT = ("PATH", "HOME", "LANG", "PYTHONPATH")
"""What a command keeps of the tester's environment: it has to find the code that is tested."""


@pytest.fixture(scope="session")
def environments():
    """The folder of installed environments, with that of `control` made if it is missing."""
    home = ossia_home(os.environ)
    install(find_adapter("control", home))
    return home / "envs"


@pytest.fixture
def home(environments, tmp_path):
    """A home of its own for runs, with the installed environments."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "envs").symlink_to(environments)
    return folder


@pytest.fixture
def environ(home):
    """The environment of a command: nothing of the tester's own configuration."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    # As in an active environment, so that hints name the command as `ossia`.
    path = os.pathsep.join((str(Path(sys.executable).parent), kept.get("PATH", os.defpath)))
    return {**kept, "PATH": path, "OSSIA_HOME": str(home)}


@pytest.fixture
def ossia(environ, tmp_path):
    """Run a command to its end, as a user would."""

    def run(*arguments, **variables):
        return subprocess.run(
            [sys.executable, "-m", "ossia", *map(str, arguments)],
            cwd=tmp_path,
            env={**environ, **variables},
            capture_output=True,
            text=True,
            timeout=170,
        )

    return run
