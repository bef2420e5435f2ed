"""A process with the program loaded, which forks itself for each command: a start of milliseconds.

A command gets a process of its own, with its own environment, folder and output; only loading the
libraries is done once. `python command_server.py SOCKET` serves until its parent is gone.
"""

import gc
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from socketserver import ForkingMixIn, StreamRequestHandler, UnixStreamServer

import typer

from ossia import suites
from ossia.adapters import find_adapters
from ossia.cli import main
from ossia.cli.app import build_app
from ossia.version import code_version
from ossia_dataset.worfbench.shots import worked_examples
from ossia_dataset.worfbench.tasks import PlanKind
from ossia_evaluation.report import page
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.gateway.prices import is_priced
from ossia_workflows.scenario import load_scenario, shipped_scenarios

LATER = (
    "genai_prices",
    "networkx",
    "ossia_evaluation.assistant.attribution.director",
    "ossia_evaluation.assistant.contracts",
    "ossia_evaluation.assistant.detectors.detect",
    "ossia_evaluation.assistant.metrics",
    "ossia_servers.assistant.catalogue",
    "ossia_servers.assistant.offline.faults",
    "ossia_servers.assistant.offline.opening",
    "ossia_servers.http.app",
    "pydantic.v1",
    "scipy.optimize",
    "uvicorn.protocols.http.httptools_impl",
)
"""Libraries that commands load while they work."""


def load(group):
    """Load every command of a group, those of suites too."""
    for command in group.commands.values():
        if hasattr(command, "commands"):
            load(command)


def look_in(paths):
    """Find what is installed in these folders, too, as where the process had started with them."""
    new = [path for path in paths if path not in sys.path]
    if new:
        sys.path[:0] = new
        for found in vars(suites).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()


class Command(StreamRequestHandler):
    """Runs one command in the process that was forked for it; answers its id, then its exit code.

    An error that passes is written as a trace, and no code is answered.
    """

    def handle(self):
        self.wfile.write(b"%d\n" % os.getpid())
        asked = json.loads(self.rfile.readline())
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND  # Both may be one file.
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(asked[name], flags), number)
        if asked["terminal"]:
            os.dup2(os.open(asked["terminal"], os.O_RDONLY | os.O_NOCTTY), 0)
        os.environ.clear()
        os.environ.update(asked["environ"])
        look_in(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
        os.chdir(asked["folder"])
        code = 0
        try:
            main(asked["arguments"])
        except SystemExit as end:
            code = end.code
        finally:
            sys.stdout.flush()
        self.wfile.write(b"%d\n" % code)


class Server(ForkingMixIn, UnixStreamServer):
    """Ends with the process that has started it."""

    max_children = 100
    parent = os.getppid()

    def service_actions(self):
        super().service_actions()
        if os.getppid() != self.parent:
            os._exit(0)


if __name__ == "__main__":
    load(typer.main.get_group(build_app()))
    for name in LATER:
        import_module(name)
    code_version()
    load_domains()
    OfflineModel.load()  # Its file stays read.
    find_adapters(Path(sys.argv[1]).parent)  # And those of the projects.
    for name in shipped_scenarios():
        load_scenario(name)
    for kind in PlanKind:
        worked_examples(kind)
    is_priced("openai/gpt-4o")  # The prices of all models stay read.
    for template in ("report.html.j2", "parts.html.j2"):
        page._environment().get_template(template)
    with Server(sys.argv[1], Command) as server:
        gc.collect()
        gc.freeze()
        sys.stdout.write("serving\n")
        sys.stdout.flush()
        server.serve_forever()
