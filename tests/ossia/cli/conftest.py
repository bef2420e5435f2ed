import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
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


def environment_of(home):
    """The environment of a command: nothing of the tester's own configuration."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    # As in an active environment, so that hints name the command as `ossia`.
    path = os.pathsep.join((str(Path(sys.executable).parent), kept.get("PATH", os.defpath)))
    return {**kept, "PATH": path, "OSSIA_HOME": str(home)}


@pytest.fixture
def environ(home):
    return environment_of(home)


@pytest.fixture(scope="session")
def command():
    """Run a command to its end, whose output goes to files or terminals; returns its exit code.

    It runs in a fork of a process that has the program loaded.
    """
    # Not below a folder of pytest's: the path of a socket is short.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "socket"
        script = Path(__file__).parent / "modules" / "command_server.py"
        process = subprocess.Popen(
            [sys.executable, script, path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "serving\n"

        def run(arguments, *, environ, folder, out, err):
            asked = {"arguments": [str(argument) for argument in arguments], "environ": environ}
            asked |= {"folder": str(folder), "out": str(out), "err": str(err)}
            with socket.socket(socket.AF_UNIX) as asking:
                asking.settimeout(170)
                asking.connect(str(path))
                asking.sendall(json.dumps(asked).encode() + b"\n")
                with asking.makefile() as answer:
                    return int(answer.readline() or 1)  # As Python does after a trace.

        yield run
        process.kill()
        process.communicate()


def done_by(command, arguments, environ, folder):
    """Run a command to its end, with its output kept."""
    with tempfile.TemporaryDirectory() as kept:
        out, err = Path(kept) / "out", Path(kept) / "err"
        code = command(arguments, environ=environ, folder=folder, out=out, err=err)
        return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())


@pytest.fixture
def ossia(command, environ, tmp_path):
    """Run a command to its end, as a user would, in a process of its own."""

    def run(*arguments, **variables):
        if not any(name.startswith("PYTHON") for name in variables):
            return done_by(command, arguments, {**environ, **variables}, tmp_path)
        # These are read at a real start only.
        return subprocess.run(
            [sys.executable, "-m", "ossia", *map(str, arguments)],
            cwd=tmp_path,
            env={**environ, **variables},
            capture_output=True,
            text=True,
            timeout=170,
        )

    return run


@pytest.fixture(scope="module")
def begun():
    """What `once` has run for the tests of a module: how it ended, and a copy of its runs."""
    return {}


@pytest.fixture
def once(ossia, home, begun, tmp_path_factory):
    """Run the command that several tests of a module begin with.

    The first test runs it; the others get a copy of the runs that it made.
    """

    def run(*arguments, **variables):
        asked = (tuple(map(str, arguments)), tuple(sorted(variables.items())))
        runs = home / "runs"
        assert not runs.exists(), "the copy would be of more than this command has made"
        if asked not in begun:
            done = ossia(*arguments, **variables)
            kept = tmp_path_factory.mktemp("once") / "runs"
            shutil.copytree(runs, kept)
            begun[asked] = done, kept
            return done
        done, kept = begun[asked]
        shutil.copytree(kept, runs)
        return done

    return run
