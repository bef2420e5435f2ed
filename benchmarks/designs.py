"""The two designs of the server benchmark: one process, and one for each domain."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uv

from benchmarks.load import Count, Order, Shot, Worlds
from benchmarks.measure import cpu_seconds, wall_seconds
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW, Request
from ossia_servers.worlds.domain import Domain

__all__ = ["LOCAL", "Design", "flask_design", "flask_python", "ossia_design"]

LOCAL = frozenset(
    "alarm audiobook calendar cooking datetime email game iot lists music news phone podcasts"
    " radio recommendation social takeaway transport".split()
)
"""The domains that the published design serves by processes of its own."""

REQUESTS_PER_WORLD = 20
_READY_SECONDS = 60.0
_POLL_SECONDS = 0.01
_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Design:
    """A design that runs.

    Attributes:
        pids: Its processes.
        ready_s: Seconds from the start of the first process until all answered.
        ports: Where each domain is served.
        worlds: How worlds are made, if the design knows any.
    """

    pids: tuple[int, ...]
    ready_s: float
    ports: Mapping[str, int]
    worlds: Worlds | None

    def fire(
        self, mix: Sequence[tuple[str, Request]], concurrency: int, *, most: int, seconds: float
    ) -> tuple[Count, float]:
        """Load the design from another process.

        Args:
            mix: Methods and requests.
            concurrency: Requests under way at once.
            most: Requests at most.
            seconds: Time at most.

        Returns:
            The count, and the processor seconds that the design's processes used.

        Raises:
            CalledProcessError: The load generator failed.
        """
        order = Order(
            shots=tuple(
                Shot(port=self.ports[request.domain], method=method, target=request.url)
                for method, request in mix
            ),
            concurrency=concurrency,
            most=most,
            seconds=seconds,
            worlds=self.worlds,
        )
        before = cpu_seconds(self.pids)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.load"],
            input=order.model_dump_json().encode(),
            stdout=subprocess.PIPE,
            cwd=_FOLDER.parent,
            check=True,
        )
        return Count.model_validate_json(done.stdout), cpu_seconds(self.pids) - before


@contextmanager
def ossia_design(domains: Sequence[Domain], folder: Path) -> Iterator[Design]:
    """Run `ossia serve` with worlds in a file.

    Args:
        domains: What it serves.
        folder: An empty folder for the file.

    Raises:
        RuntimeError: It does not answer in time.
    """
    (port,) = _free_ports(1)
    command = (
        *(sys.executable, "-c", "from ossia.cli import main; main()", "serve"),
        *("--port", str(port), "--database", str(folder / "worlds.sqlite")),
    )
    started = wall_seconds()
    log = folder / "log"
    with _running([command], log) as (pid,):
        # It says so as soon as it answers, and the load needs the token that it says.
        ready = _until_said(log, "Stop with Ctrl-C", started)
        ports = {domain.name: port for domain in domains}
        new = {"seed": "home", "now": DEFAULT_NOW.isoformat(), "home": DEFAULT_HOME}
        said = re.search(r"Admin token, .*: (\S+)", log.read_text("utf-8"))
        if said is None:
            raise RuntimeError("ossia serve prints no admin token")
        worlds = Worlds(port=port, body=json.dumps(new), token=said[1], requests=REQUESTS_PER_WORLD)
        yield Design((pid,), ready, ports, worlds)


@contextmanager
def flask_design(python: Path, domains: Sequence[Domain], folder: Path) -> Iterator[Design]:
    """Run one Flask process for each of the domains.

    Args:
        python: An interpreter with Flask.
        domains: What they serve.
        folder: An empty folder for the declarations.

    Raises:
        RuntimeError: One does not answer in time.
    """
    ports = dict(zip((domain.name for domain in domains), _free_ports(len(domains)), strict=True))
    commands = []
    for domain in domains:
        declaration = folder / f"{domain.name}.json"
        fields = {field.name: str(field.kind) for field in domain.fields}
        intents = [intent.name for intent in domain.intents]
        declaration.write_text(
            json.dumps({"name": domain.name, "intents": intents, "fields": fields}), "utf-8"
        )
        script = str(_FOLDER / "flask_domain.py")
        commands.append((str(python), script, str(declaration), str(ports[domain.name])))
    started = wall_seconds()
    with _running(commands, folder / "log") as pids:
        ready = _until_all_answer({port: f"/{name}" for name, port in ports.items()}, started)
        yield Design(pids, ready, ports, None)


def flask_python(home: Path) -> Path:
    """Return an interpreter with the pinned Flask, made on first use.

    Args:
        home: The folder of Ossia's environments.

    Raises:
        CalledProcessError: uv could not make it.
    """
    lock = _FOLDER / "flask-requirements.lock"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()[:16]
    environment = home / "benchmarks" / f"flask-{digest}"
    python = environment / "bin" / "python"
    marker = environment / "complete"
    if not marker.exists():
        shutil.rmtree(environment, ignore_errors=True)
        install = ("pip", "install", "--quiet", "--compile-bytecode", "--python", str(python))
        for arguments in (
            ("venv", "--quiet", "--python", sys.executable, str(environment)),
            (*install, "--require-hashes", "-r", str(lock)),
        ):
            subprocess.run([uv.find_uv_bin(), *arguments], check=True)
        marker.touch()
    return python


@contextmanager
def _running(commands: Sequence[Sequence[str]], log: Path) -> Iterator[tuple[int, ...]]:
    """Run processes that write what they say into a file, as unattended servers do."""
    processes: list[subprocess.Popen[bytes]] = []
    with log.open("ab") as said:
        try:
            for command in commands:
                processes.append(
                    subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
                )
            yield tuple(process.pid for process in processes)
        finally:
            for process in processes:
                process.kill()
            for process in processes:
                process.wait()


def _free_ports(count: int) -> list[int]:
    listeners = [socket.socket() for _ in range(count)]
    try:
        for listener in listeners:
            listener.bind(("127.0.0.1", 0))
        return [int(listener.getsockname()[1]) for listener in listeners]
    finally:
        for listener in listeners:
            listener.close()


def _until_all_answer(waited: Mapping[int, str], started: float) -> float:
    """Return the seconds until every port has answered a request, with whatever status."""
    left = dict(waited)
    while left:
        if wall_seconds() - started > _READY_SECONDS:
            raise RuntimeError(f"{len(left)} servers did not answer in {_READY_SECONDS:g} s")
        for port, path in list(left.items()):
            if _answers(port, path):
                del left[port]
        if left:
            time.sleep(_POLL_SECONDS)
    return wall_seconds() - started


def _until_said(log: Path, words: str, started: float) -> float:
    """Return the seconds until words are in a log."""
    while words not in log.read_text("utf-8"):
        if wall_seconds() - started > _READY_SECONDS:
            raise RuntimeError(f"{log} does not say {words!r} after {_READY_SECONDS:g} s")
        time.sleep(_POLL_SECONDS)
    return wall_seconds() - started


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status > 0
    except OSError:
        return False
    finally:
        connection.close()
