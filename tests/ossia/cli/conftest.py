import json
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
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


class Running:
    """A command under way."""

    def __init__(self, path, asked):
        """Ask the process behind a socket for it."""
        self._asking = socket.socket(socket.AF_UNIX)
        self._asking.settimeout(170)
        self._asking.connect(str(path))
        self._asking.sendall(json.dumps(asked).encode() + b"\n")
        # Unbuffered, so that what is left to read is left in the socket.
        self._answer = self._asking.makefile("rb", 0)
        self.pid = int(self._answer.readline())
        self.returncode = None

    def send_signal(self, number):
        """Send a signal; nothing once the command has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self):
        """Wait until it ends; returns its exit code."""
        if self.returncode is None:
            with self._asking, self._answer:
                # As Python does after a trace.
                self.returncode = int(self._answer.readline() or 1)
        return self.returncode

    def poll(self):
        """Return its exit code, None while it runs."""
        if self.returncode is None and select.select([self._asking], [], [], 0)[0]:
            self.wait()
        return self.returncode


@pytest.fixture(scope="session")
def begin():
    """Begin a command whose output goes to files or terminals; returns it while it runs.

    It reads from the terminal that is named, else nothing. It runs in a fork of a process that has
    the program loaded.
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
            # Whoever runs the tests in the background may have had interrupts ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stdout.readline() == "serving\n"

        def run(arguments, *, environ, folder, out, err, terminal=None):
            asked = {"arguments": [str(argument) for argument in arguments], "environ": environ}
            asked |= {"folder": str(folder), "out": str(out), "err": str(err)}
            return Running(path, asked | {"terminal": terminal})

        yield run
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def command(begin):
    """Run a command to its end, as `begin` does; returns its exit code."""
    return lambda arguments, **options: begin(arguments, **options).wait()


def done_by(command, arguments, environ, folder, terminal=None):
    """Run a command to its end, with its output kept."""
    with tempfile.TemporaryDirectory() as kept:
        out, err = Path(kept) / "out", Path(kept) / "err"
        code = command(
            arguments, environ=environ, folder=folder, out=out, err=err, terminal=terminal
        )
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


@pytest.fixture
def answered(command, environ, tmp_path):
    """Run a command to its end on a terminal on which one line has been typed."""

    def run(line, *arguments, **variables):
        ours, theirs = pty.openpty()
        os.write(ours, f"{line}\n".encode())
        try:
            terminal = os.ttyname(theirs)
            return done_by(command, arguments, {**environ, **variables}, tmp_path, terminal)
        finally:
            os.close(ours)
            os.close(theirs)

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
